package ui

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/belong"
	"rewatch/model/fights"
	"rewatch/model/health"
	"rewatch/model/noise"
)

// understanding is what the rows of one log mean, read in order and a little at
// a time outside of the event loop: what belongs together, what goes to and fro,
// what says nothing. After a jump of a replay another log is read anew.
//
// What it holds is bounded by the log: links are pruned as their objects leave
// it, a verdict takes two bytes for each row held, the detector remembers a
// limited number of paths and findings.
type understanding struct {
	log      *model.Log
	rules    atomic.Pointer[ruleSet]
	verdicts verdicts
	owners   owners

	mu      sync.Mutex // of what follows
	next    model.Seq  // the first row that was not read
	again   model.Seq  // the first row that the newest rules have not judged; noRow is none
	belong  *belong.Index
	fights  *fights.Detector
	health  *health.Book
	watched watched
}

func newUnderstanding(log *model.Log, list []noise.Rule) *understanding {
	u := &understanding{log: log, again: noRow, belong: belong.New(log), fights: fights.New(log), health: health.New(log), watched: watched{}}
	set, err := newRuleSet(list, len(list))
	if err != nil {
		set = &ruleSet{rules: &noise.Rules{}, own: &noise.Rules{}} // whoever reads them from a file checks them
	}
	u.rules.Store(set)
	return u
}

// verdict is what is known of a row: 0 nothing, real that it is to be shown,
// otherwise 1 + the number of the rule that folds it. The highest bits say what
// the row is part of.
type verdict uint16

const (
	real    verdict = 0x0fff
	ofFight verdict = 0x8000
	ofFlap  verdict = 0x4000
	ofLoop  verdict = 0x2000
)

// rule is the number of the rule that folds a row, from 1; 0 is none.
func (v verdict) rule() int {
	if v &= real; v == real {
		return 0
	}
	return int(v)
}

// verdicts holds a verdict for each row of a log. It may be used from any
// goroutine.
type verdicts struct {
	mu    sync.RWMutex
	first model.Seq
	list  []verdict
}

func (v *verdicts) of(seq model.Seq) verdict {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if i := seq - v.first; seq >= v.first && i < model.Seq(len(v.list)) {
		return v.list[i]
	}
	return 0
}

// add adds to what is known of a row.
func (v *verdicts) add(seq model.Seq, x verdict) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.list) == 0 {
		v.first = seq
	}
	if seq < v.first {
		v.list = slices.Insert(v.list, 0, make([]verdict, v.first-seq)...)
		v.first = seq
	}
	if n := int(seq-v.first) + 1 - len(v.list); n > 0 {
		v.list = append(v.list, make([]verdict, n)...)
	}
	v.list[seq-v.first] |= x
}

// end is one past the newest row of which something is known.
func (v *verdicts) end() model.Seq {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.first + model.Seq(len(v.list))
}

// forget drops the rows before one.
func (v *verdicts) forget(first model.Seq) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := int(min(max(first, v.first)-v.first, model.Seq(len(v.list)))); n > 1<<16 {
		v.list = slices.Clone(v.list[n:])
		v.first += model.Seq(n)
	}
}

// rule is the number of the rule that folds a row, from 1; 0 is none. It keeps
// what it finds out.
func (u *understanding) rule(e model.Event, c *change) int {
	if v := u.verdicts.of(e.Seq); v&real != 0 {
		return v.rule()
	}
	v := real
	if r := u.rules.Load().judge(e, c); r > 0 {
		v = verdict(r)
	}
	u.verdicts.add(e.Seq, v)
	return v.rule()
}

// How much of a processor reading may take: a slice of work, then a rest, a
// longer one while rows come faster than they are read.
const (
	readSlice = 8 * time.Millisecond
	readRest  = 2 * time.Millisecond
	stormRest = 30 * time.Millisecond
)

// readMsg says which rows have been read.
type readMsg struct {
	u        *understanding
	from, to model.Seq
	next     model.Seq        // the first row that was not read
	again    bool             // there are rows before that newer rules have to judge
	findings []fights.Finding // all that are kept; nil if nothing is new
	dropped  int              // findings that are not
}

// read reads rows of a snapshot for a while.
func (u *understanding) read(ctx context.Context, s model.Snapshot) readMsg {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.next = max(u.next, s.First())
	if u.again < u.next {
		return u.readAgain(ctx, s)
	}
	m := readMsg{u: u, from: u.next}
	found := false
	for begin := time.Now(); u.next < s.End() && ctx.Err() == nil; u.next++ {
		if (u.next-m.from)%8 == 7 && time.Since(begin) > readSlice {
			break
		}
		found = u.readRow(s.At(u.next)) || found
	}
	u.verdicts.forget(s.First())
	if m.to, m.next = u.next, u.next; found {
		for _, f := range u.fights.Findings() {
			m.findings = append(m.findings, *f)
		}
		m.dropped = u.fights.Dropped()
	}
	return m
}

// readRow reports whether something goes to and fro with a row.
func (u *understanding) readRow(e model.Event) (found bool) {
	if !e.Type.IsObject() || e.Type == model.Added || e.Has(model.Replayed) {
		u.health.Add(e, nil)
		u.watched.add(e)
		if e.Type.IsObject() {
			u.belong.Add(e)
			u.readOwner(e)
		}
		return false
	}
	u.belong.Add(e)
	u.readOwner(e)
	c, ok := readChange(u.log, e)
	if !ok {
		return false
	}
	u.health.Add(e, c.raw)
	if u.rule(e, &c) > 0 || e.Type != model.Modified || c.before == nil {
		return false
	}
	for _, f := range u.fights.AddChange(e, c.result, c.owners) {
		found = true
		mark := map[fights.Kind]verdict{fights.Fight: ofFight, fights.Flap: ofFlap, fights.RestartLoop: ofLoop}[f.Kind]
		for i := len(f.Rows) - 1; i >= 0 && u.verdicts.of(f.Rows[i])&mark == 0; i-- {
			u.verdicts.add(f.Rows[i], mark)
		}
	}
	return found
}

// unread is how many rows of the log have not been read.
func (u *understanding) unread() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.log.Snapshot()
	return int(s.End() - max(u.next, s.First()))
}

// takeRead takes in what rows mean that have been read.
func (a *App) takeRead(m readMsg) {
	if m.u != a.timeline.know {
		return // of a log that is not shown any more
	}
	a.reading, a.behind, a.readNext = false, m.again || m.next < a.last.End(), m.next
	if m.findings != nil {
		a.findings, a.dropped = m.findings, m.dropped
	}
	a.timeline.refold(m.from, m.to)
	a.object.outdate(a.clock)
}

// readOn reads the log on, outside of the event loop.
func (a *App) readOn() tea.Cmd {
	u, s, ctx := a.timeline.know, a.last, a.ctx
	rest := time.Duration(0)
	if a.behind {
		if rest = readRest; s.End() > a.readEnd+100 {
			rest = stormRest
		}
	}
	a.reading, a.readEnd = true, s.End()
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		}
		return u.read(ctx, s)
	}
}
