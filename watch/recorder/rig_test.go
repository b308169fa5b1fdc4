package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source fills a log with changes of a few objects in several streams.
type source struct {
	log  *model.Log
	rng  *rand.Rand
	n    int
	rows []string          // what a tap got, told
	held map[string]string // what each stream says that exists, from listen on
}

func newSource(budget int64) *source {
	x := &source{log: model.NewLog(model.Options{Budget: budget}), rng: rand.New(rand.NewPCG(7, 7))}
	x.log.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
	x.log.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true, Label: "a=b"})
	x.log.AddStream(model.StreamInfo{Context: "c", Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true})
	return x
}

// listen keeps what is appended from now on; the tape must say the same.
func (x *source) listen() {
	x.held = x.state()
	x.log.Tap(model.Tap{
		Stream: func(model.StreamInfo) {},
		Record: func(_ model.Event, r model.Record) {
			frame := string(r.Frame)
			if frame == "" && r.Flags&model.Synthetic == 0 && len(r.Raw) > 0 {
				frame = `{"type":"` + r.Type.String() + `","object":` + string(r.Raw) + `}`
			}
			x.rows = append(x.rows, told(&r, frame))
			m, _ := jsonscan.Identity(r.Raw)
			switch key := fmt.Sprint(r.Stream, m.Name, m.UID); {
			case r.Type == model.Deleted:
				delete(x.held, key)
			case r.Type.IsObject():
				x.held[strings.Clone(key)] = string(r.Raw)
			}
		},
	})
}

func told(r *model.Record, frame string) string {
	return fmt.Sprint(r.Time.UnixNano(), r.Stream, r.Type, r.Flags, r.Reverted, r.Detail, frame)
}

func (x *source) add(n int) {
	for range n {
		x.one(x.rng.IntN(40))
	}
}

func (x *source) one(o int) {
	x.n++
	s := model.StreamID(x.rng.IntN(3))
	kind := []string{"Pod", "Pod", "Secret"}[s]
	r := model.Record{Time: time.Unix(1_796_000_000, int64(x.n)*1e6), Stream: s, Type: []model.Type{model.Added, model.Modified, model.Modified, model.Deleted}[x.rng.IntN(4)]}
	r.Raw = fmt.Appendf(nil, `{"kind":%q,"apiVersion":"v1","metadata":{"name":"o%d","uid":"%s%d","resourceVersion":"%d"},"data":{"a":"x%d"},"pad":%q}`,
		kind, o, kind, o, x.n, x.rng.IntN(9), strings.Repeat("p", x.rng.IntN(300)))
	r.Frame = fmt.Appendf(nil, `{"type":"%v","object":%s}`, r.Type, r.Raw)
	switch x.rng.IntN(40) {
	case 0:
		r = model.Record{Time: r.Time, Stream: s, Type: model.Noted, Detail: model.Note{Text: fmt.Sprint(x.n)}}
	case 1:
		r = model.Record{Time: r.Time, Stream: s, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Backoff, Text: fmt.Sprint(x.n), RV: "5"}}
	case 2:
		r.Frame = fmt.Appendf(nil, "{\"object\": %s,\n \"type\":\"%v\"}", r.Raw, r.Type)
	case 3:
		x.log.Pass(model.Record{Time: r.Time, Stream: s, Frame: fmt.Appendf(nil, `{"type":"ERROR","object":{"code":%d}}`, x.n)})
		return
	case 4:
		r.Type = model.Bookmark
		r.Frame = fmt.Appendf(nil, `{"type":"BOOKMARK","object":%s}`, r.Raw)
	}
	x.log.Append(r)
}

// state tells the objects that exist, by stream, as the log has them: in a
// stream that another one overtook, the newest of any.
func (x *source) state() map[string]string {
	out := map[string]string{}
	for s := range model.StreamID(3) {
		for k, id := range x.log.Current(s) {
			raw, _ := x.log.Bytes(k.Object, k.Version)
			out[fmt.Sprint(s, id.Name, id.UID)] = string(raw)
		}
	}
	return out
}

func stateOf(t *testing.T, r *tape.Reader) map[string]string {
	t.Helper()
	out := map[string]string{}
	for o, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprint(o.Stream, o.Identity.Name, o.Identity.UID)] = string(o.Raw)
	}
	return out
}

// played is what is on a tape.
type played struct {
	info   tape.Info
	report *tape.Report
	rows   []string
	lost   int64
	spans  []time.Time       // notes of its beginning and end
	first  map[string]string // the state at its beginning
	last   map[string]string // the state at its end
}

func play(t *testing.T, path string) played {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tp, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	p := played{info: tp.Info()}
	if p.report, err = tp.Verify(); err != nil {
		t.Fatal(err)
	}
	torn := !p.info.Closed && len(p.report.Damages) == 1 && strings.HasPrefix(p.report.Damages[0].Text, "torn")
	if len(p.report.Damages) > 0 && !torn {
		t.Fatalf("%s: damaged: %v", path, p.report.Damages[0])
	}
	r := tp.Reader()
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		var d *tape.Damage
		if errors.As(err, &d) && torn {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		p.lost += e.Lost
		if n, ok := e.Detail.(model.Note); ok && n.Cause == causeSpan {
			p.spans = append(p.spans, e.Time)
			continue
		}
		p.rows = append(p.rows, told(&e.Record, string(e.AppendFrame(nil))))
	}
	p.last = stateOf(t, r)
	if p.info.Records > 0 {
		if r, err = tp.Seek(p.info.From.Add(-1)); err != nil {
			t.Fatal(err)
		}
		p.first = stateOf(t, r)
	}
	return p
}

// compare finds the first row that differs.
func compare(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("row %d on tape is\n%.400s\nbut was\n%.400s", i, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows on tape of %d", len(got), len(want))
	}
}

func start(t *testing.T, x *source, o Options) *Recorder {
	t.Helper()
	r, err := Start(x.log, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(time.Minute) })
	return r
}

func end(t *testing.T, r *Recorder) Status {
	t.Helper()
	if !r.Close(time.Minute) {
		t.Fatal("it did not end")
	}
	s := r.Status()
	if s.Failed != nil {
		t.Fatal(s.Failed)
	}
	return s
}
