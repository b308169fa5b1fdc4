package ui

import (
	"time"

	"rewatch/model"
	"rewatch/model/query"
	"rewatch/themes"
)

// timeline is the virtual list of rows: it holds positions, a window and two
// caches, never the rows themselves. What it costs depends on the rows shown.
type timeline struct {
	log *model.Log
	loc *time.Location
	st  *themes.Styles

	snap     model.Snapshot
	index    *index
	building *index // takes the place of index when it has seen all rows
	scanning bool   // index or building have not seen all rows yet

	query     *query.Query // what is to be shown; nil is every row
	noise     bool         // whether all rows are
	grouping  grouping     // what a row stands for
	search    *search      // what lists them, if that takes long
	signs     *bool        // see line.signs
	searching bool         // a command takes a step of it
	sought    bool         // it has looked at all rows
	listed    *search      // the one that the rows listed are of
	percent   int          // of them
	problem   string       // what rows could not be judged
	anchor    model.Seq    // the row that was under the cursor when it began; noRow is none
	lift      int          // how many rows below the first one shown it was
	memory    *memory      // of searches of this log
	know      *understanding
	tallies   map[model.Seq]tally // of a copy that rows are read from outside of the event loop; nil otherwise

	cursor  int // position in the index
	top     int // position of the first row shown
	height  int // rows shown
	follow  bool
	focused bool
	// Of a replay: how many rows the tape has before those held, -1 for some,
	// and whether they have been asked for.
	earlier  int64
	fetching bool

	waits waits
	cols  columns
	how   shown
	all   *overall // for the names of streams
	rows  recent[rowKey, string]
	infos recent[model.Seq, rowInfo]
}

// rowKey is all that the text of a row depends on, besides the columns and the
// theme: those empty the cache when they change.
type rowKey struct {
	seq      model.Seq
	selected uint8
	folded   int
	group    tally
	info     bool
	mark     verdict // of a fight, flap or loop
	left     bool    // nobody watches its object any more
	now      int64   // what times are counted from
}

func newTimeline(log *model.Log, loc *time.Location, st *themes.Styles, all *overall) timeline {
	snap := log.Snapshot()
	return timeline{log: log, loc: loc, st: st, all: all, snap: snap, follow: true, focused: true,
		index:  newIndex(nil, false, snap.First(), all.host),
		memory: newMemory(), anchor: noRow,
		rows: newRecent[rowKey, string](1024), infos: newRecent[model.Seq, rowInfo](4096)}
}

// extend takes a newer snapshot in.
func (t *timeline) extend(s model.Snapshot) {
	at, ok := t.selected()
	offset, out := t.cursor-t.top, t.index.repeats.n
	t.snap = s
	t.scanning = !t.index.extend(s)
	if ok && !t.follow && (t.index.repeats.n > out || t.index.groups != nil) { // rows before may have moved to the end
		t.cursor = t.index.place(at)
		t.top = t.cursor - offset
	}
	if t.building != nil {
		if t.building.extend(s) {
			t.swap()
		} else {
			t.scanning = true
		}
	}
	t.settle()
}

// swap shows the new index, keeping the row under the cursor where it is as
// far as it is still shown.
func (t *timeline) swap() {
	at, ok := t.selected()
	offset := t.cursor - t.top
	t.index, t.building = t.building, nil
	t.rows.clear()
	if t.anchor != noRow {
		at, ok, offset = t.rowOf(t.anchor), true, t.lift // what is shown may be nothing at all
	}
	if ok && !t.follow {
		t.cursor = t.index.place(at)
		t.top = t.cursor - offset
	}
}

// rowOf is a row by its number, with nothing but that if it has left the log.
func (t *timeline) rowOf(seq model.Seq) model.Event {
	if seq < t.snap.First() || seq >= t.snap.End() {
		return model.Event{Seq: seq}
	}
	return t.snap.At(seq)
}

// low is the position of the first line: of the row that tells of earlier ones,
// if there are any.
func (t *timeline) low() int {
	if t.earlier != 0 {
		return t.index.first() - 1
	}
	return t.index.first()
}

// atFirst reports whether the cursor is on the first row.
func (t *timeline) atFirst() bool { return t.cursor <= t.index.first() }

// settle makes cursor and window agree with the index and with each other.
func (t *timeline) settle() {
	first, end := t.index.first(), t.index.end()
	if t.follow {
		t.cursor = end - 1
		t.top = end - t.height
	}
	t.cursor = max(min(t.cursor, end-1), first)
	t.top = max(min(t.top, t.cursor), t.cursor-t.height+1)
	t.top = max(min(t.top, end-t.height), t.low())
	if t.cursor == first && t.height > 1 {
		t.top = t.low()
	}
}

