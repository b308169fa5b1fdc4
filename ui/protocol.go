package ui

import (
	"context"
	"net/url"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/themes"
)

// protocol is the page of one stream as HTTP sees it: its requests, the newest
// at the bottom, and all that is known of the one under the cursor.
type protocol struct {
	pageBase
	stream model.StreamID

	log     *model.Log // that the requests are of: a jump of a replay brings another
	next    model.Seq  // the first row not looked at yet
	reading bool
	request int
	list    []told
	steps   int // steps of the stream in the rows read, with or without a request
	bad     int // requests of the list that ended badly

	cursor, top, h int
	away           bool // the cursor was taken off the newest request
	zoomed         bool // the request under the cursor gets most of the page
}

// told is a request as the newest step that tells of it has it.
type told struct {
	*model.Request
	seq    model.Seq // of that step
	frames int64     // of the stream since the first step that told of it
}

// openProtocol shows the stream that is chosen in Streams.
func openProtocol(a *App) page {
	p := &protocol{}
	if s, ok := a.streams.selected(); ok {
		p.stream = s.ID
	}
	return p
}

func protocolKeys() []binding {
	on := func(f func(*App, *protocol)) func(*App) tea.Cmd {
		return act(func(a *App) {
			if p, ok := a.page.page.(*protocol); ok {
				f(a, p)
			}
		})
	}
	return []binding{
		{id: "protocol-next", keys: []string{"right", "l"}, help: "the next stream", hint: "stream", do: on(func(a *App, p *protocol) { p.walk(a, 1) })},
		{id: "protocol-previous", keys: []string{"left", "h"}, help: "the stream before", do: on(func(a *App, p *protocol) { p.walk(a, -1) })},
		{id: "protocol-follow", keys: []string{"f"}, help: "follow the newest request, on and off", do: on(func(a *App, p *protocol) {
			if p.away = !p.away; !p.away {
				p.edge(a, 1)
			}
		})},
		{id: "protocol-zoom", keys: []string{"z"}, help: "room for the request under the cursor, and back", hint: "details",
			do: on(func(_ *App, p *protocol) { p.zoomed = !p.zoomed })},
		{id: "protocol-pause", live: true, keys: []string{"p"}, help: "pause or resume this stream", hint: "pause stream",
			when: (*App).hasStream, do: act((*App).pauseStream)},
		{id: "protocol-copy", keys: []string{"enter", "y k"}, help: "copy the request as a kubectl command", hint: "copy kubectl", when: (*App).hasRequest, do: (*App).copyRequest},
	}
}

func (a *App) hasProtocol() (bool, string) {
	_, ok := a.streams.selected()
	return ok, "no stream"
}

// chosen is the request under the cursor.
func (p *protocol) chosen() (told, bool) {
	if p.cursor < 0 || p.cursor >= len(p.list) {
		return told{}, false
	}
	return p.list[p.cursor], true
}

func (a *App) hasRequest() (bool, string) {
	p, ok := a.page.page.(*protocol)
	if ok {
		_, ok = p.chosen()
	}
	return ok, "there is no request"
}

func (a *App) copyRequest() tea.Cmd {
	if p, ok := a.page.page.(*protocol); ok {
		if q, ok := p.chosen(); ok {
			cmd, why := a.again(p, q.Request)
			if cmd == "" {
				a.say("no command: " + strings.TrimPrefix(why, "none: "))
				return nil
			}
			return a.copyText("kubectl command", cmd)
		}
	}
	return nil
}

// walk goes to another stream, in the order of Streams, where the cursor goes
// along.
func (p *protocol) walk(a *App, n int) {
	a.streams.move(n)
	if s, ok := a.streams.selected(); ok && s.ID != p.stream {
		p.stream = s.ID
		p.begin(a.log)
	}
}

// begin starts over.
func (p *protocol) begin(l *model.Log) {
	p.log, p.next, p.list, p.steps, p.bad = l, 0, nil, 0, 0
	p.cursor, p.top, p.away = 0, 0, false
	p.reading = false
	p.request++ // what is being read comes too late
}

func (p *protocol) move(_ *App, n int) {
	p.cursor = max(min(p.cursor+n, len(p.list)-1), 0)
	p.away = p.cursor < len(p.list)-1
}

func (p *protocol) edge(a *App, dir int) { p.move(a, dir*len(p.list)) }

// click chooses a request; y 0 is the head of the table.
func (p *protocol) click(a *App, _, y int) {
	if i := p.top + y - 1; y >= 1 && y < p.h && i < len(p.list) {
		p.move(a, i-p.cursor)
	}
}

// requestsRead answers what lack asks for.
type requestsRead struct {
	list  []told
	steps int
	next  model.Seq
	first model.Seq
}

// lack reads the rows that came: outside of the event loop, since most of them
// are none of a request.
func (p *protocol) lack(a *App) tea.Cmd {
	if p.log != a.log {
		p.begin(a.log)
	}
	if p.reading || p.next >= a.last.End() {
		return nil
	}
	p.reading = true
	p.request++
	number, from, snap, ctx, stream := p.request, p.next, a.last, a.ctx, p.stream
	return func() tea.Msg {
		read, ok := readRequests(ctx, snap, from, stream)
		if !ok {
			return nil
		}
		return pageMsg{to: p, request: number, data: read}
	}
}

