package ui

import (
	"math"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/deck"
	"rewatch/model/moment"
	"rewatch/model/query"
	"rewatch/themes"
)

// replay is what the screen knows of the tape deck; an App that is live has
// none.
type replay struct {
	deck     Transport
	play     Playback
	swapping bool      // the deck has another log, which is being made ready
	whole    bool      // all that the log shown begins with is loaded
	since    time.Time // by the clock on the wall: when seeking began; zero if it is not
	timed    bool      // a command looks at it when it is late
	asked    bool      // for rows before those held
	sought   bool      // a search is under way, for a landmark of this kind
	kind     deck.LandmarkKind

	patience time.Duration // seekPatience
}

// seekPatience is how long a jump may take before the screen tells of it: a
// word that comes and goes at once is only a flicker.
const seekPatience = 100 * time.Millisecond

// refresh takes in how the deck stands, as far as it is about the log that is
// shown: the clock of another moment over these rows would be a lie.
func (r *replay) refresh(log *model.Log, clock time.Time) {
	p := r.deck.Playback()
	r.swapping = false
	if r.deck.Log() != log && !r.play.To.IsZero() {
		now := p.Now
		p = r.play
		p.Seeking, p.Target, r.swapping = true, now, true
	}
	r.play = p
	switch {
	case !p.Seeking:
		r.since, r.timed, r.whole = time.Time{}, false, true
	case r.since.IsZero():
		r.since = clock
	}
}

// late reports whether a jump takes long enough to be told of.
func (r *replay) late(clock time.Time) bool {
	return r.play.Seeking && clock.Sub(r.since) >= seekPatience
}

// partial reports whether the moment sought is there, but not yet all that
// existed then: the deck goes on loading. A log that was whole stays so, though
// the moment that it shows be sought again.
func (r *replay) partial() bool {
	return r != nil && r.play.Seeking && !r.swapping && !r.whole && r.play.Target.Equal(r.play.Now)
}

// position is where the scrubber shows the replay: where it goes to, as soon
// as that is known.
func (r *replay) position() time.Time {
	if r.play.Seeking && !r.play.Target.IsZero() {
		return r.play.Target
	}
	return r.play.Now
}

// seekMsg says that a jump may have become late.
type seekMsg struct{}

// watchSeek looks at a jump again when it would be late.
func (r *replay) watchSeek() tea.Cmd {
	if r == nil || !r.play.Seeking || r.timed {
		return nil
	}
	r.timed = true
	return tea.Tick(r.patience, func(time.Time) tea.Msg { return seekMsg{} })
}

// earlier is how many rows the tape has before those that the log holds; -1
// says that there are some.
func (r *replay) earlier() int64 {
	switch p := r.play; {
	case p.Earlier > 0:
		return p.Earlier
	case p.Held.After(p.From):
		return -1
	}
	return 0
}

// state says for the header where the tape is: never that anything is live.
func (r *replay) state(st *themes.Styles, loc *time.Location, clock time.Time) (themes.Style, string) {
	p := r.play
	layout := "15:04:05"
	if !p.Playing {
		layout += ".000"
	}
	if !sameDay(p.Now.In(loc), clock.In(loc)) {
		layout = "2006-01-02 " + layout
	}
	s := "REPLAY " + p.Now.In(loc).Format(layout)
	switch {
	case r.late(clock) && r.partial():
		return st.WarnBold, s + " loading the rest"
	case r.late(clock) && p.Target.IsZero():
		return st.WarnBold, s + " searching"
	case r.late(clock):
		return st.WarnBold, s + " seeking " + stamp(p.Target, p.Now, loc)
	case p.AtEnd:
		return st.Title, s + " end of the tape"
	case p.Playing:
		return st.Title, s + " playing " + speedName(p.Speed)
	case p.Speed != 1:
		return st.Title, s + " paused " + speedName(p.Speed)
	}
	return st.Title, s + " paused"
}

// speedName writes "0.25×" or "max".
func speedName(x float64) string {
	if math.IsInf(x, 1) {
		return "max"
	}
	return strconv.FormatFloat(x, 'f', -1, 64) + "×"
}

// speeds are those that the keys go through.
var speeds = [...]float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, math.Inf(1)}

// nextSpeed is the next of speeds, up or down.
func nextSpeed(x float64, up bool) float64 {
	if up {
		for _, s := range speeds {
			if s > x {
				return s
			}
		}
		return x
	}
	for i := len(speeds) - 1; i >= 0; i-- {
		if speeds[i] < x {
			return speeds[i]
		}
	}
	return x
}

