package cli

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

// shopLines is the capture in model/testdata.
func shopLines(t *testing.T) string {
	t.Helper()
	f, err := os.Open(shopPath)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const shopPath = "../model/testdata/shop.watch.jsonl.gz"

// shopTape is a tape of that capture.
func shopTape(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.rwt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w := tape.NewWriter(f, tape.Header{Tool: "test", Created: time.Now()}, tape.Options{SegmentFloor: 256 << 10, Checkpoint: 1})
	if _, err := capture.Import(strings.NewReader(shopLines(t)), w, capture.Options{Context: "shop"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestATapeOpens(t *testing.T) {
	x, err := openTape(shopTape(t))
	if err != nil {
		t.Fatal(err)
	}
	if i := x.Info(); i.Records != 2286 || !i.Closed {
		t.Errorf("%+v", i)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoTapeIsSaidWithTheNextStep(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string][]string{
		filepath.Join(dir, "none"):      {"there is no file", "check the path"},
		dir:                             {"is a directory", "name a file"},
		"-":                             {"stdin is not", "write it to a file first"},
		write("empty", ""):              {"is empty", "rewatch record"},
		write("text", "hello\n"):        {"is not a tape", "rewatch import"},
		shopPath:                        {"is not a tape", "rewatch import"},
		write("short", "\x28\xb5\x2f"):  {"is not a tape"},
		filepath.Join(dir, "text", "x"): {"cannot open"},
	} {
		_, err := openTape(path)
		if err == nil || !containsAll(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestATapeOfWhichNothingSurvivesIsNoCapture: who has one is not sent to import.
func TestATapeOfWhichNothingSurvivesIsNoCapture(t *testing.T) {
	b, err := os.ReadFile(exportTape(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.rwt")
	whole, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	end := whole.Frames()[0].Size // what is behind it tells what it was
	b = b[:end]
	b[end-1] ^= 1 // its checksum
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openTape(path); err == nil || !containsAll(err.Error(), []string{"begins as a tape", "nothing of it survives"}) || strings.Contains(err.Error(), "import") {
		t.Errorf("%v", err)
	}
}
