package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// againKeys take back that a stream is no longer watched.
func againKeys() []binding {
	return []binding{
		{id: "watch-again", scope: scopeStreams, live: true, keys: []string{"u"}, help: "watch again what x has stopped, the last first", hint: "watch again",
			here: (*App).hasStopped, when: (*App).canWatchAgain, do: (*App).watchAgain},
	}
}

// lastStopped is the stream that x stopped last, of those that have not been added
// again by whatever means.
func (a *App) lastStopped() (last model.StreamInfo, ok bool) {
	for _, s := range a.stopped {
		if !slices.ContainsFunc(a.all.streams, func(x model.StreamStatus) bool {
			return !x.Removed() && collectionOf(x.StreamInfo) == collectionOf(s) && x.Namespace == s.Namespace && x.Field == s.Field
		}) {
			last, ok = s, true
		}
	}
	return last, ok
}

func (a *App) hasStopped() bool {
	_, ok := a.lastStopped()
	return ok
}

func (a *App) canWatchAgain() (bool, string) {
	return a.hasStopped(), "there is no stream that x has stopped"
}

func (a *App) watchAgain() tea.Cmd {
	s, _ := a.lastStopped()
	return a.addTypes(a.asTyped(s), false)
}

// asTyped is what adds a stream, in the palette and on the command line: TYPE or
// TYPE/NAME.
func (a *App) asTyped(s model.StreamInfo) string {
	word := a.all.name(model.StreamInfo{Group: s.Group, Resource: s.Resource})
	if name, ok := strings.CutPrefix(s.Field, "metadata.name="); ok {
		name, _, _ = strings.Cut(name, ",")
		word += "/" + name
	}
	return word
}

// removeStream stops a stream, and says how it comes back.
func (a *App) removeStream() tea.Cmd {
	s, _ := a.streams.selected()
	back := "; "
	if u := a.keys.key("watch-again"); u != "" {
		back += u + " takes it back, "
	}
	back += ":+" + a.asTyped(s.StreamInfo) + " adds it"
	cmd := a.wish("removing "+a.all.name(s.StreamInfo), nil, func(ctx context.Context, w Watcher) (Change, error) {
		c, err := w.Remove(ctx, s.ID)
		if err == nil {
			c.Text += back
		}
		return c, err
	})
	if cmd != nil {
		a.stopped = append(a.stopped, s.StreamInfo)
	}
	return cmd
}
