package tape

import (
	"strings"

	"rewatch/model"
	"rewatch/model/splice"
)

// Roots of a segment, in the writer. An object that has no predecessor in the
// segment is written against the text of a sibling that was declared a root:
// a star, never a chain, so that no object hangs by more than one other.
//
// They are bought like the templates of the model's history: what the objects
// of a family cost too much is summed up, and when the sum passes the price of
// a root, the next misfit becomes one.

const (
	familyRoots = 8
	maxRoots    = 16 << 20 // bytes of roots in a segment: readers keep them
)

// family is a set of objects that are likely alike, with the roots bought for
// them, the one that fitted last first.
type family struct {
	roots []*root
	waste int
}

type familyKey struct {
	stream                model.StreamID
	kind, namespace, stem string
}

type roots struct {
	families map[familyKey]*family
	last     uint64
	bytes    int
	try      []byte
	encoder  splice.Encoder
}

func newRoots(last uint64) roots {
	return roots{families: map[familyKey]*family{}, last: last, encoder: splice.Encoder{Words: true}}
}

// enough is the size of a splice, for an object of some size, above which a
// better root is looked for.
func enough(size int) int { return 256 + size/8 }

// choose returns the root to write an object against, nil for none, and
// whether the object shall become a root, which is then returned.
func (r *roots) choose(stream model.StreamID, id model.Identity, raw []byte) (base *root, buy bool) {
	kind := r.family(familyKey{stream: stream, kind: id.Kind})
	siblings := r.family(familyKey{stream, id.Kind, id.Namespace, model.Stem(id.Name)})
	size := len(raw)
	var best *root
	far, least := 0, enough(len(raw))
	for _, f := range [...]*family{siblings, kind} {
		for i, x := range f.roots {
			reached, changed, alike := r.encoder.Alike(x.text, raw)
			switch {
			case alike && changed <= x.least+16:
				x.least = min(x.least, changed)
				copy(f.roots[1:i+1], f.roots[:i])
				f.roots[0] = x
				return x, false
			case alike && changed < least:
				base, least = x, changed
			case reached >= far:
				best, far = x, reached
			}
		}
	}
	if base != nil {
		base.least = least
		return base, false
	}
	if best != nil {
		var ok bool
		if r.try, ok = r.encoder.EncodeWithin(r.try[:0], best.text, raw, size*3/4); ok {
			base, size = best, len(r.try)
		}
	}
	over := size - enough(len(raw))
	if over <= 0 || r.bytes+len(raw) > maxRoots {
		return base, false
	}
	f := siblings
	if len(kind.roots) < familyRoots {
		f = kind
	}
	if siblings.waste += over; siblings.waste <= len(raw) && len(kind.roots) > 0 {
		return base, false
	}
	siblings.waste = 0
	r.last++
	r.bytes += len(raw)
	bought := &root{num: r.last, text: append([]byte(nil), raw...)}
	if len(f.roots) == familyRoots {
		f.roots = f.roots[:familyRoots-1]
	}
	f.roots = append([]*root{bought}, f.roots...)
	return bought, true
}

func (r *roots) family(k familyKey) *family {
	f := r.families[k]
	if f == nil {
		k.kind, k.namespace, k.stem = strings.Clone(k.kind), strings.Clone(k.namespace), strings.Clone(k.stem)
		f = &family{}
		r.families[k] = f
	}
	return f
}
