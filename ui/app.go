package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/fights"
	"rewatch/model/noise"
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
	// unsubscribe gives the log's wake-up back.
	unsubscribe func()

	st    themes.Styles
	skin  skin
	lay   layout
	now   time.Time // by the clock of what is shown: the tape's, in a replay
	clock time.Time // by the clock on the wall
	all   overall
	stats model.Stats

	focus pane
	zoom  bool
	// paused freezes timeline and object at a snapshot; the streams, the
	// status and the count of what came since go on.
	paused   bool
	pausedAt model.Seq
	last     model.Snapshot // the log as last seen
	flash    string         // a short message in the footer
	said     string         // the last one that answered a key
	flashEnd time.Time

	header   header
	streams  streamsPane
	timeline timeline
	object   objectPane
	status   statusBar
	filter   filterBar
	help     helpPane
	list     listPane
	prompt   prompt
	palette  palette
	absent   absence

	page  opened         // what takes the place of the panes
	left  opened         // the page that an object was opened from
	typed typed          // of a command
	drag  func(x, y int) // what the mouse drags; nil is nothing

	errand     tea.Cmd // what a prompt has asked for
	hitRequest int     // for the next match in the timeline
	waiting    heldKeys
	offered    offer
	finds      int // searches in lines so far
	undo       filterPast
	stopped    []model.StreamInfo // what x in Streams no longer watches
	hot        hotspots           // of the frame that is shown
	pressed    press
	splits     splits

	replay    *replay // nil: live
	scrub     scrubber
	marks     marks
	recording recording

	reading  bool // a command reads what rows mean
	behind   bool // not all rows had been read
	readEnd  model.Seq
	readNext model.Seq
	findings []fights.Finding
	dropped  int // findings that are not kept

	infoRequest int
	infoLoading bool
	previewed   previewed // what the preview last changed to by itself
	asked       time.Time // when Init asked the terminal
	quitting    bool
	pace        pacer
	renderer    func() *time.Ticker
	blurred     bool // another window has the focus
	sample      sample
	tour        tour
	home        *time.Location // the time zone of the user
}

// NewApp returns the model for a program. ctx ends its waiting commands.
func NewApp(ctx context.Context, o Options) *App {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	a := &App{ctx: ctx, o: o, log: o.Log, keys: newKeymap(rebind(bindings(), o.Keys)), focus: paneTimeline}
	a.wake = waker{frame: time.Second / time.Duration(o.fps()), brief: o.brief()}
	if o.Transport != nil {
		a.log, a.replay = o.Transport.Log(), &replay{deck: o.Transport, patience: seekPatience}
		a.wake.deck, a.wake.changed = o.Transport, o.Transport.Changed()
	}
	a.subscribe()
	if o.Noise == nil {
		a.o.Noise = noise.Default()
	}
	a.timeline = newTimeline(a.log, o.Location, &a.st, &a.all)
	a.timeline.how = shown{set: newColumnSet(o.Rows.Columns)}
	a.timeline.know = newUnderstanding(a.log, a.o.Noise)
	a.timeline.index.by(a.timeline.know, &a.all)
	a.header = header{title: o.Title, st: &a.st, loc: o.Location, all: &a.all, replay: a.replay, recording: &a.recording, keys: a.keys}
	a.scrub = scrubber{st: &a.st, loc: o.Location}
	a.recording.recorder = o.Recorder
	a.streams = streamsPane{st: &a.st, all: &a.all}
	a.object = objectPane{st: &a.st, loc: o.Location}
	a.status = statusBar{st: &a.st, all: &a.all, loc: o.Location, replay: a.replay, scrub: &a.scrub}
	a.list = listPane{st: &a.st}
	a.help = helpPane{st: &a.st, skin: &a.skin, keys: a.keys, replay: a.replay != nil, off: a.off}
	a.chooseTheme()
	a.home = o.Location
	a.setTimes(timeModeOf(o.Rows.Times))
	if a.replay != nil {
		a.scrub.over = o.Transport.Overview()
	}
	a.refresh()
	if o.Tour {
		a.beginTour()
	}
	return a
}

