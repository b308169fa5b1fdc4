package ui

// laneKeys are the keys of the page of lanes.
func laneKeys() []binding {
	lane := func(f func(*App, *lanesPage)) func(*App) {
		return func(a *App) {
			if p, ok := a.page.page.(*lanesPage); ok {
				f(a, p)
			}
		}
	}
	has := func(a *App) (bool, string) {
		if p, ok := a.page.page.(*lanesPage); ok {
			return p.hasLane()
		}
		return false, "no lane"
	}
	key := func(id, help, hint string, f func(*App, *lanesPage), keys ...string) binding {
		return binding{id: "lane-" + id, counts: true, keys: keys, help: help, hint: hint, do: act(lane(f))}
	}
	quarter := func(a *App, p *lanesPage, dir int) { p.pan(a, dir*a.times()*max(p.width/4, 1)) }
	open := key("open", "the object as it was at the time under the cursor; esc comes back", "open", func(a *App, p *lanesPage) { p.open(a) }, "enter")
	before := key("change-before", "the cursor to the change before of this lane", "change", func(a *App, p *lanesPage) { p.steps -= a.times() }, "[")
	after := key("change-after", "the cursor to the next change of this lane", "", func(a *App, p *lanesPage) { p.steps += a.times() }, "]")
	open.when, before.when, after.when = has, has, has
	return []binding{
		open, before, after,
		key("zoom-in", "zoom in, around the cursor", "zoom", func(a *App, p *lanesPage) { p.zoom(a, -a.times()) }, "+", "="),
		key("zoom-out", "zoom out", "", func(a *App, p *lanesPage) { p.zoom(a, a.times()) }, "-", "_"),
		key("fit", "all that is held in one window", "all", func(_ *App, p *lanesPage) { p.fitAll() }, "z"),
		key("left", "the cursor a column back; at the border the window moves", "", func(a *App, p *lanesPage) { p.shift(a, -a.times()) }, "left", "h"),
		key("right", "the cursor a column on", "", func(a *App, p *lanesPage) { p.shift(a, a.times()) }, "right", "l"),
		key("pan-left", "a quarter of the window back", "", func(a *App, p *lanesPage) { quarter(a, p, -1) }, "B", "ctrl+left"),
		key("pan-right", "a quarter of the window on", "", func(a *App, p *lanesPage) { quarter(a, p, 1) }, "W", "ctrl+right"),
		key("follow", "follow the clock, on and off", "follow", func(a *App, p *lanesPage) { p.toggleFollow(a) }, "f"),
		key("fold", "fold or unfold what belongs to this lane, or to its owner", "fold", func(_ *App, p *lanesPage) { p.fold() }, "x"),
		key("fold-all", "fold all, unfold all", "", func(_ *App, p *lanesPage) { p.foldAll() }, "X"),
		key("flat", "lanes under their owners, or each for itself", "tree", func(_ *App, p *lanesPage) { p.flat = !p.flat }, "`"),
		key("quiet", "show or hide lanes without a change in the window", "unchanged", func(_ *App, p *lanesPage) { p.quiet = !p.quiet }, "u"),
	}
}
