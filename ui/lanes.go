package ui

import (
	"context"
	"maps"
	"sort"
	"time"

	"rewatch/model"
	"rewatch/model/lanes"
)

// lanesPage is the page of lanes: a row for each object, time across. It holds
// where one looks; what there is to see is a picture that a reader makes outside
// of the event loop, and frames are drawn of that.
type lanesPage struct {
	ctx    context.Context
	cancel context.CancelFunc
	reader *lanesReader

	pic     *picture // nil before the first
	drawn   drawnLanes
	lines   []string // of what was drawn last
	asked   lanesWant
	request int
	busy    bool // a picture is being made
	resting bool // the next one is not yet due
	due     bool
	readTo  model.Seq // rows before had been understood when it was asked for

	width, height int // columns of time, rows of lanes
	head, foot    int // lines above and below them
	side          int // width of the column of names
	scale         int // in laneScales
	first         int64
	fit           bool // all that is held is to fit in
	follow        bool // the cursor is at the clock, and so is the window
	at            int64
	steps         int // so many changes of the lane on from there
	frozen        int64

	lane     lanes.Key
	row, top int
	flat     bool
	quiet    bool
	folded   map[lanes.Key]bool
	folds    int
}

// recentLanes is what is shown first of a long log.
const recentLanes = 15 * time.Minute

func openLanes(a *App) page {
	p := &lanesPage{follow: true, fit: true, folded: map[lanes.Key]bool{}}
	p.begin(a)
	if e, ok := a.timeline.selected(); ok && !a.timeline.follow && e.Type.IsObject() && a.timeline.folded(e) == nil {
		p.lane = lanes.Key{Object: e.Object, UID: a.log.Identity(e.Object).UID}
		p.follow, p.at = false, e.Time
	}
	return p
}

// begin reads a log from its start: the first one, or another one after a jump
// of a replay, of which the picture of the old one is shown until then.
func (p *lanesPage) begin(a *App) {
	p.close()
	p.ctx, p.cancel = context.WithCancel(a.ctx)
	p.reader = newLanesReader(a.log, a.timeline.know)
	p.busy, p.resting, p.due, p.asked = false, false, false, lanesWant{}
	p.request++
	if a.replay != nil && p.pic != nil {
		p.follow = true // a jump is where one wants to be
	}
}

func (p *lanesPage) close() {
	if p.cancel != nil {
		p.cancel()
	}
}

func (p *lanesPage) take(a *App, m pageMsg) {
	if m.request != p.request {
		return
	}
	switch d := m.data.(type) {
	case rested:
		p.resting, p.due = false, true
	case *picture:
		p.busy = false
		if p.row-p.top == d.want.offset && p.lane == d.want.lane {
			p.row, p.top = d.row, d.top
			if d.row < len(d.list.Rows) {
				p.lane = d.list.Rows[d.row].Key()
				p.asked.lane = p.lane
			}
			p.asked.row, p.asked.offset = p.row, p.row-p.top
		}
		if p.pic = d; d.want.step != 0 {
			p.stepped(a, d)
		}
	}
}

// stepped goes to where a step from change to change has led.
func (p *lanesPage) stepped(a *App, d *picture) {
	if d.short {
		a.say(map[bool]string{true: "this lane has no change after this one", false: "this lane has no change before this one"}[d.want.step > 0])
	}
	if d.at != d.want.at {
		p.goTo(a, d.at)
	}
}

// goTo moves the cursor to a moment, and the window along if it must.
func (p *lanesPage) goTo(a *App, at int64) {
	w := p.window(a)
	p.at, p.follow = max(min(at, p.until(a)), 0), false
	switch c := w.Column(p.at); {
	case c < 0:
		p.first, p.fit = w.First+int64(c)-int64(w.N/8), false
	case c >= w.N:
		p.first, p.fit = w.First+int64(c-w.N+1)+int64(w.N/8), false
	default:
		p.first = w.First
	}
}

// until is the end of what has happened: the clock, or where it was when the
// screen was paused.
func (p *lanesPage) until(a *App) int64 {
	if s := a.timeline.snap; !a.paused || p.frozen == 0 {
		p.frozen = a.now.UnixNano()
		if s.Len() > 0 {
			p.frozen = max(p.frozen, s.At(s.End()-1).Time)
		}
	}
	return p.frozen
}

// window is what is looked at.
func (p *lanesPage) window(a *App) lanes.Window {
	until := p.until(a)
	n := max(p.width, 1)
	if p.fit {
		from := until
		if s := a.timeline.snap; s.Len() > 0 {
			from = min(until, s.At(s.First()).Time)
		}
		if p.pic == nil && p.follow {
			from = max(from, until-int64(recentLanes))
		}
		p.scale = fitScale(until-from, n-1-ahead(n))
		p.first = from / laneScales[p.scale]
		if p.pic == nil && p.follow && from == until-int64(recentLanes) {
			p.fit = false
		}
	}
	w := lanes.Window{First: p.first, Cell: laneScales[p.scale], N: n}
	if p.follow && !p.fit {
		w.First = until/w.Cell - int64(n-1-ahead(n))
	}
	p.first = w.First
	return w
}

// ahead is how many columns are kept free to the right of the clock.
func ahead(n int) int { return n / 20 }

// want is what is to be shown now.
func (p *lanesPage) want(a *App) lanesWant {
	w := lanesWant{window: p.window(a), until: p.until(a), group: !p.flat, quiet: p.quiet, noise: a.timeline.noise, query: a.filter.query,
		now: a.now.In(a.o.Location), folds: p.folds, folded: p.folded, lane: p.lane, row: p.row, offset: p.row - p.top, height: p.height, at: p.at, step: p.steps}
	if p.follow {
		w.at = w.until
	}
	return w
}

