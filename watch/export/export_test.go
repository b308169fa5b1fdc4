package export

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/query"
	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

// shop returns the capture of a shop's cluster, plain.
func shop(t testing.TB) []byte {
	t.Helper()
	f, err := os.Open("../../model/testdata/shop.watch.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// imported makes a tape of a capture.
func imported(t testing.TB, lines []byte) *tape.Tape {
	t.Helper()
	return recorded(t, func(w *tape.Writer) {
		if _, err := capture.Import(bytes.NewReader(lines), w, capture.Options{Context: "prod"}); err != nil {
			t.Fatal(err)
		}
	})
}

// recorded makes a tape of what fill writes.
func recorded(t testing.TB, fill func(w *tape.Writer)) *tape.Tape {
	t.Helper()
	return opened(t, written(t, fill))
}

func written(t testing.TB, fill func(w *tape.Writer)) []byte {
	t.Helper()
	var file bytes.Buffer
	w := tape.NewWriter(&file, tape.Header{Tool: "test", Created: time.Unix(1796086441, 0)}, tape.Options{})
	fill(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func opened(t testing.TB, file []byte) *tape.Tape {
	t.Helper()
	tp, err := tape.Open(bytes.NewReader(file), int64(len(file)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tp
}

// exported returns an export.
func exported(t testing.TB, tp *tape.Tape, format string, o Options) (string, Result) {
	t.Helper()
	var out bytes.Buffer
	result, err := Write(context.Background(), tp, &out, format, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), result
}

// words is a filter.
func words(text string) func(*model.Log) model.Filter {
	return func(l *model.Log) model.Filter {
		q, err := query.Parse(text)
		if err != nil {
			panic(err) // of the test
		}
		return q.Filter(l)
	}
}

func TestWatchJSONIsWhatCameIn(t *testing.T) {
	source := shop(t)
	tp := imported(t, source)
	want, result := exported(t, tp, "watch-json", Options{})
	in, out := strings.Split(string(source), "\n"), strings.Split(want, "\n")
	if len(in) != len(out) || result.Rows != int64(len(in)-1) {
		t.Fatalf("%d lines of %d, %d rows", len(out), len(in), result.Rows)
	}
	for i := range in {
		if in[i] != out[i] && !strings.Contains(in[i], `"stream":"secrets"`) {
			t.Fatalf("line %d is not what came in", i+1)
		}
	}
	// A filter that everything passes takes the other way through the reader.
	if got, _ := exported(t, tp, "watch-json", Options{Filter: words("prod")}); got != want {
		t.Error("not the frames of the tape, with a filter")
	}
	// Spans put together are the whole.
	lines := strings.SplitAfter(want, "\n")
	for _, at := range []int{1, 700, len(lines) / 2, len(lines) - 2} {
		var middle time.Time
		for e, err := range tp.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if middle = e.Time; at == 0 {
				break
			}
			at--
		}
		first, _ := exported(t, tp, "watch-json", Options{To: middle.Add(-1)})
		second, _ := exported(t, tp, "watch-json", Options{From: middle})
		if first+second != want {
			t.Errorf("the parts around %v are not the whole: %d + %d lines of %d", middle, strings.Count(first, "\n"), strings.Count(second, "\n"), len(lines)-1)
		}
	}
}

func TestNoSecretInAnyFormat(t *testing.T) {
	tp := imported(t, shop(t))
	for _, f := range Formats() {
		out, _ := exported(t, tp, f.Name, Options{Limit: -1})
		if f.Name == "parquet" {
			out = parquetText(t, out)
		}
		if !strings.Contains(out, "checkout") {
			t.Errorf("%s does not even hold the name of a deployment", f.Name)
		}
		for _, secret := range []string{"SENTINEL" + "-s3cr3t", base64.StdEncoding.EncodeToString([]byte("SENTINEL" + "-s3cr3t-"))[:18]} {
			if strings.Contains(out, secret) {
				t.Errorf("%s holds a value of a Secret", f.Name)
			}
		}
	}
}
