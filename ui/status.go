package ui

import (
	"strconv"
	"time"

	"rewatch/model"
	"rewatch/themes"
)

// statusBar is the line that never hides a degraded stream: the streams that
// are not well come first, each with its cause and its countdown; those that wait
// for the same host are one. When they do
// not fit they take turns, and the number of the others is always there.
type statusBar struct {
	st    *themes.Styles
	now   time.Time
	all   *overall
	stats model.Stats

	clock  time.Time
	loc    *time.Location
	replay *replay // nil: live
	scrub  *scrubber
}

// turn is how long each stream is shown when they take turns.
const turn = 3 * time.Second

func (b *statusBar) draw(w int) string {
	l := newLine(b.st.Bar)
	l.text("", " ")
	if b.replay != nil {
		b.note(l, w)
	}
	if n := len(b.all.troubles); n > 0 {
		b.troubles(l, w, n)
	}
	// The summary takes what is left: whole parts, and none is better than a
	// piece of one beside a trouble.
	for _, p := range b.parts() {
		s, n := safe(p)
		switch {
		case l.w <= 1:
			l.upTo(b.st.Text, s, w-l.w-1)
			continue
		case l.w+n+4 > w:
			continue // what comes behind may be shorter
		}
		l.text(b.st.Rule, " │ ")
		l.glyphs(b.st.Text, s, n)
	}
	return l.end(w)
}

// troubles writes the degraded streams, as many as fit in about three quarters
// of the line and at least one.
func (b *statusBar) troubles(l *line, w, n int) {
	first := 0
	texts := make([]string, n)
	total := 0
	for i, t := range b.all.troubles {
		texts[i] = t.text(b.all, b.now)
		_, tw := safe(texts[i])
		total += tw + 3
	}
	if total > w-l.w {
		first = int(b.clock.UnixNano()/int64(turn)) % n
	}
	for shown := 0; shown < n; shown++ {
		more := ""
		if left := n - shown - 1; left > 0 {
			more = " +" + strconv.Itoa(left) + " more"
		}
		i := (first + shown) % n
		s := texts[i]
		text, tw := fit(s, w-l.w-len(more)-2)
		if shown > 0 {
			if _, full := safe(s); l.w+full+len(more)+5 > w {
				l.text(b.st.WarnBold, " +"+strconv.Itoa(n-shown)+" more")
				return
			}
			l.text(b.st.Rule, " │ ")
		}
		l.glyphs(b.all.troubles[i].style(b.st), text, tw)
	}
}

// note writes what the tape deck wants to be known, in at most half of the
// line where streams are not well.
func (b *statusBar) note(l *line, w int) {
	bad, text := b.replay.note(b.scrub, b.loc)
	if text == "" {
		return
	}
	room := w - 3
	if len(b.all.troubles) > 0 {
		room = w / 2
	}
	st := b.st.WarnBold
	if bad {
		st = b.st.BadBold
	}
	l.upTo(st, text, room)
	if len(b.all.troubles) > 0 {
		l.text(b.st.Rule, " │ ")
	}
}

func (b *statusBar) parts() []string {
	p := []string{b.all.counts()}
	if b.replay != nil {
		// They were in these states: nothing is said of how they are now.
		p = []string{"on tape " + p[0]}
		if n := b.replay.play.Events; n > 0 {
			p = append(p, "event "+count(b.replay.play.Event)+" of "+count(n))
		}
	}
	// What may be missing comes first.
	if b.all.gaps > 0 {
		p = append(p, "gaps "+count(b.all.gaps))
	}
	if b.all.reconnects > 0 {
		p = append(p, "reconnects "+count(b.all.reconnects))
	}
	p = append(p, "log "+size(b.stats.Bytes)+", "+count(b.stats.Evicted)+" evicted")
	return append(p, plural(b.stats.Rows, "row")+" of "+plural(b.stats.Objects, "object"))
}