// note is what the deck wants to be known, for the status bar.
func (r *replay) note(scrub *scrubber, loc *time.Location) (bad bool, text string) {
	switch p := r.play; {
	case p.Damaged && p.Text != "":
		return true, "DAMAGED " + p.Text
	case p.Damaged:
		return true, "DAMAGED: a part of the tape cannot be read"
	case p.Text != "":
		return false, p.Text
	}
	if s, ok := scrub.unwatched(r.play.Now); ok {
		return false, "nobody watched from " + stamp(s.From, r.play.Now, loc) + " to " + stamp(s.To, r.play.Now, loc)
	}
	return false, ""
}

// still reports whether nothing moves by itself: a paused tape.
func (a *App) still() bool { return a.replay != nil && !a.replay.play.Playing }

// moved follows the newest row again after the user has moved the tape: it is
// what was asked for.
func (a *App) moved() {
	a.timeline.follow = true
	a.replay.sought = false
	a.previewed = previewed{}
	a.refresh()
}

func (a *App) canPlay() (bool, string) {
	p := a.replay.play
	return p.Playing || !p.AtEnd, "this is the end of the tape: 0 goes to its start"
}

func (a *App) togglePlay() {
	on := !a.replay.play.Playing
	a.replay.deck.Play(on)
	if on {
		a.moved()
	}
	a.refresh()
}

func (a *App) step(n int) {
	a.replay.deck.Step(n)
	a.moved()
}

func (a *App) seek(to time.Time) {
	a.replay.deck.Seek(to)
	a.moved()
}

// seekBy goes on from where a jump under way leads.
func (a *App) seekBy(d time.Duration) { a.seek(a.replay.position().Add(d)) }

func (a *App) canGoOn() (bool, string) {
	return !a.replay.play.AtEnd, "this is the end of the tape"
}

func (a *App) canGoBack() (bool, string) {
	return a.replay.play.Now.After(a.replay.play.From), "this is the start of the tape"
}

func (a *App) setSpeed(x float64) {
	a.replay.deck.SetSpeed(x)
	a.refresh()
	a.say("speed " + speedName(x))
}

func (a *App) changeSpeed(up bool) { a.setSpeed(nextSpeed(a.replay.play.Speed, up)) }

func (a *App) canFaster() (bool, string) {
	return !math.IsInf(a.replay.play.Speed, 1), "this is as fast as possible"
}

func (a *App) canSlower() (bool, string) {
	return a.replay.play.Speed > speeds[0], "this is as slow as it gets"
}

func (a *App) find(kind deck.LandmarkKind, back bool) {
	a.replay.deck.Find(Landmark{Kind: kind, Back: back})
	a.moved()
	a.replay.sought, a.replay.kind = true, kind
	a.tellFound()
}

func (a *App) hasFilter() (bool, string) {
	return a.filter.query != nil, "there is no filter to match: / sets one"
}

// findMatch goes to a row that the filter means: gaps that it only shows are
// passed by.
func (a *App) findMatch(back bool) { a.findMatchOf(a.filter.query, back) }

func (a *App) findMatchOf(q *query.Query, back bool) {
	now := a.now.In(a.o.Location)
	a.replay.deck.Find(Landmark{Kind: AnyMatch, Back: back, Match: func(log *model.Log) model.Filter {
		return q.Compile(log, query.Options{Now: now}).Holds
	}})
	a.moved()
}

// askMoment asks for a moment to go to.
func (a *App) askMoment() {
	a.ask(prompt{label: "go to", hint: momentForms,
		means: func(text string) string {
			p := a.replay.play
			if t, err := parseMoment(text, p, a.o.Location); err == nil {
				return t.In(a.o.Location).Format("2006-01-02 15:04:05.000")
			}
			return ""
		},
		done: func(text string) *moment.Error {
			t, err := parseMoment(text, a.replay.play, a.o.Location)
			if err == nil {
				a.seek(t)
			}
			return err
		}})
}

// fetchEarlier asks for rows before those held.
func (a *App) fetchEarlier() {
	if a.replay == nil || a.replay.asked || a.replay.earlier() == 0 {
		return
	}
	a.replay.asked = true
	a.replay.deck.Earlier()
	a.refreshTo(a.last)
}

// dragTo seeks to where the mouse is on the scrubber.
func (a *App) dragTo(x int) { a.seek(a.scrub.moment(x)) }