// subscribe has the log wake the screen.
func (a *App) subscribe() {
	a.wake.log = a.log
	a.wake.wake, a.unsubscribe = a.log.Subscribe()
}

// Close gives the log's wake-up back.
func (a *App) Close() { a.unsubscribe() }

// tickMsg says that time has passed.
type tickMsg struct{}

// Init asks the terminal what it can do and starts the two clocks: one that
// ticks, and one that is woken by the log.
func (a *App) Init() tea.Cmd {
	a.asked = time.Now()
	cmds := []tea.Cmd{a.wait(), a.tick(), a.watchThemes(), a.waitJobs(), a.o.asksSynchronised()}
	if a.asksBackground() {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(cmds...)
}

// wait asks for the next wake-up, and for what the timeline then needs.
func (a *App) wait() tea.Cmd {
	o := outlook{from: a.timeline.snap.End(), query: a.filter.query, now: a.now.In(a.o.Location), noise: a.timeline.noise, grouping: a.timeline.grouping, height: a.timeline.height, know: a.timeline.know, blurred: a.blurred}
	if a.timeline.follow && !a.paused && a.lay.shows(paneTimeline) {
		o.rows = a.timeline.height
	}
	return a.wake.wait(a.ctx, o)
}

// tick returns after a second, or a quarter of one while something on screen
// counts in smaller steps.
func (a *App) tick() tea.Cmd {
	d := time.Second
	if a.all.moving && !a.still() || a.replay != nil && a.replay.play.Playing {
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
	if a.pace.ticker == nil && a.renderer != nil { // there is one once the program runs
		a.pace.ticker = a.renderer()
	}
	a.pace.saw(msg)
	cmds := []tea.Cmd{a.handle(msg), a.letGo()}
	a.checkTour()
	return a, tea.Batch(append(cmds, a.lack())...)
}

func (a *App) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case wakeMsg:
		a.takeWake(msg)
		return a.wait()
	case seekMsg:
		a.refreshTo(a.last)
	case tickMsg:
		a.refreshTo(a.last)
		return a.tick()
	case tea.FocusMsg, tea.BlurMsg:
		_, blurred := msg.(tea.BlurMsg)
		a.setBlurred(blurred)
	case tea.WindowSizeMsg:
		a.lay.w, a.lay.h = msg.Width, msg.Height-a.tourHeight(msg.Width, msg.Height)
		a.relayout()
		return redrawAll()
	case tea.KeyPressMsg:
		if a.tourKey(msg) || a.hold(msg) {
			return nil
		}
		return a.key(msg)
	case tea.PasteMsg:
		switch {
		case a.prompt.shown:
			a.editPrompt(func() { a.prompt.insert(msg.Content) })
		case a.palette.shown:
			a.editPalette(func() { a.palette.insert(msg.Content) })
		case a.filter.editing:
			a.editFilterBy(func() { a.filter.insert(msg.Content) })
		}
	case tea.MouseWheelMsg:
		a.wheel(tea.Mouse(msg))
	case tea.MouseClickMsg:
		return a.click(tea.Mouse(msg))
	case tea.MouseMotionMsg:
		if a.drag != nil {
			a.drag(msg.X, msg.Y)
		}
	case tea.MouseReleaseMsg:
		a.drag = nil
	case tea.BackgroundColorMsg, tea.ColorProfileMsg:
		a.takeTerminal(msg)
	case themesMsg:
		return a.takeThemes(msg)
	case infosMsg:
		a.takeInfos(msg)
	case objectMsg:
		a.object.take(msg)
	case scanMsg:
		if a.timeline.scanning {
			a.timeline.extend(a.timeline.snap)
		}
	case searchMsg:
		a.timeline.take(msg)
	case readMsg:
		a.takeRead(msg)
	case likeMsg:
		a.takeLike(msg)
	case rulesMsg:
		return a.takeRules(msg)
	case optionsMsg:
		a.filter.take(msg)
	case choicesMsg:
		a.takeChoices(msg)
	case changeMsg:
		a.takeChange(msg)
	case recordMsg:
		a.takeRecord(msg)
	case handMsg:
		return msg.take(a)
	case pageMsg:
		if a.page.page == msg.to {
			a.page.take(a, msg)
			a.page.changed = true
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
	cmds := []tea.Cmd{a.replay.watchSeek()}
	if a.timeline.scanning {
		cmds = append(cmds, func() tea.Msg { return scanMsg{} })
	}
	if a.timeline.due() {
		cmds = append(cmds, a.timeline.goOn())
	}
	if a.filter.editing && a.filter.stale && !a.filter.asked {
		cmds = append(cmds, a.filter.complete(a.log))
	}
	if !a.infoLoading && a.lay.shows(paneTimeline) {
		if rows := a.timeline.missing(); len(rows) > 0 {
			a.infoLoading = true
			a.infoRequest++
			cmds = append(cmds, loadInfos(a.ctx, a.log, a.timeline.know, a.infoRequest, rows))
		}
	}
	cmds, a.errand = append(cmds, a.errand, a.lookOn(), a.absent.lack(a)), nil
	if a.page.page != nil {
		cmds = append(cmds, a.page.lack(a))
	}
	a.preview()
	a.object.settleSwap()
	if a.lay.shows(paneObject) && a.object.due() {
		cmds = append(cmds, a.loadObject())
	}
	if !a.reading && (a.behind || a.readNext < a.last.End()) {
		cmds = append(cmds, a.readOn())
	}
	return tea.Batch(cmds...)
}

// takeWake takes in what a wake-up brings: rows, another log, news of the deck.
func (a *App) takeWake(msg wakeMsg) {
	if msg.changed {
		a.replay.asked = a.replay.asked && a.replay.deck.Playback().Seeking
		a.scrub.show(msg.over, a.marks.session)
	}
	if msg.swap != nil {
		a.takeSwap(msg.swap)
		a.tellFound()
		return
	}
	for seq, info := range msg.infos {
		a.timeline.infos.put(seq, info)
	}
	a.refreshTo(msg.snap)
	a.tellFound()
}

func (a *App) takeInfos(m infosMsg) {
	if m.request != a.infoRequest {
		return
	}
	a.infoLoading = false
	from, to := noRow, model.Seq(0)
	for seq, info := range m.infos {
		a.timeline.infos.put(seq, info)
		from, to = min(from, seq), max(to, seq+1)
	}
	a.timeline.refold(from, to)
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
	a.clock = a.o.Now()
	a.now = a.clock
	if a.replay != nil {
		a.replay.refresh(a.log, a.clock)
		a.now = a.replay.play.Now
		a.timeline.earlier, a.timeline.fetching = a.replay.earlier(), a.replay.asked
	}
	a.takeRecording()
	a.all = newOverall(a.log.Streams(a.now), a.now)
	a.timeline.how.move(a.now)
	a.stats = a.log.Stats()
	if !a.paused {
		index, end := a.timeline.index, a.timeline.index.end()
		a.timeline.extend(s)
		if a.timeline.follow && index == a.timeline.index {
			a.sample.add(a.clock, index.end()-end, a.timeline.height)
		}
	}
	a.timeline.resize(a.lay.pane[paneTimeline].body(), a.all.contexts > 1)
	a.streams.settle()
	if a.flash != "" && a.clock.After(a.flashEnd) {
		a.flash = ""
	}
}

// relayout divides the screen anew.
func (a *App) relayout() {
	a.lay = newLayout(a.lay.w, a.lay.h, a.focus, a.zoom, a.replay != nil)
	a.splits.move(&a.lay)
	if a.lay.scrub != a.scrub.r {
		a.scrub.place(a.lay.scrub, a.marks.session)
	}
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
