package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// run is the one goroutine that writes.
func (r *Recorder) run() {
	defer close(r.done)
	err := r.guarded()
	if err == nil {
		r.untap()
		r.q.close()
		err = r.finish()
	}
	if err != nil {
		r.q.close()
		r.fail(err)
		r.countOn()
	}
	r.mu.Lock()
	r.status.Done = true
	r.mu.Unlock()
}

// countOn lets the queue count what is lost from a failure on, until the
// recording is stopped.
func (r *Recorder) countOn() {
	r.mu.Lock()
	r.counting = r.untap
	r.mu.Unlock()
	select {
	case <-r.stop:
		r.stopCounting()
	default:
	}
}

func (r *Recorder) stopCounting() {
	r.mu.Lock()
	untap := r.counting
	r.counting = nil
	r.mu.Unlock()
	if untap != nil {
		untap()
	}
}

// guarded writes until the recording is stopped. A panic ends the recording,
// and not the process, whose terminal may be raw.
func (r *Recorder) guarded() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a bug, please report it: %v\n%s", p, debug.Stack())
		}
	}()
	if err := r.begin(); err != nil {
		return err
	}
	tick := time.NewTicker(r.o.Flush)
	defer tick.Stop()
	for {
		select {
		case <-r.q.wake:
			if err := r.drain(tick.C); err != nil {
				return err
			}
		case <-tick.C:
			if err := r.settle(); err != nil {
				return err
			}
		case <-r.stop:
			r.untap()
			return r.drain(nil)
		}
	}
}

// drain writes what is queued. If the recording is stopped meanwhile, it takes
// nothing new, and so comes to an end.
func (r *Recorder) drain(tick <-chan time.Time) error {
	for {
		c := r.q.take()
		if c == nil {
			return nil
		}
		err := r.chunk(c)
		r.q.done(c)
		if err != nil {
			return err
		}
		select {
		case <-tick:
			if err := r.settle(); err != nil {
				return err
			}
		case <-r.stop:
			r.untap()
		default:
		}
		if err := r.rotateIfDue(); err != nil {
			return err
		}
	}
}

func (r *Recorder) chunk(c *chunk) error {
	r.mu.Lock()
	r.batch = c.items[0].record.Time
	r.mu.Unlock()
	for i := range c.items {
		if err := r.item(c, &c.items[i]); err != nil {
			return err
		}
	}
	r.active = time.Now()
	done := r.w.Recorded()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batch = time.Time{}
	r.status.Objects = done.Objects
	return nil
}

func (r *Recorder) item(c *chunk, x *item) error {
	switch {
	case x.stream != nil:
		return r.declare(*x.stream)
	case x.loss != nil:
		return r.lost(x.loss)
	}
	rec := x.record
	var frame []byte
	if x.raw.to > x.raw.from {
		rec.Raw = c.data[x.raw.from:x.raw.to]
	}
	if x.frame.to > x.frame.from {
		frame = c.data[x.frame.from:x.frame.to]
	}
	r.q.records.Add(-1) // counted from here on by append, if it is written
	if r.filter != nil && rec.Type.IsObject() {
		if keep, err := r.admit(x.row, &rec); !keep || err != nil {
			return err
		}
	}
	return r.append(rec, frame)
}

// declare adds a stream, unless the tape has it. The numbers are the log's.
func (r *Recorder) declare(info model.StreamInfo) error {
	if int(info.ID) < r.streams {
		return nil
	}
	if id := r.w.AddStream(info); id != info.ID {
		return fmt.Errorf("a bug, please report it: stream %d became %d", info.ID, id)
	}
	r.streams++
	r.dirty = true
	if r.filter != nil && r.streams == 1 {
		return r.span(r.opened, "only changes that match this are recorded: "+r.o.Filter.String())
	}
	return nil
}

// append writes a record. What a tape cannot hold is lost, and said.
func (r *Recorder) append(rec model.Record, frame []byte) error {
	err := r.w.AppendFrame(rec, frame)
	if errors.Is(err, tape.ErrRecord) && frame != nil && rec.Type != 0 {
		if err = r.w.Append(rec); err == nil {
			err = r.note(rec.Time, rec.Stream, "the frame before this was not UTF-8: its object is as it came, but not what was around that")
		}
	}
	if errors.Is(err, tape.ErrRecord) {
		r.mu.Lock()
		r.status.Lost++
		r.mu.Unlock()
		err = r.w.Lost(rec.Time, rec.Stream, 1, "", rec.RV)
	}
	if err != nil {
		return err
	}
	r.count(&rec)
	return nil
}