// rows are the lanes in the list.
func (p *lanesPage) rows() []lanes.Row {
	if p.pic == nil {
		return nil
	}
	return p.pic.list.Rows
}

// selected is the lane under the cursor.
func (p *lanesPage) selected() (lanes.Row, bool) {
	if rows := p.rows(); p.row < len(rows) {
		return rows[p.row], true
	}
	return lanes.Row{}, false
}

func (p *lanesPage) move(_ *App, n int) {
	rows := p.rows()
	if len(rows) == 0 {
		return
	}
	p.row = max(min(p.row+n, len(rows)-1), 0)
	p.lane = rows[p.row].Key()
	p.settle()
}

// settle keeps the lane under the cursor in sight.
func (p *lanesPage) settle() {
	p.top = max(min(p.top, p.row, len(p.rows())-p.height), p.row-p.height+1, 0)
}

func (p *lanesPage) edge(a *App, dir int) { p.move(a, dir*len(p.rows())) }

// shift moves the cursor by columns, and the window when the cursor is at its
// border.
func (p *lanesPage) shift(a *App, n int) {
	w := p.window(a)
	c := max(w.Column(p.cursor(a))+n, -1<<30)
	p.goTo(a, w.Start(c+1)-1)
}

// pan moves the window, and the cursor with it.
func (p *lanesPage) pan(a *App, n int) {
	w := p.window(a)
	at := p.cursor(a) + int64(n)*w.Cell
	p.fit, p.follow = false, false
	p.first = min(w.First+int64(n), p.until(a)/w.Cell)
	p.at = min(max(at, p.first*w.Cell), p.until(a))
}

// zoom changes the scale; the moment under the cursor stays where it is.
func (p *lanesPage) zoom(a *App, n int) {
	w := p.window(a)
	at := p.cursor(a)
	c := w.Column(at)
	p.scale = max(min(p.scale+n, len(laneScales)-1), 0)
	p.fit = false
	p.first = at/laneScales[p.scale] - int64(c)
}

// cursor is the moment under the cursor.
func (p *lanesPage) cursor(a *App) int64 {
	if p.follow {
		return p.until(a)
	}
	return p.at
}

func (p *lanesPage) fitAll() { p.fit = true }

func (p *lanesPage) toggleFollow(a *App) {
	if p.follow = !p.follow; !p.follow {
		p.at = p.until(a)
	}
}

// fold folds what belongs to the lane under the cursor, or to its owner.
func (p *lanesPage) fold() {
	r, ok := p.selected()
	if !ok {
		return
	}
	rows, i := p.rows(), p.row
	for r.Below == 0 && i > 0 && r.Depth > 0 {
		for i--; i > 0 && rows[i].Depth >= r.Depth; i-- {
		}
		r = rows[i]
	}
	if r.Below == 0 {
		return
	}
	p.folded = maps.Clone(p.folded)
	p.folded[r.Key()] = !r.Folded
	p.folds++
	p.lane, p.row = r.Key(), i
	p.settle()
}

// foldAll folds all trees, or unfolds them if any is folded.
func (p *lanesPage) foldAll() {
	folded, some := map[lanes.Key]bool{}, false
	for _, r := range p.rows() {
		some = some || r.Folded
		if r.Depth == 0 && r.Below > 0 {
			folded[r.Key()] = true
		}
	}
	if some {
		folded = map[lanes.Key]bool{}
	}
	p.folded = folded
	p.folds++
}

func (p *lanesPage) hasLane() (bool, string) {
	r, ok := p.selected()
	switch {
	case !ok:
		return false, "no lane"
	case r.Object == 0:
		return false, "the log does not have this owner: it is not watched"
	}
	return true, ""
}

// open opens the object as it was at the moment under the cursor.
func (p *lanesPage) open(a *App) {
	r, _ := p.selected()
	seq, ok := versionUntil(a.log, r.Object, p.cursor(a))
	if !ok {
		a.say("no version of that moment is held")
		return
	}
	p.busy, p.resting, p.due = false, false, false
	p.request++ // answers on their way do not reach a page that is left
	a.leavePage(r.Object, seq)
}

// versionUntil is the row that brought the version of an object at a moment,
// noRow for the only one held of an object that has not changed since; ok is
// false if that version is not held.
func versionUntil(log *model.Log, id model.ObjectID, at int64) (seq model.Seq, ok bool) {
	s := log.Snapshot()
	oldest, newest := log.Versions(id)
	row := func(v uint32) (model.Event, bool) {
		seq, ok := log.VersionSeq(id, v)
		if !ok || seq < s.First() || seq >= s.End() {
			return model.Event{}, false
		}
		return s.At(seq), true
	}
	n := sort.Search(int(newest-oldest)+1, func(i int) bool {
		e, held := row(oldest + uint32(i))
		return held && e.Time > at
	})
	if newest == 0 || n == 0 {
		return noRow, false
	}
	if e, held := row(oldest + uint32(n) - 1); held {
		return e.Seq, true
	}
	return noRow, newest == oldest
}

// click puts the cursor on a lane and a moment; what follows drags time along.
func (p *lanesPage) click(a *App, x, y int) {
	if i := p.top + y - p.head; y >= p.head && y < p.head+p.height && i < len(p.rows()) {
		p.move(a, i-p.row)
	}
	from := p.side
	if x < from || p.pic == nil {
		return
	}
	w := p.window(a)
	p.goTo(a, min(w.Start(x-from+1)-1, p.until(a)))
	a.drag = func(to, _ int) {
		p.first, p.fit, p.follow = w.First-int64(to-a.lay.page.x-x), false, false
	}
}
