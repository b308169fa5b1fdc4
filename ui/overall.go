package ui

import (
	"strconv"
	"strings"
	"time"

	"rewatch/model"
)

// overall is what the header and the status line say of all streams together.
// It is computed once per frame.
type overall struct {
	streams  []model.StreamStatus // by number, those that were removed included
	watched  int                  // streams that were not removed
	states   map[model.State]int
	troubles []trouble // worst first
	outages  map[host]*outage
	stale    int // streams that are lost or behind
	suspect  int // streams that may be
	fresh    int
	syncing  int // connecting or syncing for the first time

	rate       [model.RateSeconds]uint32
	reconnects int64
	gaps       int64
	contexts   int
	namespace  string                // the only one that is watched, or "": no need to repeat it
	groups     map[string]string     // by resource: its group, or "*" for several
	spread     map[collection]string // the namespace of its streams, or "*" for several
	moving     bool                  // a countdown or a pulse is shown: tick faster
}

func newOverall(streams []model.StreamStatus, now time.Time) overall {
	o := overall{streams: streams, states: map[model.State]int{}, groups: map[string]string{}, spread: map[collection]string{}}
	o.namespace = onlyNamespace(streams)
	contexts := map[string]bool{}
	for _, s := range streams {
		if !s.Removed() {
			o.watched++
			o.states[s.State]++
		}
		contexts[s.Context] = true
		k := collectionOf(s.StreamInfo)
		if ns, ok := o.spread[k]; ok && ns != s.Namespace {
			o.spread[k] = "*"
		} else {
			o.spread[k] = s.Namespace
		}
		if g, ok := o.groups[s.Resource]; ok && g != s.Group {
			o.groups[s.Resource] = "*"
		} else {
			o.groups[s.Resource] = s.Group
		}
		switch {
		case s.State == model.Overdue:
			o.suspect++
		case unwell(&s):
			o.stale++
			o.moving = o.moving || s.Last.Until.After(now) || s.State == model.Connecting
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
	o.outages = findOutages(streams)
	o.troubles = findTroubles(streams, o.outages)
	return o
}

// onlyNamespace returns the namespace if the streams watch no other, nor have
// watched one: their rows are still there.
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

// host is where a stream comes from.
func (o *overall) host(id model.StreamID) host {
	s := o.stream(id)
	return host{s.Context, s.Server}
}

// name is how a stream is called on screen: with its group only where two
// groups have a resource of that name, and with its selection, lest "pods 0"
// reads as if there were none.
func (o *overall) name(s model.StreamInfo) string { return o.short(s) + o.where(s) }

// where tells a stream from others of its resource in other namespaces.
func (o *overall) where(s model.StreamInfo) string {
	switch {
	case o.spread[collectionOf(s)] != "*":
		return ""
	case s.Namespace == "":
		return " in all"
	}
	return " in " + s.Namespace
}

// collection is a resource of a cluster.
type collection struct{ context, group, resource string }

func collectionOf(s model.StreamInfo) collection { return collection{s.Context, s.Group, s.Resource} }

func (o *overall) short(s model.StreamInfo) string {
	if o.groups[s.Resource] == "*" {
		return s.Name() + selection(s)
	}
	return s.Resource + selection(s)
}

// selection is what narrows a stream, as kubectl takes it: "/checkout" for one
// object, " -l tier=x"; field selectors stand without their long flag.
func selection(s model.StreamInfo) string {
	var out string
	fields := s.Field
	if rest, ok := strings.CutPrefix(fields, "metadata.name="); ok {
		var name string
		name, fields, _ = strings.Cut(rest, ",")
		out = "/" + name
	}
	if s.Label != "" {
		out += " -l " + s.Label
	}
	if fields != "" {
		out += " " + fields
	}
	return out
}

// selected is the selection that all streams share, "" if they do not.
func (o *overall) selected() string {
	first, any := "", false
	for i := range o.streams {
		s := &o.streams[i]
		switch of := selection(s.StreamInfo); {
		case s.Removed():
		case any && of != first:
			return ""
		default:
			first, any = of, true
		}
	}
	return strings.TrimPrefix(first, " ")
}

// live reports whether the screen may call itself live.
func (o *overall) live() bool { return o.watched > 0 && o.fresh == o.watched }

// perSecond is the mean of the last five full seconds, in events.
func (o *overall) perSecond() float64 {
	var n uint32
	full := o.rate[:model.RateSeconds-1]
	for _, v := range full[len(full)-5:] {
		n += v
	}
	return float64(n) / 5
}

// stateOrder is the order in which the states are counted.
var stateOrder = [...]model.State{model.Live, model.Quiet, model.Rotating, model.Polling, model.Syncing, model.Connecting,
	model.Relisting, model.Expired, model.Backoff, model.Overdue, model.Slept, model.Denied, model.Gone, model.Stopped,
	model.Paused, model.Idle}

// counts writes "8 streams: 6 live 1 retry 1 quiet".
func (o *overall) counts() string {
	b := plural(o.watched, "stream")
	sep := ": "
	for _, s := range stateOrder {
		if n := o.states[s]; n > 0 {
			b += sep + strconv.Itoa(n) + " " + strings.ToLower(s.String())
			sep = " "
		}
	}
	return b
}
