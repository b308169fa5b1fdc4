package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// smallBudget leaves room for a few thousand rows beside what a log always
// takes.
const smallBudget = 2 << 20

// oracle is a log that keeps everything in the most obvious way.
type oracle struct {
	events  []Event
	objects map[string]*oracleObject   // by context and UID
	names   map[string][]*oracleObject // by context and name
	removed map[StreamID]time.Time     // streams that were; the first time counts
}

type oracleObject struct {
	id       ObjectID
	identity Identity
	versions []oracleVersion
	in       map[StreamID]bool
	lastRow  Seq
	kept     bool // the newest version has outlived its row
	left     bool // nobody follows it any more, and it was not seen to end
}

// has reports whether a version is held, first being the oldest row.
func (x *oracleObject) has(i int, first Seq) bool {
	return x.versions[i].seq >= first || x.kept && i == len(x.versions)-1
}

type oracleVersion struct {
	rv  uint64
	raw []byte
	seq Seq
}

func (x *oracleObject) known(first Seq) bool { return len(x.in) > 0 || x.lastRow >= first }

// append notes a record and compares what the log made of it. first is the
// oldest row that the log held before.
func (o *oracle) append(ctx string, first Seq, r Record, e Event) error {
	want := Event{Seq: Seq(len(o.events)), Time: r.Time.UnixNano(), Stream: r.Stream, Type: r.Type, Flags: r.Flags, RV: e.RV, Detail: r.Detail}
	if r.Type.IsObject() {
		key := ctx + "/" + r.Identity.UID
		x := o.objects[key]
		if x == nil || !x.known(first) {
			x = &oracleObject{id: e.Object, identity: r.Identity, in: map[StreamID]bool{}}
			o.objects[key] = x
			name := ctx + "/" + r.Identity.Name
			old := slices.DeleteFunc(o.names[name], func(x *oracleObject) bool { return !x.known(first) })
			if len(old) > 0 && r.Type == Added {
				want.Flags |= Recreated
			}
			o.names[name] = append(old, x)
		}
		existed := len(x.in) > 0
		if r.Type == Deleted {
			delete(x.in, r.Stream)
		} else {
			x.in[r.Stream] = true
		}
		i := slices.IndexFunc(x.versions, func(v oracleVersion) bool { return v.rv == e.RV })
		if i < 0 || !x.has(i, first) {
			x.versions = append(x.versions, oracleVersion{e.RV, bytes.Clone(r.Raw), want.Seq})
			i, x.kept = len(x.versions)-1, false
		} else if existed == (len(x.in) > 0) && !x.left {
			want.Flags |= Replayed
		}
		want.Object, want.Version = x.id, uint32(i+1)
		x.lastRow = want.Seq
		x.left = x.left && r.Type != Deleted && len(x.in) == 0
	}
	if d, ok := r.Detail.(Transition); ok && d.Removes() {
		if o.removed[r.Stream].IsZero() {
			o.removed[r.Stream] = r.Time
		}
		d.AsOf = o.removed[r.Stream]
		want.Detail = d
		for _, x := range o.objects {
			x.left = x.left || len(x.in) == 1 && x.in[r.Stream]
			delete(x.in, r.Stream)
		}
	}
	o.events = append(o.events, want)
	if e != want {
		return fmt.Errorf("row %d: got %+v, want %+v", want.Seq, e, want)
	}
	return nil
}

// evicted notes that the rows before first have left.
func (o *oracle) evicted(first Seq) {
	for _, x := range o.objects {
		if x.versions[len(x.versions)-1].seq < first && len(x.in) > 0 {
			x.kept = true
		}
	}
}

