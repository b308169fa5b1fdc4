// Package scantest gives the tests of the model's packages real watch frames
// to read.
package scantest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Frame is one line of a capture: a frame of a watch, as received.
type Frame struct {
	Time   float64         `json:"t"` // of receipt, seconds since the Unix epoch
	Stream string          `json:"stream"`
	Raw    json.RawMessage `json:"frame"`
}

// Object returns the object in the frame.
func (f Frame) Object(tb testing.TB) []byte {
	var e struct{ Object json.RawMessage }
	if err := json.Unmarshal(f.Raw, &e); err != nil {
		tb.Fatal(err)
	}
	return e.Object
}

// Shop returns the frames of a small capture of a real cluster that is kept in
// the repository: a rollout, a fight over replicas, a Secret, a Job, Events.
func Shop(tb testing.TB) []Frame {
	tb.Helper()
	return unpacked(tb, "../testdata/shop.jsonl.gz")
}

// WholeShop returns all frames of the capture that Shop has the most telling of.
func WholeShop(tb testing.TB) []Frame {
	tb.Helper()
	return unpacked(tb, "../../testdata/shop.watch.jsonl.gz")
}

func unpacked(tb testing.TB, path string) []Frame {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join(here(), path))
	if err != nil {
		tb.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	return read(tb, r)
}

// Load returns the frames of a large capture, 47,000 of them, that is not part
// of the repository, and skips the test where it is absent.
func Load(tb testing.TB) []Frame {
	tb.Helper()
	f, err := os.Open(filepath.Join(here(), "../../../../shared/data/load.watch.jsonl.zst"))
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skip("the large capture is not there: ../shared/data/load.watch.jsonl.zst")
	} else if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	r, err := zstd.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	return read(tb, r)
}

func read(tb testing.TB, r io.Reader) []Frame {
	var frames []Frame
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var f Frame
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			tb.Fatal(err)
		}
		frames = append(frames, f)
	}
	if err := lines.Err(); err != nil {
		tb.Fatal(err)
	}
	return frames
}

// here is the folder of this file, so that the captures are found from the
// tests of any package.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}
