package recorder

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/jsonscan"
)

// capture is the large capture, as an engine would append it.
func capture(b *testing.B) (rs []model.Record, streams []model.StreamInfo) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "load.watch.jsonl.zst"))
	if err != nil {
		b.Skip("needs the large capture: ", err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	if text, err = d.DecodeAll(text, nil); err != nil {
		b.Fatal(err)
	}
	ids := map[string]model.StreamID{}
	types := map[string]model.Type{"ADDED": model.Added, "MODIFIED": model.Modified, "DELETED": model.Deleted, "BOOKMARK": model.Bookmark}
	for line := range bytes.Lines(text) {
		frame := jsonscan.Find(line, "frame")
		typ, object, err := jsonscan.SplitFrame(frame)
		if err != nil {
			b.Fatal(err)
		}
		name, _ := jsonscan.Unquote(jsonscan.Find(line, "stream"))
		id, ok := ids[name]
		if !ok {
			id = model.StreamID(len(streams))
			m, _ := jsonscan.Identity(object)
			ids[name], streams = id, append(streams, model.StreamInfo{Context: "load", Version: "v1", Resource: name, Kind: m.Kind})
		}
		rs = append(rs, model.Record{Time: time.Unix(1_796_000_000, int64(len(rs))*1e6), Stream: id, Type: types[typ], Raw: object, Frame: frame, Bytes: len(frame)})
	}
	return rs, streams
}

// BenchmarkRecord is what recording costs beside the log: the tap, the queue,
// the writer and the disk.
func BenchmarkRecord(b *testing.B) {
	rs, streams := capture(b)
	path := filepath.Join(b.TempDir(), "a.rwt")
	var size int64
	start := cputest.Process()
	for b.Loop() {
		log := model.NewLog(model.Options{})
		r, err := Start(log, Options{Path: path, Force: true})
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range streams {
			log.AddStream(s)
		}
		for _, rec := range rs {
			for {
				if used, _, _, _ := r.q.standing(); used < r.o.Queue/2 {
					break
				}
				time.Sleep(time.Millisecond)
			}
			r.q.add(model.Event{}, rec)
		}
		r.Close(time.Minute)
		if s := r.Status(); s.Lost > 0 || s.Failed != nil || s.Events != int64(len(rs)) {
			b.Fatalf("%+v", s)
		}
		size = r.Status().Bytes
	}
	n := float64(len(rs) * b.N)
	b.ReportMetric(n/(cputest.Process()-start).Seconds(), "events/cpu-s")
	b.ReportMetric(float64(size)/float64(len(rs)), "B/event")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTap is what the stream waits for: the tap and the queue, with a
// writer that takes nothing.
func BenchmarkTap(b *testing.B) {
	rs, _ := capture(b)
	q := newQueue(1 << 40)
	n := 0
	for b.Loop() {
		q.add(model.Event{}, rs[n%len(rs)])
		if n++; n%256 == 0 {
			for c := q.take(); c != nil; c = q.take() {
				q.done(c)
			}
		}
	}
}
