package tape

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/jsonscan"
)

// loadLines is the large capture; it is not in the repository.
func loadLines(tb testing.TB) []byte {
	tb.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "data", "load.watch.jsonl.zst"))
	if err != nil {
		tb.Skip("needs the large capture: ", err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		tb.Fatal(err)
	}
	defer d.Close()
	if b, err = d.DecodeAll(b, nil); err != nil {
		tb.Fatal(err)
	}
	return b
}

// records are the frames of a capture as an engine would append them.
func records(tb testing.TB, lines []byte) (out []model.Record, streams []model.StreamInfo) {
	tb.Helper()
	ids := map[string]model.StreamID{}
	types := map[string]model.Type{"ADDED": model.Added, "MODIFIED": model.Modified, "DELETED": model.Deleted, "BOOKMARK": model.Bookmark}
	for one := range bytes.Lines(lines) {
		frame := jsonscan.Find(one, "frame")
		typ, object, err := jsonscan.SplitFrame(frame)
		if err != nil {
			tb.Fatal(err)
		}
		name, _ := jsonscan.Unquote(jsonscan.Find(one, "stream"))
		when, err := parseSeconds(string(jsonscan.Find(one, "t")))
		if err != nil {
			tb.Fatal(err)
		}
		id, ok := ids[name]
		if !ok {
			id = model.StreamID(len(streams))
			ids[name], streams = id, append(streams, streamInfo("test", name, object))
		}
		out = append(out, model.Record{Time: when, Stream: id, Type: types[typ], Raw: object, Bytes: len(frame)})
	}
	return out, streams
}

