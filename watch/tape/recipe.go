package tape

import (
	"bytes"
	"encoding/binary"

	"rewatch/model/jsonscan"
)

// Recipes
//
// Splices that wait and use the same form differ in their values alone. So the
// text of such a splice need not be made and read for each object: what it does
// is found out once, with places for the values.

// recipe is what the splice of a form does.
type recipe []recipeStep

// recipeStep copies from the base, inserts a text and then a value, and jumps.
type recipeStep struct {
	copied int
	text   []byte
	value  int // -1: none
	jump   int
}

// noRecipe stands for a form whose splices have to be read each.
var noRecipe = &recipe{}

// spelled returns the recipe of the form's splices; nil if there is none.
func (p *plan) spelled() recipe {
	c := p.recipe.Load()
	if c == nil {
		if c = p.compile(); c == nil {
			c = noRecipe
		}
		p.recipe.Store(c)
	}
	return *c
}

// compile makes the recipe; nil where the values may be more than text in
// strings.
func (p *plan) compile() *recipe {
	const hole = 'z' // is right in strings, and no part of an escape
	var text []byte
	var holes []formHole
	for _, d := range p.delta {
		if text = append(text, d.text...); d.value >= 0 {
			holes = append(holes, formHole{len(text), d.value})
			text = append(text, hole)
		}
	}
	items, err := jsonscan.AppendElements(nil, text)
	if err != nil || len(items) == 0 || len(p.bare) > 0 || bytes.Contains(text, escaped) {
		return nil
	}
	c := recipe{}
	for i, x := range items {
		item := text[x.Start:x.End]
		if i%3 == 0 {
			c = append(c, recipeStep{value: -1})
		}
		last := &c[len(c)-1]
		if i%3 == 1 {
			if c, holes = c.insert(item, x.Start, holes); c == nil {
				return nil
			}
			continue
		}
		n, ok := parseInt(item)
		if !ok || len(item) > 18 || i%3 == 0 && n < 0 || n > 1<<40 || n < -1<<40 {
			return nil
		}
		if i%3 == 0 {
			last.copied = int(n)
		} else {
			last.jump = int(n)
		}
	}
	if len(holes) > 0 {
		return nil
	}
	return &c
}

// insert adds to the last step what a quoted text inserts, which begins at some
// place and has the first of the holes; it returns the others. nil: it cannot.
func (c recipe) insert(quoted []byte, at int, holes []formHole) (recipe, []formHole) {
	text, offsets, err := jsonscan.UnquoteMapped(quoted)
	if err != nil {
		return nil, nil
	}
	from := 0
	for i := range text {
		if len(holes) > 0 && offsets[i]+at == holes[0].at {
			last := &c[len(c)-1]
			last.text, last.value = text[from:i], holes[0].value
			c, holes, from = append(c, recipeStep{value: -1}), holes[1:], i+1
		}
	}
	c[len(c)-1].text = text[from:]
	return c, holes
}

// follow appends what a recipe makes of a base; false leaves it to who reads the
// splice itself, and finds out what is wrong.
func (s *speller) follow(dst, base []byte, w *waiting, limit int) ([]byte, bool) {
	if w.form == nil {
		return dst, false
	}
	steps := w.form.plan.spelled()
	values, ok := s.values(w)
	if len(steps) == 0 || !ok {
		return dst, false
	}
	out, cursor := dst, 0
	for i := range steps {
		x := &steps[i]
		if x.copied > len(base)-cursor || len(out)-len(dst) > limit {
			return dst, false
		}
		out = append(append(out, base[cursor:cursor+x.copied]...), x.text...)
		if x.value >= 0 {
			from := 0
			if x.value > 0 {
				from = s.ends[x.value-1]
			}
			out = append(out, values[from:s.ends[x.value]]...)
		}
		if cursor += x.copied + x.jump; cursor < 0 || cursor > len(base) {
			return dst, false
		}
	}
	out = append(out, base[cursor:]...)
	return out, len(out)-len(dst) <= limit
}

// values are those of a splice that waited; they end where ends says. ascii is
// whether they are all of that.
func (s *speller) values(w *waiting) (values []byte, ascii bool) {
	p := w.form.plan
	values = w.data
	s.ends = s.ends[:0]
	total := 0
	for range p.end - p.first {
		n, k := binary.Uvarint(values)
		values = values[k:]
		total += int(n)
		s.ends = append(s.ends, total)
	}
	return values, isASCII(values)
}

func isASCII(b []byte) bool {
	const tops = 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&tops != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
