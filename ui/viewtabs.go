package ui

// leastName is the room that the name of the object keeps beside the views, as
// far as there is any.
const leastName = 18

// tabsWidth is what the names of some views take, one of them in brackets.
func tabsWidth(names []view) int {
	n := 3 // brackets and the space at the end
	for _, v := range names {
		n += 1 + len(v.name)
	}
	return n
}

// viewTabs lists the views of the object pane; the one shown is in brackets.
// Where there is no room for all, … stands for those left out.
func (a *App) viewTabs(l *line, w int) {
	all, at := views(), a.object.view
	from, to := tabsThatFit(all, at, w-l.w-2)
	if from == to {
		return
	}
	l.fill(a.st.Rule, "─", l.w+1)
	if from > 0 {
		l.glyphs(a.st.Dim, " …", 2)
	}
	for i, v := range all[from:to] {
		begin := l.w
		if from+i == at {
			l.text(a.st.Title, " ["+v.name+"]")
		} else {
			l.text(a.st.Dim, " "+v.name)
		}
		a.hot.add(begin, l.w, "view-"+v.name)
	}
	if to < len(all) {
		l.glyphs(a.st.Dim, " …", 2)
	}
	l.text("", " ")
}

// tabsThatFit are the views that there is room for, the one at at among them;
// none if not even that fits.
func tabsThatFit(all []view, at, room int) (from, to int) {
	fits := func(from, to int) bool {
		n := tabsWidth(all[from:to])
		if from > 0 {
			n += 2
		}
		if to < len(all) {
			n += 2
		}
		return n <= room
	}
	for from < at && !fits(from, at+1) {
		from++
	}
	if !fits(from, at+1) {
		return 0, 0
	}
	for to = at + 1; to < len(all) && fits(from, to+1); {
		to++
	}
	return from, to
}
