package player

import (
	"fmt"
	"slices"
	"testing"

	"rewatch/model"
)

// TestWhatIsShownFirst: the log that comes first ends with the same rows and the
// same objects as the one that takes its place, only with fewer of them.
func TestWhatIsShownFirst(t *testing.T) {
	s := newScript(7, testStart, 500)
	for _, small := range []int64{30, 400} { // in the middle of the tape, and from its beginning on
		p := New([]Source{source(t, "a", s.write(t, s.records))}, Options{small: small, window: 60, near: 60, large: 5})
		partial := 0
		for _, n := range []int{140, 200, 290, 380} {
			to := s.records[n].Time.UnixNano()
			start := p.start(to)
			x, err := p.first(t.Context(), start, to, until(to))
			if err != nil {
				t.Fatal(err)
			}
			whole, err := p.build(t.Context(), start, until(to))
			if err != nil {
				t.Fatal(err)
			}
			if x.partial {
				partial++
			}
			got, want := newestOf(x.log, int(x.rows)), newestOf(whole.log, int(x.rows))
			if len(got) < 10 || x.rows >= whole.rows || !slices.Equal(got, want) {
				t.Errorf("small %d, record %d: %d rows of %d\n%s", small, n, x.rows, whole.rows, differ(got, want))
			}
		}
		if partial < 4 {
			t.Errorf("small %d: %d of 4 moments have a log that comes first", small, partial)
		}
	}
}

// newestOf are the newest rows with the objects that they brought.
func newestOf(l *model.Log, n int) (out []string) {
	s := l.Snapshot()
	for seq := max(s.First(), s.End()-model.Seq(n)); seq < s.End(); seq++ {
		e := s.At(seq)
		raw, _ := l.Bytes(e.Object, e.Version)
		out = append(out, fmt.Sprint(e.Time, e.Type, e.Flags, l.Identity(e.Object), string(raw)))
	}
	return out
}