// check compares all that the log says with what the oracle knows.
func (o *oracle) check(t *testing.T, l *Log, s Snapshot) {
	t.Helper()
	if s.End() != Seq(len(o.events)) {
		t.Fatalf("End is %d, want %d", s.End(), len(o.events))
	}
	for seq := s.First(); seq < s.End(); seq++ {
		if got := s.At(seq); got != o.events[seq] {
			t.Fatalf("row %d: got %+v, want %+v", seq, got, o.events[seq])
		}
	}
	var versions uint64
	objects := 0
	current := map[StreamID]int{}
	for _, x := range o.objects {
		known := x.known(s.First())
		if _, left := l.Left(x.id); left != (known && x.left) {
			t.Fatalf("%v is left: %v, want %v", x.identity, left, known && x.left)
		}
		for st := range x.in {
			current[st]++
			if !l.ExistsIn(x.id, st) {
				t.Fatalf("%v does not exist in %d", x.identity, st)
			}
		}
		if known {
			objects++
			if got := l.Identity(x.id); got != x.identity {
				t.Fatalf("identity %+v, want %+v", got, x.identity)
			}
		} else if got := l.Identity(x.id); got != (Identity{}) {
			t.Fatalf("%v should have left", got)
		}
		for i, v := range x.versions {
			n := uint32(i + 1)
			raw, ok := l.Bytes(x.id, n)
			if held := known && x.has(i, s.First()); ok != held {
				t.Fatalf("version %d of %v: ok %v, held %v", n, x.identity, ok, held)
			}
			if ok {
				versions++
			}
			if ok && !bytes.Equal(raw, v.raw) {
				t.Fatalf("version %d of %v: %q, want %q", n, x.identity, raw, v.raw)
			}
			if seq, ok := l.VersionSeq(x.id, n); ok != (v.seq >= s.First()) || ok && seq != v.seq {
				t.Fatalf("row of version %d: %d, %v, want %d", n, seq, ok, v.seq)
			}
		}
	}
	st := l.Stats()
	if st.Rows != uint64(s.Len()) || st.Evicted != uint64(s.First()) || st.Versions != versions || st.Objects != objects {
		t.Fatalf("%+v; want %d rows, %d evicted, %d versions, %d objects", st, s.Len(), s.First(), versions, objects)
	}
	for _, status := range l.Streams(time.Time{}) {
		n := 0
		for k, id := range l.Current(status.ID) {
			x := o.objects[id.Context+"/"+id.UID]
			if v := x.versions[len(x.versions)-1]; !x.in[status.ID] || k.Object != x.id || k.RV != v.rv || int(k.Version) != len(x.versions) {
				t.Fatalf("current in %d: %+v %v", status.ID, k, id)
			}
			n++
		}
		if n != current[status.ID] || int(status.Objects) != n {
			t.Fatalf("%d objects exist in %s, %d by its count, want %d", n, status.Name(), status.Objects, current[status.ID])
		}
	}
}

// world makes random but believable records for a log.
type world struct {
	rnd     *rand.Rand
	log     *Log
	oracle  *oracle
	streams []StreamID
	sent    [][]sent // by stream's context
	rv      uint64
	now     time.Time
}

type sent struct {
	identity Identity
	rv       uint64
	raw      []byte
	deleted  bool
}

func newWorld(seed uint64, budget int64) *world {
	w := &world{rnd: rand.New(rand.NewPCG(seed, 1)), log: NewLog(Options{Budget: budget}), now: time.Unix(1e9, 0), sent: make([][]sent, 2),
		oracle: &oracle{objects: map[string]*oracleObject{}, names: map[string][]*oracleObject{}, removed: map[StreamID]time.Time{}}}
	for i := range 4 { // two streams that see the same objects, in each of two contexts
		w.streams = append(w.streams, w.log.AddStream(StreamInfo{Context: fmt.Sprint("ctx", i/2), Version: "v1", Resource: "pods", Kind: "Pod"}))
	}
	return w
}

func (w *world) uid() string {
	if w.rnd.IntN(4) == 0 {
		return fmt.Sprint("odd-", w.rnd.Uint64())
	}
	return formatUID([16]byte([]byte(fmt.Sprintf("%016x", w.rnd.Uint64()))))
}

// step appends one record.
func (w *world) step() error {
	stream := w.rnd.IntN(len(w.streams))
	c := stream / 2
	r := Record{Stream: w.streams[stream], Time: w.now}
	w.now = w.now.Add(time.Duration(w.rnd.IntN(50)) * time.Millisecond)
	switch old := w.sent[c]; {
	case w.rnd.IntN(1500) == 0: // the user removes it, and watches the same anew
		info, _ := w.log.Stream(r.Stream)
		r.Type, r.Detail = StreamChange, Transition{From: Live, To: Stopped, Cause: CauseUser}
		w.streams[stream] = w.log.AddStream(info)
		return w.append("", r)
	case w.rnd.IntN(30) == 0:
		r.Type, r.Detail = Noted, Note{Text: fmt.Sprint("note ", w.rv)}
		return w.append("", r)
	case len(old) > 0 && w.rnd.IntN(6) == 0: // what was sent lately, again, or by the other stream
		x := old[max(0, len(old)-1-w.rnd.IntN(8))]
		w.fill(&r, x)
		if r.Type = Modified; x.deleted {
			r.Type = Deleted
		}
	default:
		x := w.next(c)
		w.fill(&r, x)
		if r.Type = []Type{Added, Modified}[w.rnd.IntN(2)]; x.deleted {
			r.Type = Deleted
		}
		w.sent[c] = append(old, x)
		if len(w.sent[c]) > 300 {
			w.sent[c] = slices.Clone(w.sent[c][100:])
		}
	}
	return w.append(fmt.Sprint("ctx", c), r)
}

