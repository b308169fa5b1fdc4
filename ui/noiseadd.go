package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/noise"
)

// ruleSet is the rules that fold rows. It is not changed: who has one may use it
// from any goroutine. The numbers of rules, from 1, are those of their places; one
// that was taken back leaves its place empty, so that verdicts stay true.
type ruleSet struct {
	list  []noise.Rule
	off   []bool // taken back
	rules *noise.Rules
	own   *noise.Rules // those of this session
	given int          // rules before are those that it began with
}

func newRuleSet(list []noise.Rule, given int) (*ruleSet, error) {
	return (&ruleSet{list: list, off: make([]bool, len(list)), given: given}).made()
}

// made makes the rules ready.
func (s *ruleSet) made() (_ *ruleSet, err error) {
	if s.rules, err = noise.Compile(s.inForce(0)); err == nil {
		s.own, err = noise.Compile(s.inForce(s.given))
	}
	return s, err
}

// inForce lists the rules from a place on that were not taken back.
func (s *ruleSet) inForce(from int) (list []noise.Rule) {
	for i := from; i < len(s.list); i++ {
		if !s.off[i] {
			list = append(list, s.list[i])
		}
	}
	return list
}

// with is the set with one rule more; its name becomes one that no other has.
func (s *ruleSet) with(r noise.Rule) (*ruleSet, error) {
	name := r.Name
	for n := 2; slices.ContainsFunc(s.list, func(x noise.Rule) bool { return x.Name == r.Name }); n++ {
		r.Name = name + " (" + count(n) + ")"
	}
	return (&ruleSet{list: append(slices.Clone(s.list), r), off: append(slices.Clone(s.off), false), given: s.given}).made()
}

// without is the set without the rule of a number.
func (s *ruleSet) without(n int) *ruleSet {
	x := &ruleSet{list: s.list, off: slices.Clone(s.off), given: s.given}
	x.off[n-1] = true
	x, err := x.made()
	if err != nil {
		return s // the same rules were made ready before
	}
	return x
}

// has reports whether a rule of that name is in force.
func (s *ruleSet) has(name string) bool {
	return slices.ContainsFunc(s.inForce(0), func(r noise.Rule) bool { return r.Name == name })
}

// judge is the number of the rule that folds a row, 0 for none.
func (s *ruleSet) judge(e model.Event, c *change) int {
	r := s.rules.Classify(e, c.id, c.before, c.raw, &c.result)
	if r == nil {
		return 0
	}
	for i := range s.list {
		if !s.off[i] && s.list[i].Name == r.Name {
			return i + 1
		}
	}
	return 0
}

// readAgain has the newest rules judge rows that were judged before.
func (u *understanding) readAgain(ctx context.Context, s model.Snapshot) readMsg {
	u.again = max(u.again, s.First())
	m := readMsg{u: u, from: u.again, next: u.next}
	set := u.rules.Load()
	for begin := time.Now(); u.again < u.next && ctx.Err() == nil; u.again++ {
		if (u.again-m.from)%8 == 7 && time.Since(begin) > readSlice {
			break
		}
		u.judgeAgain(s.At(u.again), set)
	}
	m.to, m.again = u.again, u.again < u.next
	if !m.again {
		u.again = noRow
	}
	return m
}

// judgeAgain judges a row of which nothing is known, or that a rule of this
// session may fold.
func (u *understanding) judgeAgain(e model.Event, set *ruleSet) {
	v := u.verdicts.of(e.Seq)
	known := v&real != 0
	if !e.Type.IsObject() || e.Type == model.Added || v.rule() > 0 || known && !set.own.About(u.log.Identity(e.Object)) {
		return
	}
	if c, ok := readChange(u.log, e); ok {
		u.verdicts.unknow(e.Seq)
		u.rule(e, &c)
	}
}

// unknow forgets which rule folds a row, or that none does.
func (v *verdicts) unknow(seq model.Seq) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := seq - v.first; seq >= v.first && i < model.Seq(len(v.list)) {
		v.list[i] &^= real
	}
}

// unfold forgets which rows a rule folds.
func (v *verdicts) unfold(rule int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.list {
		if v.list[i].rule() == rule {
			v.list[i] &^= real
		}
	}
}

// rulesMsg says that the rules of an understanding have changed.
type rulesMsg struct {
	u    *understanding
	read readMsg // rows that were judged at once
	made noise.Rule
	gone bool
	said string
	lost error // why the rule is not in the file
}

// addRule puts a rule into force. The rows of a window are judged at once, the
// others as they are read again.
func (u *understanding) addRule(s model.Snapshot, r noise.Rule, window []model.Seq) (m rulesMsg, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	set, err := u.rules.Load().with(r)
	if err != nil {
		return m, err
	}
	u.rules.Store(set)
	u.again = s.First()
	m = rulesMsg{u: u, made: set.list[len(set.list)-1], read: readMsg{u: u, next: u.next, again: true}}
	for _, seq := range window {
		if seq >= s.First() && seq < s.End() {
			u.judgeAgain(s.At(seq), set)
		}
	}
	if len(window) > 0 {
		m.read.from, m.read.to = window[0], window[len(window)-1]+1
	}
	return m, nil
}

// removeRule takes a rule back.
func (u *understanding) removeRule(s model.Snapshot, n int) rulesMsg {
	u.mu.Lock()
	defer u.mu.Unlock()
	set := u.rules.Load()
	u.rules.Store(set.without(n))
	u.verdicts.unfold(n)
	u.again = s.First()
	return rulesMsg{u: u, made: set.list[n-1], gone: true, read: readMsg{u: u, next: u.next, again: true}}
}

