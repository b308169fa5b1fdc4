//go:build unix

package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/recorder"
	"rewatch/watch/tape"
)

// framesWithoutIndex is a tape of two data frames, both written to their end,
// as a recorder leaves it between two frames, and where the second one begins
// and ends.
func framesWithoutIndex(t *testing.T) (file []byte, from, to int64) {
	t.Helper()
	var b bytes.Buffer
	w := tape.NewWriter(&b, tape.Header{Tool: "test", Created: time.Unix(1796126400, 0)}, tape.Options{FrameSize: 4 << 10})
	s := w.AddStream(model.StreamInfo{Context: "prod", Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true})
	for i := range 300 {
		raw := fmt.Sprintf(`{"metadata":{"name":"app-%d","namespace":"shop","uid":"u%d","resourceVersion":"%d"},"data":{"step":"%x"}}`, i, i, i+1, i*i*7919)
		if err := w.Append(model.Record{Time: time.Unix(1796126400+int64(i), 0), Stream: s, Type: model.Added, Raw: []byte(raw)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := tape.Open(bytes.NewReader(b.Bytes()), int64(b.Len()), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	f := whole.Frames()
	if len(f) < 3 {
		t.Fatalf("%d frames", len(f))
	}
	return b.Bytes()[:f[2].Offset], f[1].Offset, f[1].Offset + f[1].Size
}

// TestVerifyOfDamageInATapeThatIsBeingWritten: what a recorder has yet to write
// is no damage, but a data frame that it has written to the end is.
func TestVerifyOfDamageInATapeThatIsBeingWritten(t *testing.T) {
	isolate(t)
	b, from, to := framesWithoutIndex(t)
	path := filepath.Join(t.TempDir(), "a.rwt")
	verify := func(b []byte) result {
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		recorder.Lock(f)
		if _, err := f.Write(b); err != nil {
			t.Fatal(err)
		}
		return rewatch(t, "verify", path)
	}
	if got := verify(b); got.code != 0 || !strings.Contains(got.out, "whole") || !strings.Contains(got.out, "it is being written") {
		t.Errorf("not damaged: %+v", got)
	}
	for at := from; at < to; at += 13 {
		wrong := bytes.Clone(b)
		wrong[at] ^= 1 << (at % 8)
		if got := verify(wrong); got.code != codeDamaged || !strings.Contains(got.out, "a.rwt: damaged") {
			t.Errorf("a wrong bit in byte %d of %d to %d: %d %s", at, from, to, got.code, got.out)
		}
	}
}