// readRequests reads the rows of a snapshot from one on; ok is false if ctx ended.
func readRequests(ctx context.Context, s model.Snapshot, from model.Seq, stream model.StreamID) (read requestsRead, ok bool) {
	read.next, read.first = s.End(), s.First()
	read.list = append(read.list, told{}) // frames of the newest request known before
	for seq := max(from, s.First()); seq < s.End(); seq++ {
		if seq%scanBudget == 0 && ctx.Err() != nil {
			return read, false
		}
		e := s.At(seq)
		if e.Stream != stream {
			continue
		}
		last := &read.list[len(read.list)-1]
		if (e.Type.IsObject() || e.Type == model.Bookmark) && !e.Has(model.Synthetic) {
			last.frames++
			continue
		}
		t, isStep := e.Detail.(model.Transition)
		if !isStep {
			continue
		}
		read.steps++
		switch q := t.Request; {
		case q == nil:
		case last.Request != nil && last.Number == q.Number:
			last.Request, last.seq = q, seq
		default:
			read.list = append(read.list, told{Request: q, seq: seq})
		}
	}
	return read, true
}

// take adds what was read, and forgets what has left the log.
func (p *protocol) take(_ *App, m pageMsg) {
	read, ok := m.data.(requestsRead)
	if !ok || m.request != p.request {
		return
	}
	p.reading, p.next = false, read.next
	p.steps += read.steps
	for _, q := range read.list {
		n := len(p.list) - 1
		switch {
		case n >= 0 && (q.Request == nil || q.Number == p.list[n].Number):
			p.list[n].frames += q.frames
			if q.Request != nil {
				p.bad -= p.list[n].failed()
				p.list[n].Request, p.list[n].seq = q.Request, q.seq
				p.bad += q.failed()
			}
		case q.Request != nil:
			p.list = append(p.list, q)
			p.bad += q.failed()
		}
	}
	gone := 0
	for gone < len(p.list) && p.list[gone].seq < read.first {
		p.bad -= p.list[gone].failed()
		gone++
	}
	p.list, p.cursor, p.top = p.list[gone:], max(p.cursor-gone, 0), max(p.top-gone, 0)
	if !p.away {
		p.cursor = max(len(p.list)-1, 0)
	}
}

func (p *protocol) info(a *App) string {
	if int(p.stream) >= len(a.all.streams) {
		return ""
	}
	s := &a.all.streams[p.stream]
	name, where := a.streams.label(s)
	if where != "" {
		name += " in " + where
	}
	out := name + " · " + s.State.String() + " " + age(a.now.Sub(s.Onset())) + " · " + plural(len(p.list), "request")
	if p.bad > 0 {
		out += ", " + count(p.bad) + " failed"
	}
	if p.away {
		return out + " · f follows"
	}
	return out + " · follow"
}

// fared is how a request fared.
type fared uint8

const (
	well   fared = iota // ended in order
	open                // goes on
	byUs                // ended by rewatch
	lately              // not in order, or late
	badly
)

// awaiting is how long headers may take before that is said.
const awaiting = time.Second

// fare says how a request fared, in words too.
func fare(q *told, now time.Time) (fared, string) {
	switch {
	case !q.Ended && q.Status == 0 && now.Sub(q.Sent) > awaiting:
		return lately, "awaiting headers"
	case !q.Ended && q.Status == 0:
		return open, "sent"
	case !q.Ended && q.Verb == model.VerbList:
		return open, "is being read"
	case !q.Ended:
		return open, "open"
	}
	words := q.Text
	if words == "" {
		words = string(q.Cause)
	}
	switch q.Cause {
	case model.CauseNone, model.CauseTimeout:
		return well, words
	case model.CauseUser, model.CauseShutdown:
		return byUs, words
	case model.CauseGoAway, model.CauseDeadline, model.CausePageExpired, model.CauseNoInitialEvents, model.CauseThrottled, model.CauseInitialising,
		model.CauseTooLarge, model.CauseNoEndMark, model.CauseWatchListFailing, model.CauseSlowReader, model.CauseNotWatchable:
		return lately, words
	}
	return badly, words
}

// failed counts a request that ended badly, which no time changes.
func (q *told) failed() int {
	if f, _ := fare(q, q.Sent); f == badly {
		return 1
	}
	return 0
}

// sign is a glyph and a style for how a request fared.
func (f fared) sign(st *themes.Styles) (string, themes.Style) {
	switch f {
	case open:
		return "»", st.Info
	case byUs:
		return "·", st.Dim
	case lately:
		return "!", st.Warn
	case badly:
		return "✗", st.BadBold
	}
	return "✓", st.Good
}

// parameter is the first value of a parameter of a request.
func parameter(q *model.Request, name string) string {
	values, err := url.ParseQuery(q.Query)
	if err != nil {
		return ""
	}
	return values.Get(name)
}