func (r *Recorder) count(rec *model.Record) {
	r.dirty = true
	r.newest = rec.Time
	r.events++
	r.moved.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Events++
	if rec.Flags&model.Synthetic == 0 {
		r.status.Wire += int64(cmp.Or(rec.Bytes, len(rec.Raw)))
	}
	if rec.Type == model.GapFound {
		r.status.Gaps++
	}
}

func (r *Recorder) note(when time.Time, s model.StreamID, text string) error {
	return r.w.Append(model.Record{Time: when, Stream: s, Type: model.Noted, Detail: model.Note{Cause: tape.CauseLost, Text: text}})
}

// lost writes what happened while the queue was full: what was not lost, how
// much was, and what became of the objects meanwhile.
func (r *Recorder) lost(l *loss) error {
	for _, d := range l.details {
		if err := r.append(d, nil); err != nil {
			return err
		}
	}
	for _, s := range sortedKeys(l.streams, cmp.Compare) {
		n := l.streams[s]
		if err := r.w.Lost(l.end, s, n.n, rvText(n.from), rvText(n.to)); err != nil {
			return err
		}
	}
	stale := map[model.StreamID]int{}
	for _, k := range sortedKeys(l.objects, compareKeys) {
		rec, ok := r.became(k, l.objects[k])
		if !ok {
			stale[k.stream]++
			continue
		}
		rec.Time = l.end
		if err := r.append(rec, nil); err != nil {
			return err
		}
		if r.filter != nil {
			r.filter.wrote(k, l.objects[k].version, rec.Type)
		}
	}
	for _, s := range sortedKeys(stale, cmp.Compare) {
		if err := r.note(l.end, s, fmt.Sprintf("%d objects changed again before they could be read: until they come, the tape has them as they were", stale[s])); err != nil {
			return err
		}
	}
	for _, s := range sortedKeys(l.beyond, cmp.Compare) {
		if err := r.note(l.end, s, fmt.Sprintf("%d of the changes that were lost are of objects that the tape has as they were, or not at all, until they come again", l.beyond[s])); err != nil {
			return err
		}
	}
	if l.dropped > 0 {
		return r.note(l.end, l.details[0].Stream, fmt.Sprintf("%d steps of streams, gaps and notes were lost as well", l.dropped))
	}
	return nil
}

// became makes a record of what an object became while frames were lost. ok is
// false if that has left the log.
func (r *Recorder) became(k lostKey, o lostObject) (rec model.Record, ok bool) {
	rec = model.Record{Stream: k.stream, Type: model.Modified, Flags: model.Synthetic}
	if r.buf, ok = r.log.AppendBytes(r.buf[:0], k.object, o.version); ok {
		rec.Raw = r.buf
	}
	switch {
	case o.gone:
		rec.Type = model.Deleted
		if !ok {
			rec.Identity = r.log.Identity(k.object)
			ok = rec.Identity != model.Identity{}
		}
	case o.born:
		rec.Type = model.Added
	}
	return rec, ok
}

func compareKeys(a, b lostKey) int {
	return cmp.Or(cmp.Compare(a.object, b.object), cmp.Compare(a.stream, b.stream))
}

// sortedKeys makes the order on the tape that of the keys.
func sortedKeys[K comparable, V any](m map[K]V, compare func(a, b K) int) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compare)
	return keys
}

// span says when the recording of a tape begins or ends, which its events do not
// where nothing changes. It is no event.
func (r *Recorder) span(when time.Time, text string) error {
	if r.streams == 0 {
		return nil
	}
	r.events++
	r.dirty = true
	if when.After(r.newest) {
		r.newest = when
	}
	return r.w.Append(model.Record{Time: r.newest, Type: model.Noted, Detail: model.Note{Cause: causeSpan, Text: text}})
}

const (
	causeSpan model.Cause = "recording"
	// quiet is how long nothing happens before a tape says so.
	quiet = time.Second
)

