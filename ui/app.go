package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
	"rewatch/themes"
)

// App is the only tea.Model. Its panes are plain structs that draw inside
// their rectangles; App divides the screen, hands out the keys and asks for
// what must be worked out outside of the event loop.
type App struct {
	ctx  context.Context
	o    Options
	log  *model.Log
	keys *keymap
	wake waker
	// Close gives the log's wake-up back.
	Close func()

	st         themes.Styles
	theme      string // "dark", "light" or "mono"
	autoTheme  bool
	fewColours bool
	lay        layout
	now        time.Time
	all        overall
	stats      model.Stats

	focus pane
	zoom  bool
	// paused freezes timeline and object at a snapshot; the streams, the
	// status and the count of what came since go on.
	paused   bool
	pausedAt model.Seq
	last     model.Snapshot // the log as last seen
	flash    string         // a short message in the footer
	flashEnd time.Time

	header   header
	streams  streamsPane
	timeline timeline
	object   objectPane
	status   statusBar
	filter   filterBar
	help     helpPane

	infoRequest int
	infoLoading bool
	previewed   time.Time // when the preview last changed by itself
	asked       time.Time // when Init asked the terminal
	quitting    bool
}

// NewApp returns the model for a program. ctx ends its waiting commands.
func NewApp(ctx context.Context, o Options) *App {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	a := &App{ctx: ctx, o: o, log: o.Log, keys: newKeymap(bindings()), focus: paneTimeline}
	a.wake = waker{log: o.Log, frame: time.Second / time.Duration(o.fps()), brief: o.brief()}
	a.wake.wake, a.Close = o.Log.Subscribe()
	a.timeline = newTimeline(o.Log, o.Location, &a.st, &a.all)
	a.header = header{title: o.Title, st: &a.st, loc: o.Location, all: &a.all}
	a.streams = streamsPane{st: &a.st, all: &a.all}
	a.object = objectPane{st: &a.st, loc: o.Location}
	a.status = statusBar{st: &a.st, all: &a.all}
	a.help = helpPane{st: &a.st, keys: a.keys}
	a.chooseTheme()
	a.refresh()
	return a
}

func (a *App) chooseTheme() {
	name := a.o.Theme
	if name == "" || name == "auto" {
		name = "dark" // until the terminal has answered
		a.autoTheme = true
		if a.o.env("NO_COLOR") != "" || a.o.env("TERM") == "dumb" {
			name, a.autoTheme = "mono", false
		}
	}
	a.setTheme(name)
}

func (a *App) setTheme(name string) {
	a.theme = name
	switch {
	case name == "mono":
		a.st = themes.NoColour()
	case a.fewColours:
		a.st = themes.FewColours(name == "light")
	case name == "light":
		a.st = themes.New(themes.Light())
	default:
		a.st = themes.New(themes.Dark())
	}
	a.timeline.restyle()
}

// tickMsg says that time has passed.
type tickMsg struct{}

// Init asks the terminal what it can do and starts the two clocks: one that
// ticks, and one that is woken by the log.
func (a *App) Init() tea.Cmd {
	a.asked = time.Now()
	cmds := []tea.Cmd{a.wait(), a.tick(),
		// Bubble Tea does not ask for this one over SSH.
		tea.Raw(ansi.RequestModeSynchronizedOutput)}
	if a.autoTheme {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// wait asks for the next wake-up, and for what the timeline then needs.
func (a *App) wait() tea.Cmd {
	o := outlook{from: a.timeline.snap.End(), query: a.filter.value(), noise: a.timeline.coming().noise}
	if a.timeline.follow && !a.paused && a.lay.shows(paneTimeline) {
		o.rows = a.timeline.height
	}
	return a.wake.wait(a.ctx, o)
}

// tick returns after a second, or a quarter of one while something on screen
// counts in smaller steps.
func (a *App) tick() tea.Cmd {
	d := time.Second
	if a.all.moving {
		d = time.Second / 4
	}
	ctx := a.ctx
	return func() tea.Msg {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
			return tickMsg{}
		}
	}
}

// Update handles one message and asks for what the screen then lacks.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := a.handle(msg)
	return a, tea.Batch(cmd, a.lack())
}

func (a *App) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case wakeMsg:
		for seq, info := range msg.infos {
			a.timeline.infos.put(seq, info)
		}
		a.refreshTo(msg.snap)
		return a.wait()
	case tickMsg:
		a.refreshTo(a.last)
		return a.tick()
	case tea.WindowSizeMsg:
		a.lay.w, a.lay.h = msg.Width, msg.Height
		a.relayout()
		return redrawAll()
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		if a.filter.editing {
			a.editFilterBy(func() { a.filter.insert(msg.Content) })
		}
	case tea.MouseWheelMsg:
		a.wheel(tea.Mouse(msg))
	case tea.MouseClickMsg:
		a.click(tea.Mouse(msg))
	case tea.BackgroundColorMsg:
		if a.autoTheme && msg.IsDark() == (a.theme == "light") {
			a.setTheme(map[bool]string{true: "dark", false: "light"}[msg.IsDark()])
		}
	case tea.ColorProfileMsg:
		a.fewColours = msg.Profile <= colorprofile.ANSI && msg.Profile > colorprofile.Unknown
		a.setTheme(a.theme)
	case infosMsg:
		a.takeInfos(msg)
	case objectMsg:
		a.object.take(msg)
	case scanMsg:
		if a.timeline.scanning {
			a.timeline.extend(a.timeline.snap)
		}
	}
	return nil
}

