package tape

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"rewatch/model"
)

// CauseDamaged is the cause of the gap where a repaired tape was damaged.
const CauseDamaged model.Cause = "tape-damaged"

// Repaired says what a repair found and did.
type Repaired struct {
	Records int64     // that were copied
	Damages []*Damage // of the tape that was repaired
	Missing int64     // records known to be lost; there may be more
	// Restored is how many changes were made up, marked synthetic, so that the
	// state behind a damage is what the next checkpoint says.
	Restored int64
}

// Repair writes what survives of a tape as a new one that is whole. What is lost
// is on it as a gap in each stream that it may have been of. Behind a damage the
// state of the cluster is not known until the next checkpoint; what differs
// there is written as synthetic changes, as after a list.
//
// Records come out as they are; the state that the tape begins with, too.
// Errors are those of Reader.Next and of the Writer.
func Repair(t *Tape, out io.Writer) (*Repaired, error) {
	x := &repair{t: t, out: &Repaired{}, rv: map[model.StreamID]string{}, whole: true}
	x.w = NewWriter(out, t.info.Header, Options{AlreadyRedacted: true})
	for _, s := range t.info.Streams {
		x.w.AddStream(s)
	}
	var err error
	if x.r, err = t.reader(0).skipUntil(math.MinInt64); err != nil {
		return nil, err
	}
	if x.last = t.info.From; x.last.IsZero() {
		x.last = t.info.Created
	}
	if err := x.begin(); err != nil {
		return nil, err
	}
	for _, d := range x.r.missed {
		if err := x.damage(d); err != nil {
			return nil, err
		}
	}
	if err := x.copy(); err != nil {
		return nil, err
	}
	return x.out, x.w.Close()
}

type repair struct {
	t     *Tape
	r     *Reader
	w     *Writer
	out   *Repaired
	last  time.Time // of the newest record
	rv    map[model.StreamID]string
	whole bool // the Writer's state is that of the tape
	loss  loss // the running one
}

// loss is what one damage costs, to the checkpoint behind it.
type loss struct {
	since   time.Time
	told    map[model.StreamID]bool // streams with a gap for it
	records int
	more    bool // than the records that are known
}

// begin begins the tape with the state that the old one begins with.
func (x *repair) begin() error {
	live := 0
	for _, err := range x.r.Objects() {
		var d *Damage
		if errors.As(err, &d) {
			x.r.missed = append(x.r.missed, unknown(d))
			continue
		}
		if err != nil {
			return err
		}
		live++
	}
	return x.w.Begin(x.last, x.r.Streams(), live, func(yield func(Object) bool) {
		for o, err := range x.r.Objects() {
			if err == nil && !yield(o) {
				return
			}
		}
	})
}

// copy copies the records, one by one.
func (x *repair) copy() error {
	var buf []byte
	for {
		e, err := x.r.Next()
		var d *Damage
		switch {
		case err == io.EOF:
			return x.over(x.last, "what exists here may differ from what is shown")
		case errors.As(err, &d):
			err = x.damage(d)
		case err == nil:
			if !x.whole && x.r.whole {
				// Its views do not outlive looking at other objects.
				e.Raw, e.Identity, e.RV = bytes.Clone(e.Raw), cloneIdentity(e.Identity), strings.Clone(e.RV)
				if err := x.restore(e); err != nil {
					return err
				}
				if err := x.over(e.Time, "from here on the state is known again"); err != nil {
					return err
				}
			}
			buf, err = x.record(e, buf[:0])
		}
		if err != nil {
			return err
		}
	}
}

func (x *repair) record(e *Entry, buf []byte) ([]byte, error) {
	x.out.Records++
	x.last = e.Time
	if e.RV != "" {
		x.rv[e.Stream] = strings.Clone(e.RV) // a view
	}
	if e.Lost > 0 {
		g := e.Detail.(model.Gap) // of the format
		return buf, x.w.Lost(e.Time, e.Stream, e.Lost, g.FromRV, g.ToRV)
	}
	if !e.enveloped {
		return buf, x.w.Append(e.Record)
	}
	buf = e.AppendFrame(buf)
	return buf, x.w.AppendFrame(e.Record, buf)
}

