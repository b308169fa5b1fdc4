package tape

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"rewatch/model"
)

// TestRandomRecordsComeBack writes random records of every kind, with odd
// texts, envelopes and identities, and compares what comes back with them, and
// the state at the end with an oracle that keeps everything.
func TestRandomRecordsComeBack(t *testing.T) {
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		o := Options{FrameSize: 1 << (6 + rnd.IntN(12)), SegmentFloor: 1 << (8 + rnd.IntN(10)), Checkpoint: 1 + rnd.IntN(3), Memory: 1 << rnd.IntN(20)}
		p := &property{rnd: rnd, now: testHeader().Created, live: map[key][]byte{}}
		var b bytes.Buffer
		p.w = NewWriter(&b, testHeader(), o)
		for range 300 {
			p.step(t)
		}
		if err := p.w.Close(); err != nil {
			t.Fatal(err)
		}
		tape := mustOpen(t, b.Bytes())
		r := tape.Reader()
		for i, want := range p.want {
			got, err := r.Next()
			if err != nil {
				t.Fatalf("seed %d, record %d: %v", seed, i, err)
			}
			checkEntry(t, fmt.Sprintf("seed %d, record %d", seed, i), got, want)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Fatal(err)
		}
		if report, err := tape.Verify(); err != nil || len(report.Damages) > 0 {
			t.Fatalf("seed %d: %+v, %v", seed, report, err)
		}
		last, err := tape.Seek(p.now)
		if err != nil || !last.Whole() {
			t.Fatal(err)
		}
		p.checkState(t, last)
	}
}

// wanted is a record with its frame, as it must come back.
type wanted struct {
	model.Record
	frame string
	lost  int64
}

func checkEntry(t *testing.T, what string, got *Entry, want wanted) {
	t.Helper()
	if !got.Time.Equal(want.Time) || got.Stream != want.Stream || got.Type != want.Type || got.Flags != want.Flags || got.Reverted != want.Reverted || got.Lost != want.lost ||
		want.Type != 0 && !bytes.Equal(got.Raw, want.Raw) || string(got.AppendFrame(nil)) != want.frame {
		t.Fatalf("%s:\ngot  %+v %q\nwant %+v %q", what, got.Record, got.AppendFrame(nil), want.Record, want.frame)
	}
	if size := max(want.Bytes, len(want.Raw)); want.Type.IsObject() && want.Bytes > 0 && got.Bytes != size {
		t.Fatalf("%s: %d bytes, want %d", what, got.Bytes, size)
	}
	if want.lost == 0 && !reflect.DeepEqual(got.Detail, want.Detail) {
		t.Fatalf("%s:\ngot  %+v\nwant %+v", what, got.Detail, want.Detail)
	}
	if want.Identity.Name != "" && (got.Identity != want.Identity || got.RV != want.RV) {
		t.Fatalf("%s:\ngot  %+v %q\nwant %+v %q", what, got.Identity, got.RV, want.Identity, want.RV)
	}
}

type property struct {
	rnd     *rand.Rand
	w       *Writer
	now     time.Time
	streams int
	want    []wanted
	live    map[key][]byte
}

