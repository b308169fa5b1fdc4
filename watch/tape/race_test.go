package tape

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"rewatch/model"
)

// TestManyGoroutines: a Writer that several goroutines use keeps what each
// wrote, in its order, and a Tape is read by several Readers at a time.
func TestManyGoroutines(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out, testHeader(), Options{FrameSize: 4 << 10, SegmentFloor: 8 << 10, Checkpoint: 1})
	const writers, records = 4, 200
	var all sync.WaitGroup
	for g := range writers {
		s := w.AddStream(model.StreamInfo{Resource: fmt.Sprint("things", g), Kind: "Thing", Version: "v1"})
		all.Go(func() {
			for i := range records {
				r := model.Record{Time: testHeader().Created.Add(time.Duration(i) * time.Millisecond), Stream: s, Type: model.Modified,
					Raw: fmt.Appendf(nil, `{"metadata":{"name":"n%d","uid":"u-%d-%d"},"i":%d}`, i%5, g, i%5, i)}
				if err := w.Append(r); err != nil {
					t.Error(err)
				}
				if i%50 == 0 {
					if err := w.Flush(); err != nil {
						t.Error(err)
					}
					_, _ = w.Recorded(), w.Size()
				}
			}
		})
	}
	all.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	for range 3 {
		all.Go(func() {
			next := map[model.StreamID]int{}
			for r := tape.Reader(); ; {
				e, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Error(err)
					return
				}
				if want := fmt.Sprintf(`"i":%d}`, next[e.Stream]); !bytes.HasSuffix(e.Raw, []byte(want)) {
					t.Errorf("stream %d: %s, want %s", e.Stream, e.Raw, want)
				}
				next[e.Stream]++
			}
			for s := range writers {
				if next[model.StreamID(s)] != records {
					t.Errorf("stream %d: %d records", s, next[model.StreamID(s)])
				}
			}
			if r, err := tape.Seek(tape.Info().To); err != nil || r.Len() != writers*5 {
				t.Error(err)
			}
			if _, err := tape.Outline(0); err != nil || len(tape.Frames()) < 2 {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
