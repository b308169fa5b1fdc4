package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// copied is a Text.
type copied []byte

func (c copied) AppendText(dst []byte) ([]byte, error) { return append(dst, c...), nil }
func (c copied) Size() int                             { return len(c) }

func copyOf(raw []byte) Text { return copied(bytes.Clone(raw)) }

// TestLoadIsAppend: a log that was loaded holds what one that was appended to
// does, at every stage of packing, and takes no more memory at the end.
func TestLoadIsAppend(t *testing.T) {
	t.Run("copied", func(t *testing.T) { testLoadIsAppend(t, nil, false) })
	t.Run("elsewhere", func(t *testing.T) { testLoadIsAppend(t, copyOf, false) })
	t.Run("only there", func(t *testing.T) { testLoadIsAppend(t, copyOf, true) })
}

// brief is whether the records come without their texts.
func testLoadIsAppend(t *testing.T, where func([]byte) Text, brief bool) {
	const n = 3000
	raw := func(i, version int) []byte {
		return fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-%d","namespace":"ns","uid":"00000000-0000-4000-a000-%012x","resourceVersion":"%d"},"spec":{"text":%q}}`,
			i, i, i*10+version, bytes.Repeat([]byte{'a' + byte(i%7)}, 1000))
	}
	loaded, appended := NewLog(Options{}), NewLog(Options{})
	records := func(yield func(Record, Text) bool) {
		for i := range n {
			r := Record{Time: time.Unix(1, 0), Type: Added, Flags: Initial, Raw: raw(i, 0)}
			text := Text(nil)
			if where != nil {
				text = where(r.Raw)
			}
			if brief {
				r.Identity = Identity{Kind: "Pod", APIVersion: "v1", Namespace: "ns", Name: fmt.Sprint("pod-", i), UID: fmt.Sprintf("00000000-0000-4000-a000-%012x", i)}
				r.RV, r.Raw = fmt.Sprint(i*10), nil
			}
			if !yield(r, text) {
				return
			}
			clear(r.Raw) // is only valid until now
		}
	}
	for _, l := range []*Log{loaded, appended} {
		l.AddStream(StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	}
	loaded.Load(n, records)
	brief = false
	for r := range records {
		appended.Append(r)
	}
	same := func(stage string) {
		t.Helper()
		for i := range n {
			id := ObjectID(i + 1)
			_, newest := appended.Versions(id)
			for v := uint32(1); v <= newest; v++ {
				got, ok := loaded.Bytes(id, v)
				if want, _ := appended.Bytes(id, v); !ok || !bytes.Equal(got, want) {
					t.Fatalf("%s: object %d version %d is %.100q, want %.100q", stage, i, v, got, want)
				}
			}
		}
	}
	same("loaded")
	if !loaded.Pack(10) {
		t.Fatal("nothing was put off")
	}
	same("packed in part")
	for i := 0; i < n; i += 3 {
		for _, l := range []*Log{loaded, appended} {
			l.Append(Record{Time: time.Unix(2, 0), Type: Modified, Raw: raw(i, 1)})
		}
	}
	same("changed meanwhile")
	for loaded.Pack(100) {
	}
	same("packed")
	if a, b := loaded.Stats().Bytes, appended.Stats().Bytes; a > b+b/4 {
		t.Errorf("it takes %d bytes, not about %d", a, b)
	}
}

// TestLoadStaysWithinTheBudget: as Append does, for what can leave.
func TestLoadStaysWithinTheBudget(t *testing.T) {
	t.Run("copied", func(t *testing.T) { testLoadStaysWithinTheBudget(t, func([]byte) Text { return nil }) })
	t.Run("elsewhere", func(t *testing.T) { testLoadStaysWithinTheBudget(t, copyOf) })
}

func testLoadStaysWithinTheBudget(t *testing.T, where func([]byte) Text) {
	l := NewLog(Options{Budget: 8 << 20})
	l.AddStream(StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
	l.Load(4000, func(yield func(Record, Text) bool) {
		for i := range 4000 {
			raw := fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-%d","uid":"%d","resourceVersion":"%d"},"spec":{"text":%q}}`,
				i, i, i+1, bytes.Repeat([]byte{'b'}, 4000))
			if !yield(Record{Time: time.Unix(1, 0), Type: Added, Flags: Initial, Raw: raw}, where(raw)) {
				return
			}
		}
	})
	if s := l.Stats(); s.Bytes > s.Budget {
		t.Errorf("%d bytes of %d", s.Bytes, s.Budget)
	}
}

// TestLoadLooksWhereItMust: at the texts of records that come without them, where
// they are redacted, or may be of a version that is known.
func TestLoadLooksWhereItMust(t *testing.T) {
	l := NewLog(Options{})
	for _, kind := range []string{"Secret", "Pod", "Pod"} {
		l.AddStream(StreamInfo{Version: "v1", Resource: kind, Kind: kind})
	}
	object := func(kind, uid, rv, data string) (Record, Text) {
		raw := fmt.Sprintf(`{"kind":%q,"apiVersion":"v1","metadata":{"name":"a","uid":%q,"resourceVersion":%q},"data":{"a":%q}}`, kind, uid, rv, data)
		return Record{Time: time.Unix(1, 0), Type: Added, Flags: Initial | Synthetic, RV: rv,
			Identity: Identity{Kind: kind, APIVersion: "v1", Name: "a", UID: uid}}, copyOf([]byte(raw))
	}
	l.Load(4, func(yield func(Record, Text) bool) {
		r, text := object("Secret", "1", "5", "c2VjcmV0")
		yield(r, text)
		r, text = object("Pod", "2", "6", "x")
		r.Stream = 1
		yield(r, text)
		r.Stream = 2 // the same, by another stream
		yield(r, text)
		r, text = object("Pod", "2", "6", "y") // says that it is
		r.Stream = 2
		yield(r, text)
	})
	if raw, ok := l.Bytes(1, 1); !ok || bytes.Contains(raw, []byte("c2VjcmV0")) {
		t.Errorf("the Secret is held as %s", raw)
	}
	if _, newest := l.Versions(2); newest != 2 {
		t.Errorf("the Pod has %d versions", newest)
	}
	for v, want := range []string{`"x"`, `"y"`} {
		if raw, ok := l.Bytes(2, uint32(v+1)); !ok || !bytes.Contains(raw, []byte(want)) {
			t.Errorf("version %d of the Pod is %s", v+1, raw)
		}
	}
	if n := l.Snapshot().Len(); n != 4 {
		t.Errorf("%d rows", n)
	}
}

// TestNamesAreFound: what is in the index of names is found, and what was taken
// out is not, however full it is.
func TestNamesAreFound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	o := newObjects()
	held := map[Identity]ObjectID{}
	for i := range 20000 {
		id := Identity{Kind: "Pod", Namespace: fmt.Sprint("ns-", i%3), Name: fmt.Sprint("pod-", rnd.IntN(3000)), UID: "u"}
		found, at := o.place(id)
		if found != held[id] {
			t.Fatalf("step %d: %v is %d, not %d", i, id, found, held[id])
		}
		switch {
		case found == 0:
			held[id], _ = o.add(id, at)
		case i%2 == 0:
			o.remove(found)
			delete(held, id)
		}
	}
	for id, want := range held {
		if found, named := o.find(id); found != want || named != want {
			t.Errorf("%v is %d and %d, not %d", id, found, named, want)
		}
	}
	if o.names.used != len(held) || len(held) < 1000 {
		t.Errorf("%d names, %d objects", o.names.used, len(held))
	}
}
