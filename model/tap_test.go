package model

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model/redact"
)

// taken is what a tap got, copied.
type taken struct {
	events  []Event
	records []Record
	streams []StreamInfo
}

func (x *taken) tap() Tap {
	return Tap{
		Stream: func(s StreamInfo) { x.streams = append(x.streams, s) },
		Record: func(e Event, r Record) {
			r.Raw, r.Frame = bytes.Clone(r.Raw), bytes.Clone(r.Frame)
			x.events, x.records = append(x.events, e), append(x.records, r)
		},
	}
}

// TestTapGivesTheSameLogAgain: a log that is filled with what a tap got has the
// same rows, bytes and streams.
func TestTapGivesTheSameLogAgain(t *testing.T) {
	log := NewLog(Options{Budget: 1 << 20})
	var got taken
	log.Tap(got.tap())
	fill(log, 1, 5000)
	again := NewLog(Options{Budget: 1 << 20, Redactor: log.Redactor()})
	for _, s := range got.streams {
		again.AddStream(s)
	}
	for i, r := range got.records {
		if e := again.Append(r); e != got.events[i] {
			t.Fatalf("row %d: %+v, first time %+v", i, e, got.events[i])
		}
	}
	now := time.Unix(1e9, 0)
	if a, b := log.Streams(now), again.Streams(now); !slices.Equal(a, b) {
		t.Errorf("streams %+v\nfirst time %+v", b, a)
	}
	a, b := log.Snapshot(), again.Snapshot()
	for seq := a.First(); seq < a.End(); seq++ {
		e := a.At(seq)
		x, okX := log.Bytes(e.Object, e.Version)
		y, okY := again.Bytes(b.At(seq).Object, b.At(seq).Version)
		if !bytes.Equal(x, y) || okX != okY {
			t.Fatalf("row %d: %.100s, first time %.100s", seq, y, x)
		}
	}
}

// fill appends n rows about few objects to two streams that overlap.
func fill(log *Log, seed uint64, n int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	if len(log.Streams(time.Time{})) == 0 {
		log.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
		log.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Label: "a=b"})
		log.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "secrets", Kind: "Secret"})
	}
	for i := range n {
		s := StreamID(rng.IntN(3))
		r := Record{Time: time.Unix(1e9, int64(i)), Stream: s, Type: []Type{Added, Modified, Modified, Deleted}[rng.IntN(4)]}
		kind := []string{"Pod", "Pod", "Secret"}[s]
		o := rng.IntN(40)
		r.Raw = fmt.Appendf(nil, `{"kind":%q,"apiVersion":"v1","metadata":{"name":"o%d","uid":"%d","resourceVersion":"%d"},"data":{"a":"x%d"},"pad":%q}`,
			kind, o, o, i+1, rng.IntN(9), strings.Repeat("p", rng.IntN(300)))
		switch {
		case r.Type == Deleted && rng.IntN(2) == 0:
			r.Flags = Synthetic
			r.Identity = Identity{Context: "c", APIVersion: "v1", Kind: kind, Name: fmt.Sprintf("o%d", o), UID: fmt.Sprint(o)}
			r.Raw = nil
		case rng.IntN(20) == 0:
			r.Type, r.Raw, r.Detail = Noted, nil, Note{Text: fmt.Sprint(i)}
		case rng.IntN(20) == 0:
			r.Type = Bookmark
		}
		log.Append(r)
	}
}

// TestTapTakesOverFromWhatIsHeld: objects are yielded as they were at the
// moment of the tap, though they change, and leave, while they are read.
func TestTapTakesOverFromWhatIsHeld(t *testing.T) {
	for seed := range uint64(20) {
		log := NewLog(Options{Budget: 1 << 20})
		fill(log, seed, 3000)
		want := map[string]string{}
		for s := range StreamID(3) {
			for k, id := range log.Current(s) {
				raw, _ := log.Bytes(k.Object, k.Version)
				want[fmt.Sprint(s, id)] = string(raw)
			}
		}
		end := log.Snapshot().End()
		var after taken
		held, cancel := log.Tap(after.tap())
		got := map[string]string{}
		for o := range held.Objects() {
			if len(got)%heldBatch == heldBatch/2 {
				fill(log, seed+100, 500)
			}
			key := fmt.Sprint(o.Stream, o.Identity)
			if _, ok := got[key]; ok {
				t.Fatalf("%s comes twice", key)
			}
			got[key] = string(o.Raw)
		}
		cancel()
		if !maps.Equal(got, want) {
			t.Fatalf("seed %d: %d objects held, %d expected, or they differ", seed, len(got), len(want))
		}
		if held.Snapshot.End() != end || len(after.events) == 0 || after.events[0].Seq != end || held.Len(false) != len(want) {
			t.Errorf("the tap does not begin where what is held ends")
		}
		n := len(after.events)
		if fill(log, seed, 10); len(after.events) != n {
			t.Error("a cancelled tap got something")
		}
	}
}