// none reports whether nothing is listed. Then keys that move the cursor do
// nothing: who takes a filter back comes back to where that began.
func (t *timeline) none() bool { return t.index.end() == t.index.first() }

// move moves the cursor; upwards ends following.
func (t *timeline) move(n int) {
	if t.none() {
		return
	}
	if n < 0 {
		t.follow = false
	}
	t.anchor = noRow
	t.cursor += n
	t.settle()
}

// scroll moves the window and takes the cursor along where it must.
func (t *timeline) scroll(n int) {
	if t.none() {
		return
	}
	if n < 0 {
		t.follow = false
	}
	t.anchor = noRow
	t.top += n
	t.top = max(min(t.top, t.index.end()-t.height), t.low())
	t.cursor = max(min(t.cursor, t.top+t.height-1), t.top)
	t.settle()
}

// edge goes to the first row, or to the last and follows.
func (t *timeline) edge(dir int) {
	if dir < 0 && t.none() {
		return
	}
	t.follow, t.anchor = dir > 0, noRow
	if dir < 0 {
		t.cursor = t.index.first()
	}
	t.settle()
}

// selected returns the row under the cursor.
func (t *timeline) selected() (model.Event, bool) {
	if t.cursor < t.index.first() || t.cursor >= t.index.end() {
		return model.Event{}, false
	}
	return t.event(t.cursor)
}

// event returns the row at a position; ok is false if it has left the log.
func (t *timeline) event(pos int) (model.Event, bool) {
	seq := t.index.at(pos)
	if seq < t.snap.First() || seq >= t.snap.End() {
		return model.Event{}, false
	}
	return t.snap.At(seq), true
}

// window calls f for each row shown.
func (t *timeline) window(f func(pos int, e model.Event)) {
	for pos := max(t.top, t.index.first()); pos < min(t.top+t.height, t.index.end()); pos++ {
		if e, ok := t.event(pos); ok {
			f(pos, e)
		}
	}
}

// missing lists the rows shown whose text must still be worked out.
func (t *timeline) missing() []model.Event {
	var out []model.Event
	t.window(func(_ int, e model.Event) {
		if !e.Type.IsObject() || t.folded(e) != nil {
			return
		}
		if _, ok := t.infos.get(e.Seq); !ok {
			out = append(out, e)
		}
	})
	return out
}

func (t *timeline) folded(e model.Event) *fold { return t.index.folds[e.Seq] }

// markOf is what a row is a part of that goes to and fro.
func (t *timeline) markOf(seq model.Seq) verdict {
	return t.know.verdicts.of(seq) & (ofFight | ofFlap | ofLoop)
}

// resize fits the timeline into a rectangle.
func (t *timeline) resize(r rect, contexts bool) {
	t.height = r.h
	if cols := newColumns(r.w, contexts, t.how.set, t.how.mode); cols != t.cols {
		t.cols = cols
		t.rows.clear()
	}
	t.settle()
}

// restyle changes the theme.
func (t *timeline) restyle() { t.rows.clear() }

// draw returns the rows of the rectangle last given to resize.
func (t *timeline) draw() []string {
	out := make([]string, 0, t.height)
	if t.top < t.index.first() && t.height > 0 {
		out = append(out, t.before())
	}
	t.window(func(pos int, e model.Event) {
		k := rowKey{seq: e.Seq, now: t.how.key()}
		f := t.folded(e)
		if f != nil {
			k.folded = f.changes
		}
		k.group = t.tallyOf(e.Seq)
		if pos == t.cursor {
			if k.selected = 1; t.focused {
				k.selected = 2
			}
		}
		info, ok := t.infos.get(e.Seq)
		k.info = ok
		k.mark = t.markOf(e.Seq)
		k.left = t.unfollowed(e)
		s, ok := t.rows.get(k)
		if !ok {
			s = t.groupRow(e, f, info, k)
			t.rows.put(k, s)
		}
		out = append(out, s)
	})
	out = append(out, t.rest(t.height-len(out))...)
	for blank := newLine("").end(t.cols.w); len(out) < t.height; {
		out = append(out, blank)
	}
	return out
}

// before is the row that tells of rows that the tape has and the log has not.
func (t *timeline) before() string {
	l := newLine("")
	text := "earlier events on the tape"
	if t.earlier > 0 {
		text = plural(t.earlier, "earlier event") + " on the tape"
	}
	if t.fetching {
		text = "fetching " + text + "…"
	} else {
		text += " (↑ at the top fetches some)"
	}
	l.glyphs(t.st.Rule, " ── ", 4)
	l.upTo(t.st.Info, text, t.cols.w-l.w-1)
	l.glyphs("", " ", 1)
	l.fill(t.st.Rule, "─", t.cols.w)
	return l.end(t.cols.w)
}
