package ui

import (
	"sort"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
)

// overall is what the header and the status line say of all streams together.
// It is computed once per frame.
type overall struct {
	streams  []model.StreamStatus
	states   map[model.State]int
	degraded []model.StreamStatus // worst first
	fresh    int
	syncing  int // connecting or syncing, never degraded

	rate       [model.RateSeconds]uint32
	reconnects int64
	gaps       int64
	contexts   int
	namespace  string            // the only one that is watched, or "": no need to repeat it
	groups     map[string]string // by resource: its group, or "*" for several
	moving     bool              // a countdown or a pulse is shown: tick faster
}

func newOverall(streams []model.StreamStatus, now time.Time) overall {
	o := overall{streams: streams, states: map[model.State]int{}, groups: map[string]string{}}
	o.namespace = onlyNamespace(streams)
	contexts := map[string]bool{}
	for _, s := range streams {
		o.states[s.State]++
		contexts[s.Context] = true
		if g, ok := o.groups[s.Resource]; ok && g != s.Group {
			o.groups[s.Resource] = "*"
		} else {
			o.groups[s.Resource] = s.Group
		}
		switch {
		case s.State.Degraded():
			o.degraded = append(o.degraded, s)
			o.moving = o.moving || s.Last.Until.After(now)
		case s.State.Fresh():
			o.fresh++
			o.moving = o.moving || now.Sub(s.Heartbeat) < 2*time.Second
		case s.State == model.Connecting || s.State == model.Syncing:
			o.syncing++
			o.moving = true
		}
		for i, v := range s.Rate {
			o.rate[i] += v
		}
		o.reconnects += s.Reconnects
		o.gaps += s.Gaps
	}
	o.contexts = len(contexts)
	sort.SliceStable(o.degraded, func(i, j int) bool {
		return severity(o.degraded[i].State) > severity(o.degraded[j].State)
	})
	return o
}

// onlyNamespace returns the namespace if the streams watch no other.
func onlyNamespace(streams []model.StreamStatus) string {
	only := ""
	for _, s := range streams {
		switch {
		case !s.Namespaced:
		case s.Namespace == "", only != "" && only != s.Namespace:
			return ""
		default:
			only = s.Namespace
		}
	}
	return only
}

// stream returns what a stream watches.
func (o *overall) stream(id model.StreamID) model.StreamInfo {
	if id < 0 || int(id) >= len(o.streams) {
		return model.StreamInfo{}
	}
	return o.streams[id].StreamInfo
}

// name is how a stream is called on screen: with its group only where two
// groups have a resource of that name.
func (o *overall) name(s model.StreamInfo) string {
	if o.groups[s.Resource] == "*" {
		return s.Name()
	}
	return s.Resource
}

// live reports whether the screen may call itself live.
func (o *overall) live() bool { return len(o.streams) > 0 && o.fresh == len(o.streams) }

// perSecond is the mean of the last five full seconds, in events.
func (o *overall) perSecond() float64 {
	var n uint32
	full := o.rate[:model.RateSeconds-1]
	for _, v := range full[len(full)-5:] {
		n += v
	}
	return float64(n) / 5
}

// severity orders the states by how much a user must know of them.
func severity(s model.State) int {
	switch s {
	case model.Stopped, model.Gone:
		return 6
	case model.Denied:
		return 5
	case model.Backoff:
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

// countdown says when the next attempt starts; "" if none is due.
func countdown(s model.StreamStatus, now time.Time) string {
	if s.Last.Until.IsZero() || !s.State.Degraded() {
		return ""
	}
	if d := s.Last.Until.Sub(now); d > 0 {
		return seconds(d)
	}
	return "now"
}

// cause says in words why a stream is in its state.
func cause(s model.StreamStatus) string {
	if s.Last.Text != "" {
		return s.Last.Text
	}
	if s.Last.Cause != model.CauseNone {
		return strings.ReplaceAll(string(s.Last.Cause), "-", " ")
	}
	return ""
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

// trouble is one line on a degraded stream: state, name, countdown, cause.
func (o *overall) trouble(s model.StreamStatus, now time.Time) string {
	b := s.State.String() + " "
	if o.contexts > 1 {
		b += s.Context + "/"
	}
	b += o.name(s.StreamInfo)
	if c := countdown(s, now); c != "" {
		b += " " + c
	} else if !s.Since.IsZero() {
		b += " " + age(now.Sub(s.Since))
	}
	if c := cause(s); c != "" {
		b += ": " + c
	}
	return b
}

// stateOrder is the order in which the states are counted.
var stateOrder = [...]model.State{model.Live, model.Quiet, model.Rotating, model.Polling, model.Syncing, model.Connecting,
	model.Relisting, model.Expired, model.Backoff, model.Overdue, model.Slept, model.Denied, model.Gone, model.Stopped,
	model.Paused, model.Idle}

// counts writes "8 streams: 6 live 1 retry 1 quiet".
func (o *overall) counts() string {
	b := plural(len(o.streams), "stream")
	sep := ": "
	for _, s := range stateOrder {
		if n := o.states[s]; n > 0 {
			b += sep + strconv.Itoa(n) + " " + strings.ToLower(s.String())
			sep = " "
		}
	}
	return b
}
