package ui

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/themes"
)

// unwell reports whether a stream must be named in the status bar: one that is
// degraded, and one that tries again and has not succeeded yet. One that
// connects with a position to resume from has lost a watch: what it has shown
// is no longer known to be current.
func unwell(s *model.StreamStatus) bool {
	return s.State.Degraded() && !s.Removed() || s.State == model.Connecting && (s.Failure.To != model.Idle || s.RV != "")
}

// patience is how long a try that was due is told as "now"; after that, the
// news is that there is no answer.
const patience = time.Second

// unanswered says for how long the request of a stream that is not well has
// waited; "" while that is no news.
func unanswered(s *model.StreamStatus, now time.Time) string {
	if d := now.Sub(s.Since); s.State == model.Connecting && (d >= patience || !retries(s)) {
		return seconds(d)
	}
	return ""
}

// retries reports whether what a stream does now came after a pause.
func retries(s *model.StreamStatus) bool {
	return s.State != model.Connecting || s.Failure.To != model.Idle && s.Failure.To != model.Connecting
}

// host is what the streams of one server of one context have in common.
type host struct{ context, server string }

func hostOf(s *model.StreamStatus) host { return host{s.Context, s.Server} }

// outage is a host that does not answer: one stream probes it, and the others
// wait for what comes of it.
type outage struct {
	prober  *model.StreamStatus // nil: the host has answered, or it is nobody's turn
	waiting []*model.StreamStatus
}

// waitsForHost reports whether a stream leaves the dialling to another one.
func waitsForHost(s *model.StreamStatus) bool {
	return s.State == model.Backoff && s.Last.Cause == model.CauseHostDown
}

// findOutages finds the hosts that streams wait for, and who probes them.
func findOutages(streams []model.StreamStatus) map[host]*outage {
	var out map[host]*outage
	for i := range streams {
		if s := &streams[i]; waitsForHost(s) {
			if out == nil {
				out = map[host]*outage{}
			}
			if out[hostOf(s)] == nil {
				out[hostOf(s)] = &outage{}
			}
		}
	}
	if out == nil {
		return nil
	}
	for i := range streams {
		s := &streams[i]
		o := out[hostOf(s)]
		switch {
		case o == nil, s.State != model.Backoff && (s.State != model.Connecting || !unwell(s)):
		case waitsForHost(s):
			o.waiting = append(o.waiting, s)
		case o.prober == nil:
			o.prober = s
		case probesRather(s, o.prober):
			o.waiting = append(o.waiting, o.prober)
			o.prober = s
		default:
			o.waiting = append(o.waiting, s) // will, as soon as its own pause is over
		}
	}
	return out
}

// probesRather reports which of two streams is the prober: the one that dials,
// else the one that has failed more often, else the one that failed last.
func probesRather(a, b *model.StreamStatus) bool {
	if dials := a.State == model.Connecting; dials != (b.State == model.Connecting) {
		return dials
	}
	if a.Failure.Attempt != b.Failure.Attempt {
		return a.Failure.Attempt > b.Failure.Attempt
	}
	return a.Since.After(b.Since)
}

// trouble is an entry of the status bar: a stream that is not well, or a host
// that does not answer.
type trouble struct {
	*model.StreamStatus // of the prober, where it is a host
	outage              *outage
	alike               int // more streams of the host in the same state, for the same cause
}

// findTroubles lists what is wrong, the worst first: one entry for a host that
// is down, however many streams it has, and one for streams of a host that suffer
// the same.
func findTroubles(streams []model.StreamStatus, outages map[host]*outage) []trouble {
	var out []trouble
	type plight struct {
		host  host
		word  model.State
		cause string
	}
	known := map[plight]int{}
	for i := range streams {
		s := &streams[i]
		if !unwell(s) {
			continue
		}
		o := outages[hostOf(s)]
		switch {
		case o == nil, s.State != model.Backoff && s.State != model.Connecting:
			k := plight{hostOf(s), word(s), cause(s)}
			if i, ok := known[k]; ok {
				out[i].alike++
				continue
			}
			known[k] = len(out)
			out = append(out, trouble{StreamStatus: s})
		case s == o.prober, o.prober == nil && s == o.waiting[0]:
			out = append(out, trouble{StreamStatus: s, outage: o})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return severity(out[i].State) > severity(out[j].State) })
	return out
}

