package tape

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// TestReadAheadIsReading: wherever one seeks to, and whatever is damaged on the
// way, it is the same whether several goroutines read ahead or none does.
func TestReadAheadIsReading(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("with one processor nothing is read ahead")
	}
	if runtime.GOMAXPROCS(0) < 2 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	var out bytes.Buffer
	g := newGenerator(3)
	w := NewWriter(&out, testHeader(), Options{FrameSize: 16 << 10})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	for range 3000 {
		if err := w.Append(g.next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range 10 {
		b := bytes.Clone(out.Bytes())
		if i%2 == 1 {
			b[rnd.IntN(len(b)*9/10)] ^= 1 << rnd.IntN(8)
		}
		tape := mustOpen(t, b)
		info := tape.Info()
		until := info.From.UnixNano() + rnd.Int64N(int64(info.To.Sub(info.From)))
		r := tape.reader(0)
		if _, err := r.quietly(nil, func() error { _, err := r.next(until); return err }); err != nil {
			t.Fatal(err)
		}
		want := placeText(t, r)
		r, err := tape.reader(0).skipUntil(until)
		if err != nil {
			t.Fatal(err)
		}
		if got := placeText(t, r); got != want {
			t.Fatalf("tape %d at %d: read ahead it is\n%.300s\nnot\n%.300s", i, until, got, want)
		}
		a := tape.readAhead(0, until, -1, nil)
		clear := 0
		for part := range tape.parts {
			if x := a.take(part); x != nil {
				clear++
				a.free <- x
			}
		}
		a.close()
		if want := tape.partAt(until) - 2; clear < want {
			t.Errorf("tape %d: %d parts were read ahead, not %d", i, clear, want)
		}
	}
}

// placeText is what a Reader knows where it is, and what it reads next.
func placeText(t *testing.T, r *Reader) string {
	var out strings.Builder
	fmt.Fprintln(&out, r.Number(), r.Time(), r.Whole(), r.Missed(), r.live, r.waiting, len(r.roots), state(t, r))
	for range 100 {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if fmt.Fprintln(&out, err); err == nil {
			fmt.Fprintln(&out, e.Time, e.Type, e.Stream, e.Identity, string(e.Raw))
		}
	}
	return out.String()
}
