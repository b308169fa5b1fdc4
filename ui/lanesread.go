package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/belong"
	"rewatch/model/lanes"
	"rewatch/model/query"
)

// lanesReader works out what the page of lanes shows of one log, outside of the
// event loop and a slice of time after the other.
type lanesReader struct {
	log  *model.Log
	know *understanding

	mu   sync.Mutex // of what follows
	set  *lanes.Set
	list lanes.List
	of   listed // what list was made for
	// unsettled is whether rows had not been understood when it was, stale whether
	// there has been something new since; rest is until when that can wait.
	unsettled, stale bool
	rest             time.Time

	query *query.Query // whose objects are shown; nil is every one
	match *query.Matcher
	shown map[model.ObjectID]bool
	older model.Seq // rows from it on have been looked at, up to
	newer model.Seq
}

func newLanesReader(log *model.Log, know *understanding) *lanesReader {
	return &lanesReader{log: log, know: know, set: lanes.New(log, func(seq model.Seq) (folded, known bool) {
		v := know.verdicts.of(seq)
		return v.rule() > 0, v&real != 0
	})}
}

// lanesWant is what the page wants to show.
type lanesWant struct {
	window lanes.Window
	until  int64 // what comes later has not happened yet
	group  bool
	quiet  bool
	noise  bool
	query  *query.Query
	now    time.Time // of times in the query
	folds  int       // counts the changes of folded
	folded map[lanes.Key]bool

	lane   lanes.Key // under the cursor, with the row where it was
	row    int
	offset int // of that row on the screen
	height int
	at     int64 // the moment under the cursor
	step   int   // so many changes of that lane on from it
}

// same reports whether two show the same.
func (w lanesWant) same(v lanesWant) bool {
	return w.listed() == v.listed() && w.window.Column(w.until) == v.window.Column(v.until) && w.lane == v.lane && w.row == v.row && w.offset == v.offset &&
		w.height == v.height && w.at == v.at && w.step == 0
}

// listed is all that decides which lanes there are, besides the log.
type listed struct {
	window              lanes.Window
	group, quiet, noise bool
	query               *query.Query
	folds               int
}

func (w lanesWant) listed() listed {
	return listed{w.window, w.group, w.quiet, w.noise, w.query, w.folds}
}

// picture is an answer: what a frame is drawn of. It does not change.
type picture struct {
	want  lanesWant
	list  lanes.List
	row   int // of the lane under the cursor
	top   int // the first row on the screen
	first int // the row of cells[0]
	cells [][]lanes.Cell
	look  lanes.Look // at the lane under the cursor, at want.at
	at    int64      // where the steps wanted have led
	short bool       // there were fewer changes than steps
	// What is still to be done: rows to be read and judged by the filter, of
	// all in percent, and whether phases or the rest are to be worked out.
	percent int
	more    bool
	// unsettled is set while rows are still to be understood: owners may change,
	// and changes turn out to say nothing.
	unsettled bool
	next      model.Seq // the first row that was not read
	took      time.Duration
}

// draw works for a slice of time towards what is wanted.
func (x *lanesReader) draw(ctx context.Context, s model.Snapshot, w lanesWant) *picture {
	x.mu.Lock()
	defer x.mu.Unlock()
	begin := time.Now()
	more := func() bool { return time.Since(begin) < readSlice && ctx.Err() == nil }
	before := x.set.Next()
	read := x.set.Read(s, more)
	judged := x.judge(s, w, more)
	p := &picture{want: w, next: x.set.Next(), at: w.at, percent: 100}
	if n := s.Len(); !read && n > 0 {
		p.percent = int(100 * (x.set.Next() - s.First()) / model.Seq(n))
	} else if !judged && n > 0 {
		p.percent = int(100 * (x.newer - max(x.older, s.First())) / model.Seq(n))
	}
	x.set.All = w.noise
	late := x.enlist(w, before != x.set.Next() || !judged, read && judged)
	p.list = x.list
	x.step(p)
	p.unsettled = x.unsettled
	p.more = !x.fill(p, ctx) || late || !read || !judged
	x.look(p)
	p.took = time.Since(begin)
	return p
}

// enlist lists the lanes, if there is something new; while more is to come, for
// no more than a tenth of the time. It reports whether it has put that off.
func (x *lanesReader) enlist(w lanesWant, fresh, last bool) (late bool) {
	x.stale = x.stale || fresh || x.unsettled
	switch now := time.Now(); {
	case x.of == w.listed() && !x.stale:
		return false
	case x.of == w.listed() && !last && now.Before(x.rest):
		return true
	default:
		x.list = x.set.List(lanes.Choice{Window: w.window, Until: w.until, Group: w.group, Quiet: w.quiet, Shows: x.shows(), Folded: w.folded, Owners: x.know.ownersOf})
		x.of, x.stale, x.rest = w.listed(), false, now.Add((lanesRest+1)*time.Since(now))
	}
	x.unsettled = x.know.behind(x.set.Next())
	return false
}