// severity orders the states by how much a user must know of them.
func severity(s model.State) int {
	switch s {
	case model.Stopped, model.Gone:
		return 6
	case model.Denied:
		return 5
	case model.Backoff, model.Connecting:
		return 4
	case model.Expired, model.Slept:
		return 3
	case model.Relisting:
		return 2
	case model.Overdue:
		return 1
	}
	return 0
}

// word is the state that an entry shows: one that dials again would blink.
func word(s *model.StreamStatus) model.State {
	if s.State == model.Connecting && retries(s) {
		return model.Backoff
	}
	return s.State
}

// text is the entry in words: state, when it is tried again, name, cause.
func (t trouble) text(o *overall, now time.Time) string {
	state, name := word(t.StreamStatus).String(), t.name(o)
	if t.alike > 0 {
		name += " and " + strconv.Itoa(t.alike) + " more"
	}
	b := state + " " + name
	if !retries(t.StreamStatus) && t.outage == nil {
		if c := cause(t.StreamStatus); c != "" {
			return b + ": " + c + ", " + next(t.StreamStatus, now)
		}
		return b + ": " + next(t.StreamStatus, now)
	}
	if n := due(t.StreamStatus, now); n != "" && t.probed() {
		if b = state + " " + n + " · " + name; word(t.StreamStatus) != model.Backoff {
			b = state + " " + name + " " + age(now.Sub(t.Onset())) + ", retry " + n
		}
	} else if t.State == model.Overdue {
		return b + ": " + silence(t.StreamStatus, now)
	} else if at := t.Onset(); !at.IsZero() && t.outage == nil {
		b += " " + age(now.Sub(at))
	}
	if t.outage == nil {
		return b + t.because(now)
	}
	if !t.probed() {
		return b + ": " + plural(len(t.outage.waiting), "stream") + " about to try again"
	}
	b += t.because(now) + " · " + plural(len(t.outage.waiting), "stream")
	if len(t.outage.waiting) == 1 {
		return b + " waits"
	}
	return b + " wait"
}

// because is the cause, told as what was before while a new try is under way.
func (t trouble) because(now time.Time) string {
	c := cause(t.StreamStatus)
	switch {
	case c == "":
		return ""
	case unanswered(t.StreamStatus, now) != "":
		return " (before: " + c + ")"
	}
	return ": " + c
}

// probed is false for a host that nobody probes.
func (t trouble) probed() bool { return t.outage == nil || t.outage.prober != nil }

// name is that of the stream, or of the host.
func (t trouble) name(o *overall) string {
	switch {
	case t.outage != nil && t.Server != "":
		return "api " + t.Server
	case t.outage != nil:
		return t.Context
	case o.contexts > 1:
		return t.Context + "/" + o.name(t.StreamInfo)
	}
	return o.name(t.StreamInfo)
}

// silent is for how long the server has not answered: from its last answer on,
// however often it was asked since.
func (t trouble) silent(now time.Time) time.Duration {
	heard := t.Heard
	if t.outage != nil {
		for _, s := range t.outage.waiting {
			if s.Heard.After(heard) {
				heard = s.Heard
			}
		}
	}
	if heard.IsZero() {
		heard = t.Since
	}
	return now.Sub(heard)
}

