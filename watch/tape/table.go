package tape

import (
	"iter"
	"maps"
	"slices"
)

// objectTable holds objects by number. Lines that follow each other are often
// about objects with numbers near each other.
type objectTable struct {
	pages map[uint64]*objectPage
	last  *objectPage // used last
	n     int
}

type objectPage struct {
	number  uint64
	n       int
	objects [256]*object
}

func (t *objectTable) page(number uint64) *objectPage {
	if p := t.last; p != nil && p.number == number/256 {
		return p
	}
	p := t.pages[number/256]
	if p != nil {
		t.last = p
	}
	return p
}

// get returns an object, nil if it is not there.
func (t *objectTable) get(number uint64) *object {
	if p := t.page(number); p != nil {
		return p.objects[number%256]
	}
	return nil
}

// put enters an object that is not there.
func (t *objectTable) put(o *object) {
	p := t.page(o.num)
	if p == nil {
		p = &objectPage{number: o.num / 256}
		if t.pages == nil {
			t.pages = map[uint64]*objectPage{}
		}
		t.pages[p.number], t.last = p, p
	}
	p.objects[o.num%256] = o
	p.n++
	t.n++
}

// remove forgets an object, if it is there.
func (t *objectTable) remove(number uint64) {
	p := t.page(number)
	if p == nil || p.objects[number%256] == nil {
		return
	}
	p.objects[number%256] = nil
	t.n--
	if p.n--; p.n == 0 {
		delete(t.pages, p.number)
		t.last = nil
	}
}

func (t *objectTable) clear() { *t = objectTable{} }

// all yields the objects in the order of their numbers. Those that it has
// yielded may be removed meanwhile.
func (t *objectTable) all() iter.Seq[*object] {
	return func(yield func(*object) bool) {
		for _, n := range slices.Sorted(maps.Keys(t.pages)) {
			p := t.pages[n]
			if p == nil {
				continue
			}
			for _, o := range p.objects {
				if o != nil && !yield(o) {
					return
				}
			}
		}
	}
}
