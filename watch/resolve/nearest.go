package resolve

import (
	"strings"

	"rewatch/model/near"
)

// nearest returns the names of up to n types that the typed word may have been
// meant for, the nearest first.
func (c *Catalog) nearest(typ string, n int) []string {
	word, _, _ := strings.Cut(typ, ".")
	var guesses []near.Guess
	for _, e := range c.entries {
		if !e.canList && !e.canWatch {
			continue
		}
		best := near.Distance(word, e.resource)
		for _, w := range append([]string{e.singular, strings.ToLower(e.kind)}, e.shortNames...) {
			best = min(best, near.Distance(word, w))
		}
		guesses = append(guesses, near.Guess{Name: c.shortest(e), Dist: best})
	}
	return near.Rank(word, guesses, n)
}

// shortest is the plural alone where that means this type, else with its group.
func (c *Catalog) shortest(e entry) string {
	if first := c.find(e.resource); len(first) == 1 && first[0].group == e.group {
		return e.resource
	}
	return e.name()
}
