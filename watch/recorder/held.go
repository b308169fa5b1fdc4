package recorder

import (
	"cmp"
	"errors"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// begin begins the tape with what the log held when it was tapped.
func (r *Recorder) begin() error {
	if r.o.Held {
		if err := r.rowsHeld(); err != nil {
			return err
		}
	} else if err := r.state(r.held, nil, r.opened); err != nil {
		return err
	}
	r.held = nil
	r.dirty = true
	err := r.flush()
	r.start = r.w.Size()
	return err
}

// state begins the tape with streams and objects. If written is not nil, those
// objects whose newest version comes with a row that is held are left out, as
// are the steps of streams that do, and it gets the versions of the others.
func (r *Recorder) state(h *model.Held, written map[lostKey]uint32, when time.Time) error {
	rowless := written != nil
	stepped := map[model.StreamID]bool{}
	if rowless {
		for seq := h.Snapshot.First(); seq < h.Snapshot.End(); seq++ {
			if e := h.Snapshot.At(seq); e.Type == model.StreamChange {
				stepped[e.Stream] = true
			}
		}
	}
	var states []tape.StreamState
	for _, s := range h.Streams {
		if err := r.declare(s.StreamInfo); err != nil {
			return err
		}
		if !stepped[s.ID] {
			states = append(states, tape.StreamState{StreamInfo: s.StreamInfo, Last: s.Last, Since: s.Since})
		}
	}
	err := r.w.Begin(when, states, h.Len(rowless), func(yield func(tape.Object) bool) {
		for o := range h.Objects() {
			if rowless && !o.Row {
				written[lostKey{o.Object, o.Stream}] = o.Version
			}
			if (!rowless || !o.Row) && !yield(tape.Object{Stream: o.Stream, Identity: o.Identity, Raw: o.Raw}) {
				return
			}
		}
	})
	if h.Over() {
		return errBehind
	}
	return err
}

var errBehind = errors.New("the disk is too slow: what there was at the beginning changed faster than it was written")

// fewRows is how many rows may be left when the log is tapped: they are
// written while the queue fills.
const fewRows = 1000

// rowsHeld writes the rows that the log holds, and taps it when few are left.
func (r *Recorder) rowsHeld() error {
	h, cancel := r.log.Tap(model.Tap{Stream: func(model.StreamInfo) {}, Record: func(model.Event, model.Record) {}})
	r.untap = cancel
	when := r.opened
	if s := h.Snapshot; s.Len() > 0 {
		when = s.At(s.First()).When()
	}
	rows := heldRows{r: r, next: h.Snapshot.First(), newest: map[model.ObjectID]seen{}, missing: map[model.StreamID]int64{},
		written: map[lostKey]uint32{}}
	err := r.state(h, rows.written, when)
	cancel()
	if err != nil {
		return err
	}
	for s := h.Snapshot; s.End()-rows.next > fewRows; s = r.log.Snapshot() {
		if err := rows.write(s); err != nil {
			return err
		}
	}
	h, r.untap = r.log.Tap(r.q.tap())
	for _, s := range h.Streams {
		if err := r.declare(s.StreamInfo); err != nil {
			return err
		}
	}
	if err := rows.write(h.Snapshot); err != nil {
		return err
	}
	defer h.Release()
	return rows.end(h)
}

// heldRows makes records of rows again.
type heldRows struct {
	r       *Recorder
	next    model.Seq
	newest  map[model.ObjectID]seen
	missing map[model.StreamID]int64 // rows whose bytes have left the log
	written map[lostKey]uint32       // versions of the objects that exist on the tape
	when    time.Time                // of the newest row
}

type seen struct {
	version uint32
	rv      uint64
}

// write writes the rows of a snapshot that are not written yet.
func (x *heldRows) write(s model.Snapshot) error {
	for _, info := range x.r.log.Streams(time.Time{}) {
		if err := x.r.declare(info.StreamInfo); err != nil {
			return err
		}
	}
	if first := s.First(); first > x.next { // of rows that are gone nothing tells the stream
		x.missing[0] += int64(first - x.next)
		x.next = first
	}
	flushed := time.Now()
	for ; x.next < s.End(); x.next++ {
		if x.next%1024 == 0 && time.Since(flushed) >= x.r.o.Flush {
			if err := x.r.flush(); err != nil {
				return err
			}
			flushed = time.Now()
		}
		if err := x.row(s.At(x.next)); err != nil {
			return err
		}
	}
	return nil
}

func (x *heldRows) row(e model.Event) error {
	x.when = e.When()
	rec := model.Record{Time: e.When(), Stream: e.Stream, Type: e.Type, Flags: e.Flags, Detail: e.Detail}
	switch {
	case e.Type == model.Bookmark:
		// Its bytes are not held. This is what a kube-apiserver writes.
		info, _ := x.r.log.Stream(e.Stream)
		rec.Raw = append(rec.Raw, `{"kind":"`+info.Kind+`","apiVersion":"`+apiVersion(info)+`","metadata":{"resourceVersion":"`+rvText(e.RV)+`"}}`...)
	case e.Type.IsObject():
		var ok bool
		if x.r.buf, ok = x.r.log.AppendBytes(x.r.buf[:0], e.Object, e.Version); !ok {
			x.missing[e.Stream]++
			return nil
		}
		if key := (lostKey{e.Object, e.Stream}); e.Type == model.Deleted {
			delete(x.written, key)
		} else {
			x.written[key] = e.Version
		}
		rec.Raw = x.r.buf
		last := x.newest[e.Object]
		rec.Reverted = e.Version > last.version && last.version > 0 && e.RV < last.rv
		if e.Version > last.version {
			x.newest[e.Object] = seen{e.Version, e.RV}
		}
	}
	return x.r.append(rec, nil)
}

func apiVersion(s model.StreamInfo) string {
	if s.Group == "" {
		return s.Version
	}
	return s.Group + "/" + s.Version
}

// end says what could not be written, and brings the objects on the tape to
// where they were when the log was tapped.
func (x *heldRows) end(h *model.Held) error {
	if len(x.missing) == 0 {
		return nil
	}
	for _, s := range sortedKeys(x.missing, cmp.Compare) {
		x.r.mu.Lock()
		x.r.status.Lost += x.missing[s]
		x.r.mu.Unlock()
		if err := x.r.w.Lost(x.when, s, x.missing[s], "", ""); err != nil {
			return err
		}
	}
	for o := range h.Objects() {
		key := lostKey{o.Object, o.Stream}
		version, ok := x.written[key]
		if delete(x.written, key); version == o.Version {
			continue
		}
		rec := model.Record{Time: x.when, Stream: o.Stream, Type: model.Modified, Flags: model.Synthetic, Raw: o.Raw}
		if !ok {
			rec.Type = model.Added
		}
		if err := x.r.append(rec, nil); err != nil {
			return err
		}
	}
	if h.Over() { // or those that were not read would be taken for deleted
		return errBehind
	}
	for _, key := range sortedKeys(x.written, compareKeys) {
		rec := model.Record{Time: x.when, Stream: key.stream, Type: model.Deleted, Flags: model.Synthetic, Identity: x.r.log.Identity(key.object)}
		if rec.Identity == (model.Identity{}) { // nothing tells who it was
			if err := x.r.note(x.when, key.stream, "an object on this tape was deleted, and is not known any more"); err != nil {
				return err
			}
			continue
		}
		if err := x.r.append(rec, nil); err != nil {
			return err
		}
	}
	return nil
}