// step goes to the changes wanted, and works out what the cursor is on.
func (x *lanesReader) step(p *picture) {
	w := p.want
	p.row = max(min(w.row, len(p.list.Rows)-1), 0)
	if p.row >= len(p.list.Rows) || p.list.Rows[p.row].Key() != w.lane {
		for i, r := range p.list.Rows {
			if k := r.Key(); k == w.lane || k.UID == w.lane.UID && k.UID != "" {
				p.row = i
				break
			}
		}
	}
	p.top = max(min(p.row-w.offset, len(p.list.Rows)-w.height), 0)
	if len(p.list.Rows) == 0 {
		return
	}
	id := p.list.Rows[p.row].Object
	for n := w.step; n != 0; n -= sign(n) {
		at, ok := x.set.Step(id, p.at, sign(n), w.until)
		if p.short = !ok; !ok {
			break
		}
		p.at = at
	}
	x.set.Fill(id, lanes.Window{First: w.window.First + int64(w.window.Column(p.at)), Cell: w.window.Cell, N: 1}, func() bool { return true })
}

// look says what the lane at the cursor is in, as far as its phases are worked out.
func (x *lanesReader) look(p *picture) {
	if p.row < len(p.list.Rows) {
		p.look = x.set.At(p.list.Rows[p.row].Object, p.at, p.want.window, p.want.until)
	}
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// fill draws the lanes on the screen and a page above and below them. It
// reports whether all their phases are worked out: those on the screen first.
func (x *lanesReader) fill(p *picture, ctx context.Context) (done bool) {
	h := p.want.height
	p.first = max(p.top-h, 0)
	last := min(p.top+2*h, len(p.list.Rows))
	begin, done := time.Now(), true
	more := func() bool { return time.Since(begin) < readSlice && ctx.Err() == nil }
	for i := p.top; i < last && done; i++ {
		done = x.set.Fill(p.list.Rows[i].Object, p.want.window, more)
	}
	for i := p.first; i < p.top && done; i++ {
		done = x.set.Fill(p.list.Rows[i].Object, p.want.window, more)
	}
	n := p.want.window.N
	all := make([]lanes.Cell, 0, n*(last-p.first))
	for i := p.first; i < last; i++ {
		all = x.set.Cells(all, p.list.Rows[i].Object, p.want.window, p.want.until)
		p.cells = append(p.cells, all[len(all)-n:])
	}
	return done
}

// judge looks for objects that the filter shows a row of, the newest rows first.
// It reports whether it has looked at all rows.
func (x *lanesReader) judge(s model.Snapshot, w lanesWant, more func() bool) (done bool) {
	if w.query != x.query {
		x.query, x.match, x.shown = w.query, nil, nil
		if w.query != nil {
			x.match = w.query.Compile(x.log, query.Options{Now: w.now})
			x.shown = map[model.ObjectID]bool{}
			x.older, x.newer = s.End(), s.End()
		}
	}
	if x.query == nil {
		return true
	}
	look := func(seq model.Seq) {
		if e := s.At(seq); e.Type.IsObject() && !x.shown[e.Object] && x.match.Holds(e) {
			x.shown[e.Object] = true
		}
	}
	x.newer = max(x.newer, s.First())
	for ; x.newer < s.End(); x.newer++ {
		if look(x.newer); x.newer%8 == 7 && !more() {
			return false
		}
	}
	for x.older > s.First() {
		x.older--
		if look(x.older); x.older%8 == 7 && !more() {
			return false
		}
	}
	return true
}

func (x *lanesReader) shows() func(model.ObjectID) bool {
	if x.query == nil {
		return nil
	}
	return func(id model.ObjectID) bool { return x.shown[id] }
}

// ownersOf says whom objects belong to, as far as rows have been read.
func (u *understanding) ownersOf(ask []model.ObjectID, answer func(int, belong.Link)) (upTo model.Seq) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for i, id := range ask {
		if l, ok := lanes.OwnerOf(u.belong.Links(id)); ok {
			answer(i, l)
		}
	}
	return u.next
}

// behind reports whether rows before one have not been read.
func (u *understanding) behind(seq model.Seq) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.next < seq
}

// lanesRest is how much longer a picture is looked at than it takes to make,
// where it is only time that has passed or rows that have come.
const lanesRest = 9

// rested says that a picture has been looked at for long enough.
type rested struct{}

// lack asks for another picture: at once when something else is wanted, after a
// rest when there is more to read or rows have come.
func (p *lanesPage) lack(a *App) tea.Cmd {
	if p.reader == nil || p.reader.log != a.log {
		p.begin(a)
	}
	if p.place(a.lay.page.body()); p.busy {
		return nil
	}
	w := p.want(a)
	rest := readRest
	switch v := p.asked; {
	case p.pic == nil || w.listed() != v.listed() || w.lane != v.lane || w.at != v.at && !p.follow || w.step != 0 || w.height != v.height || w.offset != v.offset:
		return p.ask(a, w)
	case p.pic.more:
	case p.pic.next < a.timeline.snap.End() || !w.same(v), p.pic.unsettled && a.readNext != p.readTo:
		rest = min(max(lanesRest*p.pic.took, time.Second/30), 2*time.Second)
	default:
		return nil
	}
	switch {
	case p.due:
		return p.ask(a, w)
	case p.resting:
		return nil
	}
	p.resting = true
	request, ctx := p.request, p.ctx
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
		return pageMsg{to: p, request: request, data: rested{}}
	}
}

// ask asks for a picture.
func (p *lanesPage) ask(a *App, w lanesWant) tea.Cmd {
	p.busy, p.resting, p.due, p.asked = true, false, false, w
	p.steps, p.readTo = 0, a.readNext
	p.request++
	request, x, s, ctx := p.request, p.reader, a.timeline.snap, p.ctx
	return func() tea.Msg { return pageMsg{to: p, request: request, data: x.draw(ctx, s, w)} }
}
