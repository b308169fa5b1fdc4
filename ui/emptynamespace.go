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

// askNamespace is how long an answer counts.
const askNamespace = 30 * time.Second

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

// lack asks for the namespace of a stream that has nothing, one at a time.
func (x *absence) lack(a *App) tea.Cmd {
	f, ok := a.o.Watcher.(namespaceFinder)
	if !ok || x.asking || a.replay != nil || !a.lay.shows(paneTimeline) {
		return nil
	}
	for i := range a.all.streams {
		s := &a.all.streams[i]
		place := [2]string{s.Context, s.Namespace}
		p := x.known[place]
		if !bare(s) || !p.at.IsZero() && (p.exists || a.clock.Sub(p.at) < askNamespace) {
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
	return "the first object: none is seen, namespace " + s.Namespace + " may be empty or not exist"
}
