package watch

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// benchStream is a stream without a network.
func benchStream(budget int64) *stream {
	e := NewEngine(model.NewLog(model.Options{Budget: budget}), Options{})
	c := &Cluster{name: "bench", host: "bench"}
	t := pods
	e.Add(c, t)
	return e.streams[0]
}

// BenchmarkFollow is a live watch from the body to the log: frames, identity,
// comparison, append.
func BenchmarkFollow(b *testing.B) {
	filler := strings.Repeat(`{"name":"app","image":"registry.example/shop/app:1.2.3","env":[{"name":"A","value":"b"}]},`, 20)
	var body strings.Builder
	const objects = 5000
	for i := range objects {
		p := fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d","namespace":"shop","uid":"00000000-0000-0000-0000-%012d","resourceVersion":"%d"},"spec":{"containers":[%s{}]}}`, i, i, i+10, filler)
		body.WriteString(frame("ADDED", p) + "\n")
	}
	raw := body.String()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		s := benchStream(0)
		f := &flight{x: &exchange{}, body: io.NopCloser(strings.NewReader(raw))}
		f.settled.Store(true)
		r := jsonscan.NewFrameReader(f.body, 1<<20)
		for {
			fr, err := r.Next()
			if err == io.EOF {
				break
			}
			typ, object, err := jsonscan.SplitFrame(fr)
			if err != nil {
				b.Fatal(err)
			}
			s.sign(f)
			s.object(f, typ, object, len(fr))
		}
		if len(s.inv.known) != objects {
			b.Fatal(len(s.inv.known))
		}
	}
	b.ReportMetric(float64(b.N)*objects/b.Elapsed().Seconds(), "events/s")
}

// TestInventoryIsLean bounds what a stream holds of an object besides the log.
func TestInventoryIsLean(t *testing.T) {
	const objects = 20000
	v := newInventory()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range objects {
		v.add(jsonscan.Meta{Namespace: "shop", Name: fmt.Sprintf("checkout-5b6f7c9d4-%05d", i), UID: fmt.Sprintf("00000000-0000-0000-0000-%012d", i)})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if per := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / objects; per > 300 {
		t.Errorf("%d bytes an object", per)
	} else {
		t.Logf("%d bytes an object", per)
	}
	runtime.KeepAlive(v)
}
