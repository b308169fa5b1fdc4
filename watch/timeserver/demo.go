package timeserver

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// A rolling update, a fight over spec.replicas, a node gone NotReady, a bad
// image and a rollback, in three minutes of a small cluster.
//
//go:generate go run ./internal/mkdemo -o demo.jsonl.zst ../../../shared/data/shop.watch.jsonl.gz
//go:embed demo.jsonl.zst
var demo []byte

// Demo is the history that comes with rewatch. The end of ctx ends the reading,
// which takes a moment, with its error.
func Demo(ctx context.Context) (*History, error) {
	r, err := zstd.NewReader(bytes.NewReader(demo), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	defer r.Close()
	return ReadHistory(reading{ctx, r})
}

// reading is a reader until its context ends.
type reading struct {
	ctx context.Context
	io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
