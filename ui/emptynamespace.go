package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// A watch in a namespace that does not exist is answered as one in an empty
// namespace is. So it is asked, where nothing is there, whether it exists.

// namespaceFinder is a Watcher that can ask for one namespace.
type namespaceFinder interface {
	// HasNamespace reports whether a namespace exists; an error says that it is
	// not known.
	HasNamespace(ctx context.Context, cluster, namespace string) (bool, error)
}

// presence is what is known of a namespace.
type presence struct {
	exists, known bool
	at            time.Time // when it was asked; zero is never
}

const (
	// askNamespace is how long it counts that there is no such namespace.
	askNamespace = 30 * time.Second
	// askRefused is how long a refusal counts: a user who may not get a
	// namespace is not to fill the audit log of its cluster.
	askRefused = 10 * time.Minute
)

// due reports whether a namespace is to be asked for; one that was there once
// is not.
func (p presence) due(now time.Time) bool {
	switch {
	case p.at.IsZero():
		return true
	case p.known:
		return !p.exists && now.Sub(p.at) >= askNamespace
	}
	return now.Sub(p.at) >= askRefused
}

// absence is what was asked of the namespaces of streams that have no object.
type absence struct {
	known  map[[2]string]presence // by context and namespace
	asking bool
}

// presenceMsg brings the answer for one.
type presenceMsg struct {
	place [2]string
	presence
}

func (m presenceMsg) take(a *App) tea.Cmd {
	m.at, a.absent.asking = a.clock, false
	known := map[[2]string]presence{m.place: m.presence}
	for k, v := range a.absent.known {
		if k != m.place {
			known[k] = v
		}
	}
	a.absent.known = known
	return nil
}

// lack asks for the namespace of a stream that has nothing, one at a time and
// only while it is told what streams wait for.
func (x *absence) lack(a *App) tea.Cmd {
	if x.asking || a.replay != nil || a.page.page != nil || !a.lay.shows(paneTimeline) || !a.timeline.tellsWaits() {
		return nil
	}
	f, ok := a.o.Watcher.(namespaceFinder)
	if !ok {
		return nil
	}
	for i := range a.all.streams {
		s := &a.all.streams[i]
		if !bare(s) {
			continue
		}
		place := [2]string{s.Context, s.Namespace}
		if !x.known[place].due(a.clock) {
			continue
		}
		x.asking = true
		ctx := a.ctx
		return func() tea.Msg {
			exists, err := f.HasNamespace(ctx, place[0], place[1])
			if ctx.Err() != nil {
				return nil
			}
			return presenceMsg{place, presence{exists: exists && err == nil, known: err == nil}}
		}
	}
	return nil
}

// tellsWaits reports whether the timeline has no rows and says what its streams
// wait for: see empty.
func (t *timeline) tellsWaits() bool {
	if t.index.end() != t.index.first() || t.all.watched == 0 {
		return false
	}
	_, looking := t.looking()
	return !looking && (t.query == nil || t.snap.Len() == 0)
}

// bare reports whether a stream of one namespace is open and has never had an
// object.
func bare(s *model.StreamStatus) bool {
	return s.Namespaced && s.Namespace != "" && !s.Removed() && (s.State.Fresh() || s.State == model.Polling) && s.Objects == 0 && s.Added == 0
}

// nothing says what a stream without objects waits for.
func (x absence) nothing(s *model.StreamStatus) string {
	p := x.known[[2]string{s.Context, s.Namespace}]
	switch {
	case !bare(s) || p.exists || p.at.IsZero():
		return "the first object: none exists"
	case p.known:
		return "the first object: there is no namespace " + s.Namespace
	}
	return "the first object: " + s.Namespace + " is empty or does not exist"
}
