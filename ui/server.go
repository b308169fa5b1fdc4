package ui

import (
	"context"
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// Server tells what a server says of itself, as long as somebody looks.
type Server interface {
	// Metrics reads the figures of the server of a context again and again. It
	// returns at once; ctx ends the readings and closes the channel. Nothing is
	// read before what was read is taken.
	Metrics(ctx context.Context, cluster string) <-chan model.ServerStats
}

// server is the page of what the server of a context says of itself: a small
// chart for each figure. It asks only while it is open.
type server struct {
	context string

	readings <-chan model.ServerStats
	cancel   context.CancelFunc
	waiting  bool
	request  int

	last   model.ServerStats // the newest reading
	charts []chart           // of the newest reading that had figures, those that are given first
	anew   bool              // counting began anew in the newest reading
	cursor int
	top    int // first row of charts shown
	cols   int // of the last frame
	rows   int
	high   int // lines of a row
}

// chart is a figure over time.
type chart struct {
	model.Figure           // the newest
	past         []float64 // the newest last; NaN is unknown
}

// chartMemory is how many readings a chart remembers: more than any screen is
// wide enough for.
const chartMemory = 240

func openServer(a *App) page {
	s := &server{}
	if x, ok := a.streams.selected(); ok {
		s.context = x.Context
	}
	return s
}

func serverKeys() []binding {
	on := func(n int) func(*App) tea.Cmd {
		return act(func(a *App) {
			if s, ok := a.page.page.(*server); ok {
				s.walk(a, n)
			}
		})
	}
	return []binding{
		{id: "server-next", keys: []string{"right", "l"}, help: "the server of the next context", hint: "context", here: (*App).inContexts, when: (*App).hasContexts, do: on(1)},
		{id: "server-previous", keys: []string{"left", "h"}, help: "that of the context before", when: (*App).hasContexts, do: on(-1)},
	}
}

func (a *App) hasServer() (bool, string) {
	switch {
	case a.replay != nil:
		return false, "a tape has no metrics of servers: they are read live"
	case a.o.Server == nil:
		return false, "there is no server to ask for its metrics"
	}
	return len(a.contexts()) > 0, "no stream, and so no server"
}

func (a *App) hasContexts() (bool, string) {
	return len(a.contexts()) > 1, "there is but one context"
}

// contexts are those that have streams, in their order.
func (a *App) contexts() (out []string) {
	for i := range a.all.streams {
		if c := a.all.streams[i].Context; !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// walk goes to the server of another context, and begins there anew.
func (s *server) walk(a *App, n int) {
	all := a.contexts()
	at := slices.Index(all, s.context)
	next := all[((at+n)%len(all)+len(all))%len(all)]
	if next == s.context {
		return
	}
	s.close()
	*s = server{context: next, request: s.request + 1}
}

func (s *server) close() {
	if s.cancel != nil {
		s.cancel()
	}
}

// lack waits for the next reading.
func (s *server) lack(a *App) tea.Cmd {
	if s.waiting || a.o.Server == nil {
		return nil
	}
	if s.readings == nil {
		var ctx context.Context
		ctx, s.cancel = context.WithCancel(a.ctx)
		s.readings = a.o.Server.Metrics(ctx, s.context)
	}
	s.waiting = true
	number, readings := s.request, s.readings
	return func() tea.Msg {
		x, ok := <-readings // closed when the page is
		if !ok {
			return nil
		}
		return pageMsg{to: s, request: number, data: x}
	}
}

// take adds a reading to the charts.
func (s *server) take(_ *App, m pageMsg) {
	x, ok := m.data.(model.ServerStats)
	if !ok || m.request != s.request {
		return
	}
	s.waiting, s.last, s.anew = false, x, x.Restarted
	if x.Err != "" {
		for i := range s.charts {
			s.charts[i].add(math.NaN())
		}
		return
	}
	for _, f := range x.Figures {
		i := slices.IndexFunc(s.charts, func(c chart) bool { return c.Name == f.Name })
		if i < 0 {
			s.charts, i = append(s.charts, chart{}), len(s.charts)
		}
		c := &s.charts[i]
		if c.Figure = f; f.Known {
			c.add(f.Value)
		} else {
			c.add(math.NaN())
		}
	}
	slices.SortStableFunc(s.charts, func(a, b chart) int {
		switch {
		case a.Given == b.Given:
			return 0
		case a.Given:
			return -1
		}
		return 1
	})
}

func (c *chart) add(v float64) {
	if len(c.past) == chartMemory {
		c.past = append(c.past[:0], c.past[1:]...)
	}
	c.past = append(c.past, v)
}

// bounds are the least and the largest value remembered.
func (c *chart) bounds() (low, high float64, ok bool) {
	for _, v := range c.past {
		switch {
		case math.IsNaN(v):
		case !ok:
			low, high, ok = v, v, true
		default:
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high, ok
}

func (s *server) info(a *App) string {
	out := s.context
	if i := slices.Index(a.contexts(), s.context); i >= 0 && len(a.contexts()) > 1 {
		out += " · context " + count(i+1) + " of " + count(len(a.contexts()))
	}
	if !s.last.At.IsZero() && s.last.Err == "" {
		out += " · read in " + brief(s.last.Took) + ", " + size(s.last.Bytes) + " · every " + brief(s.last.Every)
	}
	return out
}

func (s *server) move(_ *App, n int) { s.cursor = max(min(s.cursor+n, len(s.charts)-1), 0) }

func (s *server) edge(a *App, dir int) { s.move(a, dir*len(s.charts)) }

// click chooses a chart; y 0 is the line of the reading.
func (s *server) click(a *App, x, y int) {
	if s.cols == 0 || y < 1 || (y-1)/s.high >= s.rows {
		return
	}
	width := max(a.lay.page.w/s.cols, 1)
	i := (s.top+(y-1)/s.high)*s.cols + min(x/width, s.cols-1)
	if i < len(s.charts) {
		s.cursor = i
	}
}
