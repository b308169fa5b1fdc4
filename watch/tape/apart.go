package tape

import (
	"bytes"
	"maps"
	"slices"
	"time"
)

// Apart returns another Reader at the same place, which knows those objects
// alone that have records up to a moment, and perhaps some more: enough to read
// on to that moment, while this one stays where it is. Behind that moment it
// misses the others as if they were damaged. It takes little where the state is
// large and the moment near.
func (r *Reader) Apart(until time.Time) (*Reader, error) {
	numbers, err := r.touched(until.UnixNano())
	if err != nil {
		return nil, err
	}
	c := r.t.reader(r.part)
	c.in, c.text, c.cut, c.held = r.in, bytes.Clone(r.text), r.cut, r.held
	c.expander.copy(&r.expander)
	c.expander.spent = r.expander.spent
	if r.held {
		if err := c.line.parse(bytes.Clone(r.one)); err != nil {
			return nil, err // it was parsed before: cannot happen
		}
	}
	c.now, c.number, c.expect = r.now, r.number, r.expect
	for id, s := range r.streams {
		copied := *s
		c.streams[id] = &copied
	}
	c.roots, c.rootBytes, c.heard = maps.Clone(r.roots), r.rootBytes, maps.Clone(r.heard)
	c.rebuilt, c.unbuilt, c.live, c.whole = r.rebuilt, r.unbuilt, r.live, r.whole
	c.records, c.before, c.missed = r.records, r.before, slices.Clone(r.missed)
	for o := range r.objects.all() {
		if o.bookmark {
			numbers = append(numbers, o.num)
		}
	}
	for _, n := range numbers {
		c.adopt(r.objects.get(n))
	}
	return c, nil
}

// adopt copies an object of another Reader.
func (r *Reader) adopt(o *object) {
	copied := &object{num: o.num, stream: o.stream, bookmark: o.bookmark, root: o.root, splices: slices.Clone(o.splices), afresh: o.afresh,
		cold: bytes.Clone(o.cold)}
	r.objects.put(copied)
	for i := range copied.splices {
		r.waiting += copied.splices[i].size()
	}
	r.texts.cold += int64(len(copied.cold))
	if o.text != nil { // its memory is used again
		r.texts.warm(copied, bytes.Clone(o.text))
	}
}