// settle puts on the disk what was written, and looks after the files.
func (r *Recorder) settle() error {
	if r.events == 0 && !r.rotated && time.Since(r.opened) >= quiet {
		if err := r.span(r.opened, "the recording begins here"); err != nil {
			return err
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	if err := r.file.present(); err != nil {
		return err
	}
	return r.rotateIfDue()
}

func (r *Recorder) flush() error {
	if !r.dirty {
		return nil
	}
	if err := r.w.Flush(); err != nil {
		return err
	}
	size := r.w.Size()
	if err := r.file.synced(size); err != nil {
		return err
	}
	r.dirty = false
	r.mu.Lock()
	r.status.Safe, r.status.OnDisk = r.newest, r.status.Events
	r.sizes(size)
	r.mu.Unlock()
	r.trim(size)
	return nil
}

// sizes publishes the sizes, that of the running tape being size; r.mu is held.
func (r *Recorder) sizes(size int64) {
	before := r.status.Kept
	r.status.Kept = size
	for _, c := range r.closed {
		r.status.Kept += c.size
	}
	if grown := r.status.Kept - before; grown > 0 {
		r.status.Bytes += grown
	}
}

// trim deletes the oldest tapes of this recording while they have too much.
func (r *Recorder) trim(size int64) {
	total := size
	for _, c := range r.closed {
		total += c.size
	}
	for r.o.KeepSize > 0 && total > r.o.KeepSize && len(r.closed) > 0 {
		c := r.closed[0]
		r.closed = r.closed[1:]
		total -= c.size
		if err := os.Remove(c.path); err != nil && !errors.Is(err, os.ErrNotExist) {
			r.o.Say(fmt.Sprintf("%s cannot be deleted, and counts no more: %s", c.path, reason(err)))
			continue
		}
		r.mu.Lock()
		r.status.Deleted++
		r.status.Kept -= c.size
		r.mu.Unlock()
		r.o.Say(fmt.Sprintf("deleted %s, the oldest tape: together they may have %d bytes", c.path, r.o.KeepSize))
	}
}

// rotateIfDue begins the next tape if it is time.
func (r *Recorder) rotateIfDue() error {
	if !r.o.rotates() || r.events == 0 {
		return nil
	}
	// A tape begins with all that exists. One that is hardly more than that
	// would be only a copy of the one before.
	size := r.w.Size()
	full := r.o.MaxSize > 0 && size >= max(r.o.MaxSize, 2*r.start)
	old := r.o.MaxAge > 0 && time.Since(r.opened) >= r.o.MaxAge
	if !full && !old {
		return nil
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.rotate()
}

func (r *Recorder) rotate() error {
	if err := r.leftOut(); err != nil {
		return err
	}
	next, err := r.open()
	if err != nil {
		return err
	}
	old := r.file
	next.prior = old
	err = r.w.Next(next, r.newest)
	next.prior = nil
	if err != nil && next.err == nil { // it is the old one
		next.abandon()
		return err
	}
	r.file = next
	if old.synced(old.good) == nil {
		_ = old.out.Close()
	} else { // only its index is missing
		old.abandon()
		r.o.Say(fmt.Sprintf("%s was not closed in order: %s", old.path, reason(old.err)))
	}
	if err != nil {
		return err
	}
	size := int64(0)
	if info, err := os.Stat(old.path); err == nil {
		size = info.Size()
	}
	r.closed = append(r.closed, closedTape{old.path, size})
	r.events, r.opened, r.dirty, r.rotated = 0, time.Now(), true, true
	if err := r.flush(); err != nil {
		return err
	}
	r.start = r.w.Size()
	r.mu.Lock()
	r.status.Path = next.path
	r.status.Tapes++
	r.mu.Unlock()
	r.o.Say("begun " + next.path)
	return nil
}

// finish ends the tape in order.
func (r *Recorder) finish() error {
	empty := r.events == 0
	if empty {
		if err := r.span(r.opened, "the recording begins here"); err != nil {
			return err
		}
	}
	if empty || time.Since(r.active) >= quiet && time.Since(r.opened) >= quiet {
		if err := r.span(time.Now(), "the recording ends here"); err != nil {
			return err
		}
	}
	if err := r.leftOut(); err != nil {
		return err
	}
	if err := r.w.Close(); err != nil {
		return err
	}
	if err := r.file.synced(r.w.Size()); err != nil {
		return err
	}
	if err := r.file.present(); err != nil {
		return err
	}
	r.mu.Lock()
	r.status.Safe, r.status.OnDisk = r.newest, r.status.Events
	r.sizes(r.w.Size())
	r.mu.Unlock()
	return r.file.out.Close()
}

// fail ends the recording with what is whole of it.
func (r *Recorder) fail(err error) {
	// If it is not this file it can still be ended in order.
	if r.file.err == nil && r.w.Close() == nil && r.file.synced(r.w.Size()) == nil {
		_ = r.file.out.Close()
		r.mu.Lock()
		r.status.Safe, r.status.OnDisk = r.newest, r.status.Events
		r.mu.Unlock()
	} else {
		err = cmp.Or(r.file.err, err)
		r.file.abandon()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Failed = &Failure{Path: r.file.path, Cause: err, Safe: r.status.Safe}
}