// from names the host of a stream whose connection is what is wrong.
func (t trouble) from() string {
	c := t.Failure.Cause
	if t.outage != nil || t.Server == "" {
		return ""
	}
	switch c {
	case model.CauseRefused, model.CauseDNS, model.CauseTLS, model.CauseNetwork, model.CauseCut, model.CausePing, model.CauseDeadline:
		return " (" + t.Server + ")"
	}
	return ""
}

// style of an entry: a suspicion is not written as a loss.
func (t trouble) style(st *themes.Styles) themes.Style {
	if t.State == model.Overdue {
		return st.WarnBold
	}
	return st.BadBold
}

// silence says for how long nothing has come.
func silence(s *model.StreamStatus, now time.Time) string {
	since := s.LastFrame
	if since.IsZero() {
		since = s.Since
	}
	return "no frame for " + seconds(now.Sub(since))
}

// countdown says when the next attempt starts; "" if none is due.
func countdown(s *model.StreamStatus, now time.Time) string {
	switch {
	case !unwell(s):
		return ""
	case s.State == model.Connecting && unanswered(s, now) != "":
		return ""
	case s.State == model.Connecting:
		return "now"
	case s.Last.Until.IsZero():
		return ""
	}
	if d := s.Last.Until.Sub(now); d > 0 {
		return seconds(d)
	}
	return "now"
}

// due is "in 1.6 s", "now", or what that has come to; "" if no try is due.
func due(s *model.StreamStatus, now time.Time) string {
	switch c, late := countdown(s, now), unanswered(s, now); {
	case late != "":
		return "waiting " + late + " for the answer"
	case c == "", c == "now":
		return c
	default:
		return "in " + c
	}
}

// next is "3rd try in 1.6 s", "3rd try now", or what that has come to; "" if no
// try is due.
func next(s *model.StreamStatus, now time.Time) string {
	c := countdown(s, now)
	late := unanswered(s, now)
	switch {
	case late != "":
		c = "waiting for the answer " + late
	case c == "":
		return ""
	case c != "now":
		c = "in " + c
	}
	n := s.Last.Attempt
	if s.State == model.Connecting {
		n = s.Failure.Attempt
	}
	switch a := attempt(n); {
	case a == "":
		return c
	case late != "":
		return a + ": " + c
	default:
		return a + " " + c
	}
}

// cause says in words why a stream is in its state.
func cause(s *model.StreamStatus) string {
	t := s.Last
	if s.State == model.Connecting && s.Failure.To != model.Idle {
		t = s.Failure
	}
	if d, ok := denied(s.StreamInfo, t); ok && d.user != "" {
		return d.String() // what the server says is longer, and is in the timeline
	}
	if t.Text != "" {
		return t.Text
	}
	return strings.ReplaceAll(string(t.Cause), "-", " ")
}

// attempt writes "3rd try"; "" while there was none.
func attempt(n int) string {
	if n <= 0 {
		return ""
	}
	end := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	return strconv.Itoa(n) + end + " try"
}

// plight says what is wrong with a stream that is not well: first when that
// will change or how long it has lasted, then why.
func (o *overall) plight(s *model.StreamStatus, now time.Time) (when, why string) {
	if h := o.outages[hostOf(s)]; h != nil && s != h.prober && s.State == model.Backoff {
		if h.prober == nil {
			return "about to try again", ""
		}
		when = "waits for " + o.name(h.prober.StreamInfo) + "' "
		switch c := countdown(h.prober, now); {
		case unanswered(h.prober, now) != "":
			when += "answer, " + unanswered(h.prober, now)
		case c == "now":
			when += "try now"
		default:
			when += "try in " + c
		}
		return when, ""
	}
	if s.State == model.Overdue {
		return silence(s, now), ""
	}
	if n := next(s, now); n != "" {
		why = cause(s)
		if why != "" && retries(s) && unanswered(s, now) != "" {
			why = "before: " + why
		}
		return n, why
	}
	if at := s.Onset(); !at.IsZero() {
		when = "for " + age(now.Sub(at))
	}
	return when, cause(s)
}
