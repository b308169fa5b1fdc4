package tape

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// TestBatchesAreLooks: what several goroutines rebuild is what one would have
// found, whatever is in the way, and the Reader goes on as before.
func TestBatchesAreLooks(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	r := waitingState(t)
	var objects []*object
	for o := range r.objects.all() {
		if !o.bookmark {
			objects = append(objects, o)
		}
	}
	for i, o := range objects {
		switch {
		case i%10 == 3: // has its text
			if _, err := r.newestText(o); err != nil {
				t.Fatal(err)
			}
		case i%50 == 7: // cannot be rebuilt
			o.splices = instead(o, []byte("[1,2"))
		case i == 30: // too large for what is behind it to be in the same batch
			o.splices = instead(o, fmt.Appendf(nil, `[0,"{%s"]`, bytes.Repeat([]byte(" "), maxBatch+1)))
		}
	}
	want, bufs := []string{}, [2][]byte{}
	for _, o := range objects {
		x, err := r.look(o, &bufs)
		want = append(want, fmt.Sprint(x.Stream, x.Identity, x.RV, string(x.Raw), err != nil))
	}
	others := r.rebuild(objects, false)
	if others == nil {
		t.Fatalf("%d objects are too few", len(objects))
	}
	others.close()
	var got []string
	for x, err := range r.Objects() {
		got = append(got, fmt.Sprint(x.Stream, x.Identity, x.RV, string(x.Raw), err != nil))
		if x.Text != nil {
			if later, err := x.Text.AppendText(nil); err != nil || !bytes.Equal(later, x.Raw) {
				t.Fatalf("%v: %v, later %.200s\nand before %.200s", x.Identity, err, later, x.Raw)
			}
		}
		var d *Damage
		if err != nil && !errors.As(err, &d) {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d objects, not as the %d", len(got), len(want))
	}
	for range r.Objects() { // and leaves nobody behind
		break
	}
	r.t.limits.Rebuilt = 1
	n, last := 0, error(nil)
	for _, err := range r.Objects() {
		n++
		last = err
	}
	if n > 100 || !errors.Is(last, ErrLimit) {
		t.Errorf("beyond the limit: %d objects, %v", n, last)
	}
}

// instead is a splice in place of those that wait.
func instead(o *object, splice []byte) *waiting {
	w := &waiting{data: splice}
	if o.afresh {
		w.from = o.splices.chain(nil)[0].from
	}
	return w
}

// waitingState is a Reader near the end of a tape: its objects hang by splices
// that wait.
func waitingState(t *testing.T) *Reader {
	t.Helper()
	var out bytes.Buffer
	g := newGenerator(11)
	w := NewWriter(&out, testHeader(), Options{FrameSize: 64 << 10})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	for range 6000 {
		if err := w.Append(g.next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	r, err := tape.Seek(tape.Info().To.Add(-1))
	if err != nil {
		t.Fatal(err)
	}
	return r
}