func (p *property) step(t *testing.T) {
	if p.streams == 0 || p.rnd.IntN(60) == 0 {
		id := p.w.AddStream(model.StreamInfo{Context: "c", Resource: fmt.Sprint("things", p.streams), Kind: "Thing", Group: "g", Version: "v1"})
		if p.streams++; int(id) != p.streams-1 {
			t.Fatal(id)
		}
	}
	p.now = p.now.Add(time.Duration(p.rnd.IntN(1e9)))
	x := wanted{Record: model.Record{Time: p.now, Stream: model.StreamID(p.rnd.IntN(p.streams))}}
	var err error
	switch n := p.rnd.IntN(20); {
	case n < 14:
		err = p.change(&x)
	case n == 14:
		x.Type, x.Raw = model.Bookmark, fmt.Appendf(nil, `{"metadata":{"resourceVersion":"%d"}}`, p.rnd.IntN(1e6))
		x.frame = `{"type":"BOOKMARK","object":` + string(x.Raw) + `}`
		err = p.w.AppendFrame(x.Record, []byte(x.frame))
	case n == 15:
		x.frame = `{"type":"ERROR","object":{"code":410}}` + p.text()
		err = p.w.AppendFrame(x.Record, []byte(x.frame))
	case n == 16:
		x.Type = model.StreamChange
		x.Detail = model.Transition{From: model.State(p.rnd.IntN(16)), To: model.State(p.rnd.IntN(16)), Cause: model.CauseCut, Text: "größer \"", Attempt: 3,
			Until: time.Unix(0, p.now.UnixNano()), Status: 500, Proto: "HTTP/2.0", RV: "1", Bytes: 2, Frames: 3, Took: 4, Total: 5, Request: p.request()}
		err = p.w.Append(x.Record)
	case n == 17:
		x.Type = model.GapFound
		x.Detail = model.Gap{FromRV: "1", ToRV: "2", Since: time.Unix(0, p.now.UnixNano()), Took: 3, Cause: model.CauseExpired, Text: "t", Added: 1, Modified: 2, Deleted: 3}
		err = p.w.Append(x.Record)
	case n == 18:
		x.Type, x.Detail = model.Noted, model.Note{Cause: model.CauseUser, Text: "n"}
		err = p.w.Append(x.Record)
	default:
		x.Type, x.lost = model.GapFound, 1+p.rnd.Int64N(100)
		err = p.w.Lost(x.Time, x.Stream, x.lost, "5", "9")
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.rnd.IntN(10) == 0 {
		if err := p.w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	p.want = append(p.want, x)
}

// request is what a transition tells of one, if it does.
func (p *property) request() *model.Request {
	if p.rnd.IntN(2) == 0 {
		return nil
	}
	return &model.Request{Number: 1 + p.rnd.Int64N(9), Verb: model.VerbList, Path: "/api/v1/pods", Query: "limit=5&labelSelector=a%3Db", Sent: time.Unix(0, p.now.UnixNano()),
		Status: 200, Proto: "HTTP/2.0", Header: []string{"Audit-Id: x", "Warning: \"größer"}, Wait: 6, Took: 7, Bytes: 8, Frames: 9, Ended: p.rnd.IntN(2) == 0,
		Cause: model.CauseCut, Text: "cut"}
}

// text is a piece of text that splices and JSON find hard.
func (p *property) text() string {
	pieces := []string{"a", `"`, `\`, "é", "𝄞", "\n", "\x00", "\u2028", "\xff", "abcdefghijklmnop", "0123456789"}
	var b []byte
	for range p.rnd.IntN(30) {
		i := p.rnd.IntN(len(pieces))
		if i == 8 && p.rnd.IntN(10) > 0 {
			continue
		}
		b = append(b, pieces[i]...)
	}
	return string(b)
}

func (p *property) change(x *wanted) error {
	x.Type = model.Type(1 + p.rnd.IntN(3))
	id := model.Identity{Context: "c", APIVersion: "g/v1", Kind: "Thing", Name: fmt.Sprint("n", p.rnd.IntN(12))}
	if p.rnd.IntN(3) > 0 {
		id.UID = "uid-" + id.Name
	}
	rv := fmt.Sprint(p.rnd.IntN(1000))
	k := keyOf(x.Stream, id)
	x.Raw = fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":%q,"resourceVersion":%q},"x":"%s"}`, id.Name, id.UID, rv, p.text())
	if p.rnd.IntN(3) == 0 {
		x.Flags = model.Flag(p.rnd.IntN(32)) &^ model.Synthetic
	}
	x.Reverted = p.rnd.IntN(9) == 0
	switch p.rnd.IntN(6) {
	case 0: // found by a list, with or without a text
		x.Flags |= model.Synthetic
		x.Identity, x.RV = id, rv
		if p.rnd.IntN(2) == 0 {
			x.Raw = nil
		}
		p.keep(k, x)
		return p.w.Append(x.Record)
	case 1: // an identity that is not in the text
		x.Identity, x.RV = id, "other"
		x.Identity.Namespace = "elsewhere"
		if id.UID == "" {
			x.Identity.Namespace = ""
			x.Identity.Kind = "Other"
		}
	case 2:
		x.Bytes = 12345
		x.frame = ` { "object" : ` + string(x.Raw) + `, "type":"` + x.Type.String() + "\" }\n"
		p.keep(k, x)
		return p.w.AppendFrame(x.Record, []byte(x.frame))
	}
	x.frame = `{"type":"` + x.Type.String() + `","object":` + string(x.Raw) + `}`
	p.keep(k, x)
	return p.w.Append(x.Record)
}

func (p *property) keep(k key, x *wanted) {
	switch {
	case x.Type == model.Deleted:
		delete(p.live, k)
	case x.Raw != nil:
		p.live[k] = x.Raw
	}
}

func (p *property) checkState(t *testing.T, r *Reader) {
	t.Helper()
	n := 0
	for o, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if want := p.live[keyOf(o.Stream, o.Identity)]; !bytes.Equal(o.Raw, want) {
			t.Fatalf("%v is %s, want %s", o.Identity, o.Raw, want)
		}
	}
	if n != len(p.live) {
		t.Fatalf("%d objects, want %d", n, len(p.live))
	}
}
