package ui

import (
	"github.com/charmbracelet/x/ansi"

	"rewatch/model/moment"
)

// lookFor lists the lines of the help that a search means. They are few: it is
// done at once.
func (p *helpPane) lookFor(f finder) (hits []int) {
	if len(f.text) == 0 {
		return nil
	}
	for i, s := range p.lines(p.w) {
		if f.in(f.fold(ansi.Strip(s)), 0) >= 0 {
			hits = append(hits, i)
		}
	}
	return hits
}

// askHelp asks what to search the help for.
func (a *App) askHelp() {
	p := &a.help
	a.ask(prompt{label: "search", hint: "a key or a word of this help",
		means: func(text string) string { return plural(len(p.lookFor(newFinder(text))), "line") },
		done: func(text string) *moment.Error {
			f := newFinder(text)
			if text != "" && len(p.lookFor(f)) == 0 {
				return &moment.Error{Text: "no line of the help has it"}
			}
			p.find, p.hit = f, p.top-1
			if text != "" {
				a.findHelp(1)
			}
			return nil
		}})
}

func (a *App) canFindHelp() (bool, string) {
	return len(a.help.find.text) > 0, "nothing was searched for: / does"
}

// findHelp goes n matches on, or back, around at the end.
func (a *App) findHelp(n int) {
	p := &a.help
	hits := p.lookFor(p.find)
	if len(hits) == 0 { // the keys of another size of the screen
		a.say("no line of the help has it")
		return
	}
	i := 0 // the first after the last one
	for i < len(hits) && hits[i] <= p.hit {
		i++
	}
	if n < 0 {
		for i > 0 && hits[i-1] >= p.hit {
			i--
		}
		i++
	}
	if i += n - 1; i < 0 || i >= len(hits) {
		a.say("around the end")
	}
	p.hit = hits[(i%len(hits)+len(hits))%len(hits)]
	if p.hit < p.top || p.hit >= p.top+p.h {
		p.top = p.hit - p.h/3
		p.scroll(0)
	}
}

// title tells of the search.
func (p *helpPane) title(text []string) string {
	if len(p.find.text) == 0 {
		return "Keys"
	}
	return "Keys · /" + string(p.find.text) + " " + plural(len(p.lookFor(p.find)), "line")
}
