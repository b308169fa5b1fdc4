package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// page is what takes the place of the panes while it is open: lanes, problems.
type page interface {
	// draw returns the lines of the page: as many as its rectangle has, each as
	// wide. a is for looking at; what takes long is asked for by lack.
	draw(a *App, r rect) []string
	// info is what must be known of the page as a whole, in its title.
	info(a *App) string
	// move moves the cursor by lines, edge to the first (-1) or the last (1).
	move(a *App, n int)
	edge(a *App, dir int)
	// lack asks for what the page lacks, at most once at a time; it is called
	// after each message. take gets the answer, if the page is still open.
	lack(a *App) tea.Cmd
	take(a *App, m pageMsg)
	// click is the left button at a cell of the rectangle.
	click(a *App, x, y int)
	// close ends what goes on for the page alone.
	close()
}

// pageBase is a page that has nothing to end.
type pageBase struct{}

func (pageBase) close() {}

// pageMsg answers what a page asked for.
type pageMsg struct {
	to      page // a page that is not open any more gets none
	request int
	data    any
}

// pageInfo is a row of the table of pages.
type pageInfo struct {
	name string // in the title and in the palette
	key  string
	help string // of the key
	hint string // in the footer; "" is left out of it
	live bool   // there is none in a replay
	find bool   // its lines can be searched: it is a textPage
	when func(*App) (ok bool, reason string)
	open func(*App) page
	keys []binding // that the page has for itself, in its own scope
}

// pages is the table. A page is a file and a row.
func pages() []pageInfo {
	return []pageInfo{
		{name: "Problems", key: "F", help: "what is wrong, and why: streams, Pods, nodes, fights, gaps", hint: "problems", open: openProblems, find: true, keys: problemKeys()},
		{name: "Coverage", key: "C", help: "when streams were watched, what may be missing, what holds it", hint: "coverage", open: openCoverage, find: true, keys: coverageKeys()},
		{name: "Lanes", key: "L", help: "a row for each object, time across: a rollout as a waterfall", hint: "lanes", open: openLanes, keys: laneKeys()},
		{name: "Protocol", key: "P", help: "every request of the stream that is chosen in Streams", when: (*App).hasProtocol, open: openProtocol, find: true, keys: protocolKeys()},
		{name: "Server", key: "S", help: "what the API server says of itself: watches, caches, queues, etcd", when: (*App).hasServer, open: openServer, find: true, keys: serverKeys()},
	}
}

// pageKeys are those that open pages, and those of the pages.
func pageKeys() (out []binding) {
	for i, p := range pages() {
		out = append(out, binding{id: "page-" + p.name, keys: []string{p.key, "g " + p.key}, help: p.name + ": " + p.help, hint: p.hint, short: strings.ToLower(p.name), live: p.live, when: p.when,
			do: act(func(a *App) { a.togglePage(i) })})
		if p.find {
			p.keys = append(p.keys, binding{id: strings.ToLower(p.name) + "-find", keys: []string{"/"}, help: "search this page; n and N go on; esc forgets it", hint: "search", do: act((*App).askFind)})
		}
		for _, b := range p.keys {
			b.scope = scopePage + scope(i)
			out = append(out, b)
		}
	}
	return out
}

// opened is the page that is open; nil is none, and the panes are shown.
type opened struct {
	page
	at int // in the table

	hunt
	doc     []docLine // what is searched
	changed bool      // it may be another now
}

// togglePage opens a page, or closes it if it is open.
func (a *App) togglePage(i int) {
	if a.page.page != nil && a.page.at == i {
		a.closePage()
		return
	}
	a.openPage(opened{page: pages()[i].open(a), at: i})
}

func (a *App) openPage(p opened) {
	a.closePage()
	a.page = p
}

// openPageNamed opens a page of the table by its name.
func (a *App) openPageNamed(name string, p page) {
	a.openPage(opened{page: p, at: slices.IndexFunc(pages(), func(i pageInfo) bool { return i.name == name })})
}

func (a *App) closePage() {
	if a.page.page != nil {
		a.page.close()
	}
	a.page = opened{}
}

// leavePage goes from a page to an object, at the version that a row brought (0
// is the newest) or at noRow; esc comes back to the page.
func (a *App) leavePage(id model.ObjectID, seq model.Seq) {
	a.page.rest()
	a.left, a.page = a.page, opened{}
	a.object.before = nil
	a.goTo(id, seq)
}

// pageTitle is the rule above a page.
func (a *App) pageTitle(w int) string {
	l := newLine("")
	l.fill(a.st.Rule, "─", 1)
	l.text(a.st.Title, "▸"+pages()[a.page.at].name+" ")
	info := a.page.info(a)
	if found := a.page.told(a.page.place()); found != nil {
		info = found[0] + " · " + info
	}
	info, n := fit(info, w-l.w-4)
	if n > 0 {
		l.fill(a.st.Rule, "─", w-n-3)
		l.text(a.st.Dim, " "+info+" ")
	}
	l.fill(a.st.Rule, "─", w)
	return l.end(w)
}