// damage writes a gap to each stream that a damage may be about, unless one
// before it did, whose loss still goes on.
func (x *repair) damage(d *Damage) error {
	x.out.Damages = append(x.out.Damages, d)
	if d.Records == 0 || len(x.t.info.Streams) == 0 {
		return nil
	}
	if x.loss.told == nil {
		x.loss = loss{since: x.last, told: map[model.StreamID]bool{}}
	}
	x.out.Missing += int64(max(d.Records, 0))
	x.loss.records += max(d.Records, 0)
	x.loss.more = x.loss.more || d.Records < 0
	if d.Size > 0 || !x.r.whole {
		x.whole = false
	}
	for _, s := range x.affected(d) {
		if x.loss.told[s] {
			continue
		}
		x.loss.told[s] = true
		g := model.Gap{FromRV: x.rv[s], Since: x.last, Cause: CauseDamaged,
			Text: fmt.Sprintf("the tape was damaged at byte %d, changes are lost: %s", d.Offset, d.Text)}
		if err := x.w.Append(model.Record{Time: x.last, Stream: s, Type: model.GapFound, Detail: g}); err != nil {
			return err
		}
	}
	return nil
}

// unknown is a damage of which it is not known what it costs.
func unknown(d *Damage) *Damage {
	return &Damage{Offset: d.Offset, Size: d.Size, Records: -1, Text: d.Text}
}

// over notes the end of a loss, and what it cost.
func (x *repair) over(when time.Time, how string) error {
	if x.loss.told == nil {
		return nil
	}
	number := fmt.Sprintf("%d records are lost", x.loss.records)
	if x.loss.more {
		number = fmt.Sprintf("at least %d records are lost", x.loss.records)
	}
	text := fmt.Sprintf("repaired: of the %v before this %s; %s", when.Sub(x.loss.since).Round(time.Millisecond), number, how)
	x.loss = loss{}
	return x.w.Append(model.Record{Time: when, Type: model.Noted, Detail: model.Note{Text: text}})
}

// affected are the streams with records in the damaged data frame, or all.
func (x *repair) affected(d *Damage) []model.StreamID {
	for i := range x.t.parts {
		if p := &x.t.parts[i]; p.damage == nil && p.offset == d.Offset && p.text == nil && len(p.Active) > 0 && x.known(p.Active) {
			return p.Active
		}
	}
	all := make([]model.StreamID, len(x.t.info.Streams))
	for i := range all {
		all[i] = model.StreamID(i)
	}
	return all
}

func (x *repair) known(streams []model.StreamID) bool {
	for _, s := range streams {
		if s < 0 || int(s) >= len(x.t.info.Streams) {
			return false
		}
	}
	return true
}

// restore makes the Writer's state that of the Reader, which has come to a
// checkpoint and read one record behind it, next.
func (x *repair) restore(next *Entry) error {
	mine := key{}
	if next.Type.IsObject() {
		mine = keyOf(next.Stream, next.Identity)
	}
	exist := map[key]bool{mine: true}
	all := true
	for o, err := range x.r.Objects() {
		var d *Damage
		if errors.As(err, &d) { // it cannot be told which one it is
			all = false
			if err := x.damage(unknown(d)); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		k := keyOf(o.Stream, o.Identity)
		if k == mine {
			continue
		}
		k = keyOf(o.Stream, cloneIdentity(o.Identity))
		exist[k] = true
		r := model.Record{Time: next.Time, Stream: o.Stream, Type: model.Modified, Flags: model.Synthetic, Raw: o.Raw}
		known := x.w.objects[k]
		if known == nil {
			r.Type = model.Added
		} else if old, err := x.w.texts.of(known); err != nil {
			return err
		} else if string(old) == string(o.Raw) {
			continue
		}
		x.out.Restored++
		if err := x.w.Append(r); err != nil {
			return err
		}
	}
	x.whole = true
	if !all {
		return nil
	}
	return x.remove(next.Time, exist)
}

// remove deletes what exists no more.
func (x *repair) remove(when time.Time, exist map[key]bool) error {
	var gone []*object
	for k, o := range x.w.objects {
		if !exist[k] {
			gone = append(gone, o)
		}
	}
	slices.SortFunc(gone, func(a, b *object) int { return cmp.Compare(a.num, b.num) })
	for _, o := range gone {
		raw, err := x.w.texts.of(o)
		if err != nil {
			return err
		}
		id, rv := identify(&x.t.info.Streams[o.stream], raw)
		x.out.Restored++
		if err := x.w.Append(model.Record{Time: when, Stream: o.stream, Type: model.Deleted, Flags: model.Synthetic,
			Identity: cloneIdentity(id), RV: strings.Clone(rv)}); err != nil {
			return err
		}
	}
	return nil
}
