package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rewatch/watch/tape"
)

func TestWhatCannotBeRead(t *testing.T) {
	good := line(first, "gears", "ADDED", "Gear", `"name":"a"`)
	secret := `{"t":1,"stream":"secrets","frame":{"type":"ADDED","object":{"data":{"p":"aHVudGVyMg=="`
	for name, c := range map[string]struct {
		text   string
		want   string // in the error
		frames int64  // with KeepGoing, -1 where that does not help
	}{
		"nothing":                 {"", "nothing", -1},
		"only space":              {" \n\n", "nothing", -1},
		"a table":                 {"NAME READY\nweb 1/1\n", "neither", -1},
		"yaml":                    {"apiVersion: v1\n", "neither", -1},
		"another object":          {`{"hello":1}`, "neither", -1},
		"utf-16":                  {"\xff\xfe{\x00", "UTF-16", -1},
		"garbage in the middle":   {good + "garbage\n" + good, fmt.Sprintf("line 2 (byte %d)", len(good)), 2},
		"a cut line":              {good + good + secret, "line 3 (byte " + fmt.Sprint(2*len(good)) + "): the input ends", 2},
		"no time":                 {good + `{"t":"x","stream":"a","frame":{"type":"ADDED","object":{}}}` + "\n", "line 2", 1},
		"a time no tape can hold": {good + strings.ReplaceAll(good, "1796126400", "9999999999999"), "line 2", 1},
		"no frame":                {good + `{"t":1,"stream":"a"}` + "\n", "line 2", 1},
		"an object that is none":  {good + `{"t":1,"stream":"a","frame":{"type":"ADDED","object":3}}` + "\n", "line 2", 1},
		"a line too long":         {good + `{"t":1,"stream":"a","x":"` + strings.Repeat("x", maxLine) + "\"}\n" + good, "line 2 (byte " + fmt.Sprint(len(good)) + "): too large", 2},
		"cut between":             {event("ADDED", pod("a", "")) + event("ADDED", pod("b", ""))[:50], "object 2 (byte " + fmt.Sprint(len(event("ADDED", pod("a", "")))) + "): the input ends", 1},
		"kubectl's warning":       {event("ADDED", pod("a", "")) + "\nWarning: deprecated\n", "object 2", 1},
		"an object between":       {event("ADDED", pod("a", "")) + `{"x":1,}` + event("ADDED", pod("b", "")), "object 2", 2},
		"a nameless object":       {pod("a", "") + `{"apiVersion":"v1","kind":"Pod","metadata":{}}`, "object 2", 1},
	} {
		_, _, err := imported(t, strings.NewReader(c.text), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		} else if strings.Contains(err.Error(), "aHVu") || len(err.Error()) > 300 {
			t.Errorf("%s: the error quotes the input: %v", name, err)
		}
		x, sum, err := imported(t, strings.NewReader(c.text), Options{KeepGoing: true})
		if (err != nil) != (c.frames < 0) || c.frames >= 0 && (sum.Frames != c.frames || sum.Skipped == 0 || sum.First == nil) {
			t.Errorf("%s, going on: %+v %v", name, sum, err)
		}
		if c.frames >= 0 && !strings.Contains(records(t, x), "NOTE imported with holes: ") {
			t.Errorf("%s: the tape does not say that something is missing:\n%s", name, records(t, x))
		}
		if c.frames > 0 {
			if r, err := x.Verify(); err != nil || r.Verdict() != tape.Gaps || r.Gaps != sum.Streams {
				t.Errorf("%s: %+v %v, want a gap in each stream", name, r, err)
			}
		}
	}
}

func TestDamagedPackings(t *testing.T) {
	lines := strings.Repeat(line(first, "gears", "ADDED", "Gear", `"name":"a"`), 30000)
	for name, b := range packings(t, lines) {
		if name != "gzip" && name != "zstd" {
			continue
		}
		_, sum, err := imported(t, bytes.NewReader(b[:len(b)-len(b)/4]), Options{})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %+v %v", name, sum, err)
		}
		if _, sum, err = imported(t, bytes.NewReader(b[:len(b)-len(b)/4]), Options{KeepGoing: true}); err != nil || sum.Frames == 0 || sum.Skipped != 1 {
			t.Errorf("%s, going on: %+v %v", name, sum, err)
		}
	}
	var b bytes.Buffer
	w := tape.NewWriter(&b, tape.Header{Created: now}, tape.Options{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := imported(t, &b, Options{}); !errors.Is(err, ErrTape) {
		t.Errorf("a tape: %v", err)
	}
	z, err := zstd.NewWriter(&b, zstd.WithWindowSize(256<<20), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		_, _ = z.Write([]byte(lines))
	}
	_ = z.Close()
	if _, _, err := imported(t, &b, Options{}); err == nil || !strings.Contains(err.Error(), "zstd") {
		t.Errorf("a window of 256 MB: %v", err)
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestAFullDiskEndsTheImport: what fails is not taken for a fault of the input,
// which KeepGoing would pass over.
func TestAFullDiskEndsTheImport(t *testing.T) {
	f, err := os.Open("../../model/testdata/shop.watch.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w := tape.NewWriter(&failing{20_000}, tape.Header{Created: now}, tape.Options{})
	if sum, err := Import(f, w, Options{KeepGoing: true}); !errors.Is(err, io.ErrShortWrite) || sum.Skipped > 0 {
		t.Errorf("%+v %v", sum, err)
	}
}