// takeRules shows what changed rules fold.
func (a *App) takeRules(m rulesMsg) tea.Cmd {
	if m.u != a.timeline.know { // a replay has jumped meanwhile
		if m.gone || m.made.Name == "" || a.timeline.know.rules.Load().has(m.made.Name) {
			return nil
		}
		return a.addRule(m.made, false)
	}
	if m.said != "" {
		a.say(m.said)
	}
	if m.lost != nil { // it may have what is to be pasted
		a.list.open("Folded for now, but the rule is not in the file", wrapped(m.lost.Error(), a.lay.w-24))
	}
	if m.gone {
		a.applyFilter() // lists the rows anew
	}
	a.behind = true
	a.timeline.refold(m.read.from, m.read.to)
	return nil
}

// addRule puts a rule into force, and keeps it for the next time if asked.
func (a *App) addRule(r noise.Rule, keep bool) tea.Cmd {
	u, s, save, file := a.timeline.know, a.last, a.o.SaveNoise, a.o.NoiseFile
	var window []model.Seq
	a.timeline.window(func(_ int, e model.Event) { window = append(window, e.Seq) })
	return func() tea.Msg {
		m, err := u.addRule(s, r, window)
		switch {
		case err != nil:
			return rulesMsg{u: u, said: "not folded: " + err.Error()}
		case !keep:
			m.said = "folded by the rule " + m.made.Name + "; A lists the rules, and takes it back"
		default:
			m.said = "the rule " + m.made.Name + " is in " + file
			if err := save(m.made); err != nil {
				m.said, m.lost = "", err
			}
		}
		return m
	}
}

// takeBack takes a rule of this session back.
func (a *App) takeBack(n int) tea.Cmd {
	u, s := a.timeline.know, a.last
	return func() tea.Msg {
		m := u.removeRule(s, n)
		m.said = "no longer folded by " + m.made.Name
		return m
	}
}

func (a *App) canFoldLike() (bool, string) {
	e, ok := a.timeline.selected()
	return ok && e.Type == model.Modified, "only changes are folded: this row is none"
}

// likeMsg is the rule that would fold changes like one.
type likeMsg struct {
	rule noise.Rule
	why  string // there is none
}

// foldLike makes a rule of the row under the cursor.
func (a *App) foldLike() tea.Cmd {
	e, _ := a.timeline.selected()
	u, again := a.timeline.know, a.keys.does("noise", "folds again")
	return func() tea.Msg {
		c, ok := readChange(u.log, e)
		if !ok {
			return likeMsg{why: "this version has left the log"}
		}
		if set := u.rules.Load(); set.judge(e, &c) > 0 {
			return likeMsg{why: "it is folded already, by " + set.list[set.judge(e, &c)-1].Name + "; " + again}
		}
		r, ok := noise.Like(c.id, c.result)
		if !ok {
			return likeMsg{why: "nothing to go by: " + c.summary(e)}
		}
		return likeMsg{rule: r}
	}
}

// takeLike asks whether the rule shall be made.
func (a *App) takeLike(m likeMsg) {
	if m.why != "" {
		a.say(m.why)
		return
	}
	r := m.rule
	lines := []listLine{{head: "kind", text: r.Kind}}
	for _, p := range r.Paths {
		lines = append(lines, listLine{head: "path", text: p})
	}
	lines = append(lines, listLine{text: "a change that has one path more is not folded"}, listLine{})
	first := len(lines)
	lines = append(lines, listLine{head: "enter", text: "fold them in this session", do: func(a *App) tea.Cmd { return a.addRule(r, false) }})
	if a.o.SaveNoise != nil {
		lines = append(lines, listLine{head: "enter", text: "fold them from now on: write the rule into " + a.o.NoiseFile,
			do: func(a *App) tea.Cmd { return a.addRule(r, true) }})
	}
	a.list.open("Fold changes of these paths, and of no others?", lines)
	a.list.cursor = first
}

// briefly writes a time that a rule has, without what is zero: 50m, 1h30m.
func briefly(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// ruleLines lists the rules in force with what they fold.
func (a *App) ruleLines() (lines []listLine, known int) {
	set, x := a.timeline.know.rules.Load(), a.timeline.index
	for i, r := range set.list {
		if set.off[i] || i > 0 && r.Name == set.list[i-1].Name {
			continue
		}
		what := "any kind"
		if r.Kind != "" {
			what = r.Kind
		}
		switch {
		case r.Deleted > 0:
			what += ": deleted after " + briefly(r.Deleted) + " without news"
		case len(r.Paths) == 0:
			what += ": nothing but generation, resourceVersion, managedFields"
		default:
			what += ": " + strings.Join(r.Paths, ", ")
		}
		if i+1 == x.repeats.rule {
			known += x.repeats.n
			lines = append(lines, listLine{head: count(x.repeats.n+x.byRule[i+1]) + " rows", text: r.Name + " (" + r.Kind + ": one row each, which moves on with its count)"})
			continue
		}
		line := listLine{head: count(x.byRule[i+1]) + " rows", text: r.Name + " (" + what + ")"}
		if i >= set.given {
			line.text = "enter takes it back: " + line.text
			line.do = func(a *App) tea.Cmd { return a.takeBack(i + 1) }
		}
		lines = append(lines, line)
		known += x.byRule[i+1]
	}
	return lines, known
}

// anew is an understanding of another log by the same rules.
func (u *understanding) anew(log *model.Log) *understanding {
	x, set := newUnderstanding(log, nil), u.rules.Load()
	x.rules.Store(set)
	return x
}