// TestRulesHoldInTheLog: what --redact selects is in no version, and an object
// that comes again is known again.
func TestRulesHoldInTheLog(t *testing.T) {
	rule, err := redact.ParseRule(".spec.password")
	if err != nil {
		t.Fatal(err)
	}
	log := NewLog(Options{Redactor: redact.New().With(rule)})
	id := log.AddStream(StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	var got taken
	log.Tap(got.tap())
	raw := []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"s","uid":"u","resourceVersion":"1"},"spec":{"password":"hunter2"}}`)
	r := Record{Time: time.Unix(1, 0), Stream: id, Type: Added, Raw: raw, Frame: []byte(`{"object":` + string(raw) + `,"type":"ADDED"}`)}
	e := log.Append(r)
	if again := log.Append(r); again.Version != e.Version || !again.Has(Replayed) || log.Differs(id, e.Object, e.Version, raw) {
		t.Errorf("%+v after %+v", again, e)
	}
	log.Pass(Record{Time: time.Unix(1, 0), Stream: id, Frame: []byte(`{"type":"ODD","object":` + string(raw) + `}`)})
	held, _ := log.Bytes(e.Object, e.Version)
	for _, text := range [][]byte{held, got.records[0].Raw, got.records[0].Frame, got.records[2].Frame} {
		if bytes.Contains(text, []byte("hunter2")) || !bytes.Contains(text, []byte(log.Redactor().Fingerprint("hunter2"))) {
			t.Errorf("%s", text)
		}
	}
	if n := log.Streams(time.Time{})[id].Bytes; n != 2*int64(len(raw)) {
		t.Errorf("%d bytes on the wire", n)
	}
}

func TestTapIsRedacted(t *testing.T) {
	log := NewLog(Options{})
	id := log.AddStream(StreamInfo{Version: "v1", Resource: "secrets", Kind: "Secret"})
	var got taken
	log.Tap(got.tap())
	const object = `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","uid":"u","resourceVersion":"1"},"data":{"a":"c2VjcmV0"}}`
	frame := []byte(`{ "type":"ADDED","object":` + object + `}`)
	log.Append(Record{Time: time.Unix(1, 0), Stream: id, Type: Added, Raw: []byte(object), Frame: frame})
	log.Pass(Record{Time: time.Unix(1, 0), Stream: id, Frame: []byte(`{"type":"STRANGE","object":` + object + `}`)})
	if len(got.records) != 2 {
		t.Fatalf("%d records", len(got.records))
	}
	fp := log.Redactor().Fingerprint("secret")
	for _, r := range got.records {
		for _, text := range [][]byte{r.Raw, r.Frame} {
			if bytes.Contains(text, []byte("c2VjcmV0")) || len(text) > 0 && !bytes.Contains(text, []byte(fp)) {
				t.Errorf("%s", text)
			}
		}
	}
	if r := got.records[0]; !bytes.Contains(r.Frame, r.Raw) {
		t.Error("the object is not in its frame")
	}
	if log.Snapshot().Len() != 1 {
		t.Error("what was passed on made a row")
	}
}

// TestHeldIsBounded: who reads too slowly what was held gets no more than there
// is room for, and is told.
func TestHeldIsBounded(t *testing.T) {
	log := NewLog(Options{})
	id := log.AddStream(StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	add := func(i, version int) {
		raw := fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"%d","uid":"%d","resourceVersion":"%d"},"pad":"%s"}`,
			i, i, version, bytes.Repeat([]byte{'x'}, maxSaved/64))
		log.Append(Record{Time: time.Unix(1, 0), Stream: id, Type: Added, Raw: raw})
	}
	const objects = 80
	for i := range objects {
		add(i, 1+i)
	}
	held, cancel := log.Tap(Tap{Stream: func(StreamInfo) {}, Record: func(Event, Record) {}})
	defer cancel()
	for i := range objects / 2 {
		add(i, 1000+i)
	}
	if held.Over() || held.memory > maxSaved {
		t.Errorf("half of them are too much: %d bytes", held.memory)
	}
	for i := objects / 2; i < objects; i++ {
		add(i, 1000+i)
	}
	n := 0
	for range held.Objects() {
		n++
	}
	if !held.Over() || n == objects || held.saved != nil {
		t.Errorf("over: %v, %d of %d objects, %d kept", held.Over(), n, objects, len(held.saved))
	}
}
