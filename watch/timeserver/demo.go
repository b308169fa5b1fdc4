package timeserver

import (
	"bytes"
	_ "embed"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// A rolling update, a fight over spec.replicas, a node gone NotReady, a bad
// image and a rollback, in three minutes of a small cluster.
//
//go:generate go run ./internal/mkdemo -o demo.jsonl.zst ../../../shared/data/shop.watch.jsonl.gz
//go:embed demo.jsonl.zst
var demo []byte

// Demo is the history that comes with rewatch.
func Demo() (*History, error) {
	r, err := zstd.NewReader(bytes.NewReader(demo), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	defer r.Close()
	return ReadHistory(r)
}