func write(tb testing.TB, out io.Writer, rs []model.Record, streams []model.StreamInfo, o Options) {
	tb.Helper()
	w := NewWriter(out, testHeader(), o)
	for _, s := range streams {
		w.AddStream(s)
	}
	flushed := rs[0].Time
	for _, r := range rs {
		if err := w.Append(r); err != nil {
			tb.Fatal(err)
		}
		if r.Time.Sub(flushed) > time.Second {
			flushed = r.Time
			if err := w.Flush(); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkWrite records the large capture, flushed every second of it.
func BenchmarkWrite(b *testing.B) {
	lines := loadLines(b)
	rs, streams := records(b, lines)
	var out bytes.Buffer
	start := cputest.Process()
	for b.Loop() {
		out.Reset()
		write(b, &out, rs, streams, Options{})
	}
	report(b, len(rs), start)
	b.ReportMetric(float64(out.Len())/float64(len(rs)), "B/event")
	b.ReportMetric(100*float64(out.Len())/float64(len(lines)), "%-of-plain")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRead reads the tape of the large capture and rebuilds every object.
func BenchmarkRead(b *testing.B) {
	rs, streams := records(b, loadLines(b))
	var out bytes.Buffer
	write(b, &out, rs, streams, Options{})
	tape := mustOpen(b, out.Bytes())
	start := cputest.Process()
	for b.Loop() {
		readAll(b, tape)
	}
	report(b, len(rs), start)
	b.ReportMetric(0, "ns/op")
}

// report gives the rate by the clock and by the processor time of the process.
func report(b *testing.B, events int, start time.Duration) {
	b.Helper()
	total := float64(events * b.N)
	b.ReportMetric(total/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(total/(cputest.Process()-start).Seconds(), "events/cpu-s")
}

func readAll(tb testing.TB, t *Tape) (n int) {
	tb.Helper()
	for _, err := range t.Records() {
		if err != nil {
			tb.Fatal(err)
		}
		n++
	}
	return n
}

// corpus is a tape of generated events of a cluster whose objects have the
// status details that the captures lack.
type corpus struct {
	tape   []byte
	events int
	rate   float64 // written, in events per second of processor time
	memory uint64  // bytes of the heap that the Writer has at its end
}

func newCorpus(events int) (out corpus) {
	var b bytes.Buffer
	b.Grow(64 << 20)
	g := newGenerator(1)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := NewWriter(&b, testHeader(), Options{})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	var took time.Duration
	for i := range events {
		r := g.next()
		start := cputest.Process()
		if err := w.Append(r); err != nil {
			panic(err)
		}
		if i%2000 == 0 {
			_ = w.Flush()
		}
		took += cputest.Process() - start
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err := w.Close(); err != nil {
		panic(err)
	}
	return corpus{b.Bytes(), events, float64(events) / took.Seconds(), after.HeapInuse - before.HeapInuse}
}

// corpusSize is 200,000 events, or as many as REWATCH_EVENTS says: the figures
// that count are those of a million.
func corpusSize(tb testing.TB) int {
	n := 200_000
	if s := os.Getenv("REWATCH_EVENTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n <= 0 {
			tb.Fatal("REWATCH_EVENTS: ", s)
		}
	}
	return n
}

var generated = sync.OnceValues(func() (corpus, *Tape) {
	c := newCorpus(corpusSize(nil))
	t, err := Open(bytes.NewReader(c.tape), int64(len(c.tape)), Limits{})
	if err != nil {
		panic(err)
	}
	return c, t
})

// BenchmarkGenerated measures a tape of generated events: recording (once),
// reading, opening, and seeking to random moments.
func BenchmarkGenerated(b *testing.B) {
	corpusSize(b)
	g, tape := generated()
	b.Run("read", func(b *testing.B) {
		start := cputest.Process()
		for b.Loop() {
			readAll(b, tape)
		}
		report(b, g.events, start)
		b.ReportMetric(g.rate, "write-events/cpu-s")
		b.ReportMetric(float64(len(g.tape))/float64(g.events), "B/event")
		b.ReportMetric(float64(g.memory)/1e6, "write-MB")
		b.ReportMetric(float64(tape.Info().Segments), "segments")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("open", func(b *testing.B) {
		benchTimes(b, 0, func() {}, func() { mustOpen(b, g.tape) })
	})
	b.Run("open-torn", func(b *testing.B) {
		benchTimes(b, 0, func() {}, func() { mustOpen(b, g.tape[:len(g.tape)*9/10]) })
	})
	rnd := rand.New(rand.NewPCG(1, 2))
	info := tape.Info()
	var when time.Time
	moment := func() { when = info.From.Add(time.Duration(rnd.Int64N(int64(info.To.Sub(info.From))))) }
	b.Run("first-paint", func(b *testing.B) { // the records of 200 ms before a moment, and the objects that they change
		benchTimes(b, 200, moment, func() {
			r, err := tape.SeekApart(when.Add(-200*time.Millisecond), when)
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range r.Objects() {
				if err != nil {
					b.Fatal(err)
				}
			}
			for {
				e, err := r.Next()
				if err == io.EOF || err == nil && e.Time.After(when) {
					break
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	})
	b.Run("full-state", func(b *testing.B) {
		benchTimes(b, 200, moment, func() {
			r, err := tape.Seek(when)
			if err != nil {
				b.Fatal(err)
			}
			for _, err := range r.Objects() {
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// benchTimes reports the median and the 99th percentile of the processor time
// that f takes, prepared by before, of at least some runs.
func benchTimes(b *testing.B, least int, before, f func()) {
	var took []time.Duration
	one := func() {
		before()
		start := cputest.Process()
		f()
		took = append(took, cputest.Process()-start)
	}
	for b.Loop() {
		one()
	}
	for len(took) < least {
		one()
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-cpu-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "p99-cpu-ms")
	b.ReportMetric(0, "ns/op")
}

// generator makes the events of a cluster of about 16,000 objects: pods that
// come, go through their phases and leave, with nodes, leases and Events.
type generator struct {
	rnd     *rand.Rand
	streams []model.StreamInfo
	now     time.Time
	rv      int
	pods    []genPod
	apps    [200]string
	buf     []byte
	queue   []model.Record

	// keep is how many Events exist at most: older ones are deleted. 0: no limit.
	keep   int
	events [][]byte
}

type genPod struct {
	name, uid string
	app       int
	phase     int
}

func newGenerator(seed uint64) *generator {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 5)), now: testHeader().Created, rv: 100_000}
	for _, s := range []string{"pods/Pod", "nodes/Node", "leases/Lease", "events/Event"} {
		name, kind, _ := bytes.Cut([]byte(s), []byte("/"))
		g.streams = append(g.streams, model.StreamInfo{Context: "gen", Version: "v1", Resource: string(name), Kind: string(kind), Namespaced: true})
	}
	for i := range g.apps {
		var b bytes.Buffer
		for c := range 3 {
			fmt.Fprintf(&b, `{"name":"c%d","image":"registry.example/app-%d:1.%d","args":["--listen=:80%02d"],"env":[`, c, i, g.rnd.IntN(90), c)
			for e := range 16 {
				fmt.Fprintf(&b, `{"name":"SETTING_%d","value":"app-%d-%x"},`, e, i, g.rnd.Uint32())
			}
			b.WriteString(`{}],"resources":{"limits":{"cpu":"1","memory":"512Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"},`)
		}
		g.apps[i] = b.String()
	}
	return g
}

func (g *generator) uid() string {
	a, b := g.rnd.Uint64(), g.rnd.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(a), uint16(a>>32), uint16(a>>48)&0xfff, uint16(b)&0xfff, b>>16)
}

// BenchmarkMemory records events of a cluster of constant size to a file, and
// reports the heap of the whole process after a garbage collection, and with
// garbage, after a quarter of them and at the end.
func BenchmarkMemory(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "t"))
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	n := corpusSize(b)
	g := newGenerator(1)
	g.keep = 10_000
	w := NewWriter(f, testHeader(), Options{})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	heap := func(unit string) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/1e6, unit+"-with-garbage-MB")
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse)/1e6, unit+"-MB")
		b.ReportMetric(float64(len(w.objects)), unit+"-objects")
	}
	for i := range n {
		if err := w.Append(g.next()); err != nil {
			b.Fatal(err)
		}
		if i%2000 == 0 {
			_ = w.Flush()
		}
		if i == n/4 {
			heap("quarter")
		}
	}
	heap("end")
	b.ReportMetric(0, "ns/op")
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// next returns the next record, valid until the next call.
func (g *generator) next() model.Record {
	if len(g.queue) == 0 {
		g.step()
	}
	r := g.queue[0]
	g.queue = g.queue[1:]
	return r
}

func (g *generator) step() {
	g.buf = g.buf[:0]
	switch n := g.rnd.IntN(20); {
	case len(g.pods) < 6000 || n < 2:
		p := genPod{app: g.rnd.IntN(len(g.apps)), uid: g.uid()}
		p.name = fmt.Sprintf("app-%d-5b6d-%05x", p.app, g.rnd.IntN(1<<20))
		g.pods = append(g.pods, p)
		g.pod(&p, model.Added)
		if len(g.pods) >= 6000 {
			g.event(&p)
		}
	case n < 4:
		i := g.rnd.IntN(len(g.pods))
		g.pod(&g.pods[i], model.Deleted)
		g.pods[i] = g.pods[len(g.pods)-1]
		g.pods = g.pods[:len(g.pods)-1]
	case n < 13:
		p := &g.pods[len(g.pods)-1-g.rnd.IntN(200)]
		p.phase++
		g.pod(p, model.Modified)
	case n < 16:
		node := g.rnd.IntN(500)
		g.emit(2, model.Modified, `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"node-%03d","namespace":"kube-node-lease","uid":"00000000-0000-4000-a000-000000001%03d","resourceVersion":"%d"},"spec":{"holderIdentity":"node-%03d","leaseDurationSeconds":40,"renewTime":"%s"}}`,
			node, node, g.rv, node, g.now.Format("2006-01-02T15:04:05.000000Z"))
	case n < 18:
		node := g.rnd.IntN(500)
		g.emit(1, model.Modified, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"node-%03d","uid":"00000000-0000-4000-a000-000000002%03d","resourceVersion":"%d"},"status":{"conditions":[{"type":"MemoryPressure","status":"False","lastHeartbeatTime":%q},{"type":"Ready","status":"True","lastHeartbeatTime":%q}],"images":[%s]}}`,
			node, node, g.rv, g.now.Format(time.RFC3339), g.now.Format(time.RFC3339), g.apps[node%200]+g.apps[node%199]+"{}")
	default:
		g.event(&g.pods[len(g.pods)-1-g.rnd.IntN(200)])
	}
}

func (g *generator) event(p *genPod) {
	g.emit(3, model.Added, `{"kind":"Event","apiVersion":"v1","metadata":{"name":"%s.%x","namespace":"team","uid":%q,"resourceVersion":"%d","creationTimestamp":%q},"involvedObject":{"kind":"Pod","name":%q,"uid":%q},"reason":"Started","message":"Started container c%d","source":{"component":"kubelet"},"firstTimestamp":%q,"count":1,"type":"Normal"}`,
		p.name, g.rnd.Uint64(), g.uid(), g.rv, g.now.Format(time.RFC3339), p.name, p.uid, g.rnd.IntN(3), g.now.Format(time.RFC3339))
	if g.keep == 0 {
		return
	}
	g.events = append(g.events, bytes.Clone(g.queue[len(g.queue)-1].Raw))
	if len(g.events) > g.keep {
		g.emit(3, model.Deleted, "%s", g.events[0])
		g.events = g.events[1:]
	}
}

func (g *generator) pod(p *genPod, typ model.Type) {
	stamp := g.now.Format(time.RFC3339)
	g.emit(0, typ, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"team","uid":%q,"resourceVersion":"%d","managedFields":[{"manager":"kubelet","operation":"Update","time":%q,"fieldsV1":{"f:status":{"f:conditions":{},"f:containerStatuses":{},"f:phase":{},"f:podIP":{}}}}]},"spec":{"containers":[%s{}],"nodeName":"node-%03d"},"status":{"phase":"Running","observed":%d,"conditions":[{"type":"Ready","status":"%v","lastTransitionTime":%q}],"containerStatuses":[{"name":"c0","ready":%v,"restartCount":%d,"containerID":"containerd://%s%d"}],"podIP":"10.1.%d.%d"}}`,
		p.name, p.uid, g.rv, stamp, g.apps[p.app], p.app, p.phase, p.phase%3 > 1, stamp, p.phase%3 > 1, p.phase/5, p.uid, p.phase/5, p.app, len(p.name))
}

func (g *generator) emit(s model.StreamID, typ model.Type, format string, args ...any) {
	from := len(g.buf)
	g.buf = fmt.Appendf(g.buf, format, args...)
	raw := g.buf[from:]
	g.rv++
	g.now = g.now.Add(time.Duration(g.rnd.IntN(2_000_000)))
	g.queue = append(g.queue, model.Record{Time: g.now, Stream: s, Type: typ, Raw: raw, Bytes: len(raw) + len(`{"type":"","object":}`) + len(typ.String())})
}