// redrawAll repaints a terminal that has changed its size. Until the program
// hears of that, the renderer goes on scrolling in the old size, and what it
// restores then as the scrolling region, rows 1 to 24 say, is but a part of
// the new screen: the next frame would scroll in it. So the region is reset
// first, then all is drawn.
func redrawAll() tea.Cmd {
	return tea.Sequence(tea.Raw(resetScrollingRegion), tea.ClearScreen)
}

// resetScrollingRegion is DECSTBM without margins.
const resetScrollingRegion = "\x1b[r"

// scanMsg continues an index that has not seen all rows.
type scanMsg struct{}

// lack asks for what the screen lacks, each at most once at a time.
func (a *App) lack() tea.Cmd {
	if a.quitting {
		return nil
	}
	var cmds []tea.Cmd
	if a.timeline.scanning {
		cmds = append(cmds, func() tea.Msg { return scanMsg{} })
	}
	if !a.infoLoading && a.lay.shows(paneTimeline) {
		if rows := a.timeline.missing(); len(rows) > 0 {
			a.infoLoading = true
			a.infoRequest++
			cmds = append(cmds, loadInfos(a.ctx, a.log, a.infoRequest, rows))
		}
	}
	a.preview()
	if a.lay.shows(paneObject) && a.object.due() {
		a.object.loading = true
		a.object.request++
		cmds = append(cmds, loadObject(a.ctx, a.log, a.object.request, a.object.want))
	}
	return tea.Batch(cmds...)
}

func (a *App) takeInfos(m infosMsg) {
	if m.request != a.infoRequest {
		return
	}
	a.infoLoading = false
	for seq, info := range m.infos {
		a.timeline.infos.put(seq, info)
	}
}

// previewPause is how often the object pane changes by itself while the
// timeline follows: it must stay readable in a storm.
const previewPause = 1500 * time.Millisecond

// preview keeps the object pane with the cursor, or an opened object at its
// newest version.
func (a *App) preview() {
	a.object.latest = 0
	if a.object.pinned {
		_, newest := a.log.Versions(a.object.want.id)
		if a.object.newest && !a.paused && newest > a.object.want.version {
			a.object.want.version = newest
		}
		a.object.latest = newest
		return
	}
	if a.timeline.follow && a.now.Sub(a.previewed) < previewPause && (a.object.data != nil || a.object.hasRow) {
		return
	}
	if e, ok := a.timeline.selected(); ok {
		f := a.timeline.folded(e)
		if step := !e.Type.IsObject(); step && !a.timeline.follow || !step && f == nil {
			a.object.preview(e, f, &a.all)
			a.previewed = a.now
		}
	}
}

// refresh takes in what the log and the streams are now.
func (a *App) refresh() { a.refreshTo(a.log.Snapshot()) }

// refreshTo takes in what the streams are now, and the log up to a snapshot:
// rows come with the wake-ups, which bring what they say along.
func (a *App) refreshTo(s model.Snapshot) {
	if s.End() < a.last.End() {
		s = a.last // the wake-up was overtaken by a key
	}
	a.last = s
	a.now = a.o.Now()
	a.all = newOverall(a.log.Streams(a.now), a.now)
	a.stats = a.log.Stats()
	if !a.paused {
		a.timeline.extend(s)
	}
	a.timeline.resize(a.lay.pane[paneTimeline].body(), a.all.contexts > 1)
	a.streams.settle()
	if a.flash != "" && a.now.After(a.flashEnd) {
		a.flash = ""
	}
}

// relayout divides the screen anew.
func (a *App) relayout() {
	a.lay = newLayout(a.lay.w, a.lay.h, a.focus, a.zoom)
	for p, r := range a.lay.pane {
		if r.h == 0 {
			continue
		}
		switch pane(p) {
		case paneStreams:
			a.streams.r, a.streams.zoomed = r.body(), a.zoom
			a.streams.settle()
		case paneTimeline:
			a.timeline.resize(r.body(), a.all.contexts > 1)
		case paneObject:
			a.object.r = r.body()
			a.object.settle()
		}
	}
	a.streams.focused = a.focus == paneStreams
	a.timeline.focused = a.focus == paneTimeline
	a.object.focused = a.focus == paneObject
}