func (w *world) append(ctx string, r Record) error {
	before := w.log.Snapshot().First()
	if err := w.oracle.append(ctx, before, r, w.log.Append(r)); err != nil {
		return err
	}
	if after := w.log.Snapshot().First(); after != before {
		w.oracle.evicted(after)
	}
	return nil
}

func (w *world) fill(r *Record, x sent) {
	r.Identity, r.RV, r.Raw = x.identity, fmt.Sprint(x.rv), x.raw
}

// next is a new state of an object, old or new.
func (w *world) next(c int) sent {
	w.rv++
	x := sent{rv: w.rv, deleted: w.rnd.IntN(8) == 0}
	if old := w.sent[c]; len(old) > 0 && w.rnd.IntN(5) > 0 {
		x.identity = old[w.rnd.IntN(len(old))].identity
	} else {
		name := fmt.Sprintf("web-%c-%d", 'a'+w.rnd.IntN(3), w.rnd.IntN(400))
		x.identity = Identity{Context: fmt.Sprint("ctx", c), APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: name, UID: w.uid()}
	}
	filler := strings.Repeat(`{"name":"LOG_LEVEL","value":"info"},`, 10+w.rnd.IntN(4))
	if w.rnd.IntN(20) == 0 { // resembles nothing
		b := make([]byte, w.rnd.IntN(2000))
		for i := range b {
			b[i] = byte(w.rnd.IntN(256))
		}
		filler = string(b)
	}
	x.raw = fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":%q,"resourceVersion":"%d"},"spec":[%s]}`, x.identity.Name, x.identity.UID, x.rv, filler)
	return x
}

func TestLogEqualsOracle(t *testing.T) {
	seeds := uint64(2)
	if raceEnabled { // one goroutine: nothing to find there
		seeds = 1
	}
	for _, budget := range []int64{0, smallBudget} {
		for seed := range seeds {
			t.Run(fmt.Sprint(budget, "/", seed), func(t *testing.T) {
				w := newWorld(seed, budget)
				for i := range 12_000 {
					if err := w.step(); err != nil {
						t.Fatal(err)
					}
					if i%8_000 == 0 {
						w.oracle.check(t, w.log, w.log.Snapshot())
					}
				}
				w.oracle.check(t, w.log, w.log.Snapshot())
				st := w.log.Stats()
				if budget > 0 && (st.Bytes > budget || st.Evicted == 0) {
					t.Fatalf("budget %d: %+v", budget, st)
				}
			})
		}
	}
}

// Readers, a writer and eviction at a time; -race watches.
func TestReadersWhileAppendingAndEvicting(t *testing.T) {
	w := newWorld(7, smallBudget)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		wake, cancel := w.log.Subscribe()
		readers.Go(func() {
			defer cancel()
			for {
				select {
				case <-wake:
				case <-done:
					return
				}
				readAll(t, w.log)
			}
		})
	}
	for range 6_000 {
		if err := w.step(); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	readers.Wait()
	w.oracle.check(t, w.log, w.log.Snapshot())
}

func readAll(t *testing.T, l *Log) {
	s := l.Snapshot()
	for seq := s.First(); seq < s.End(); seq += 997 {
		e := s.At(seq)
		if e.Object == 0 {
			continue
		}
		oldest, newest := l.Versions(e.Object)
		raw, ok := l.Bytes(e.Object, newest)
		if id := l.Identity(e.Object); ok && !bytes.Contains(raw, []byte(id.UID)) {
			t.Errorf("%v: version %d of %d…%d is %.80q", id, newest, oldest, newest, raw)
		}
		l.VersionSeq(e.Object, newest)
	}
	for k, id := range l.Current(0) {
		if k.Object == 0 || id.UID == "" {
			t.Errorf("current: %v %v", k, id)
			return
		}
	}
	l.Streams(time.Now())
	l.Stats()
}
