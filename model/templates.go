package model

import (
	"hash/maphash"
	"strings"

	"rewatch/model/splice"
)

// Numbers below firstTemplate say something else than a template.
const (
	emptyTemplate = 1 // the template without text
	againstNext   = 2 // a splice against the next version of the object
	inHand        = 3 // no splice: the version is the text of a hand
	isElsewhere   = 4 // no splice: the version is a text outside of the log
	firstTemplate = 5
)

const (
	familyTemplates = 4
	maxTemplates    = 1 << templateBits
	// maxObject bounds what a splice may make. Frames are bounded where they
	// are read; this is a second line.
	maxObject = 1 << 30
)

// template is a text that versions are kept against.
type template struct {
	text []byte
	refs int // versions kept against it, and 1 if a family offers it
}

// family is a set of objects that are likely alike, with the templates that
// were bought for them, the one that fitted last first.
type family struct {
	templates [familyTemplates]uint32
	waste     int // bytes that better templates would have saved, since the last purchase
}

// templates chooses, buys and lets go of templates.
//
// They are bought like skis: an object that fits no template well is kept as
// the best splice there is, and what that cost too much is summed up for its
// family. When the sum passes the price of a template, the next misfit becomes
// one. So the whole is never much worse than the best choice of templates,
// which nobody can know in advance. An object that resembles nothing is a
// splice against the empty template: its text.
type templates struct {
	list      []template
	unused    []uint32 // numbers to use again
	families  map[uint64]*family
	seed      maphash.Seed
	encoder   splice.Encoder
	best, try []byte
	texts     int64 // bytes of all
}

func newTemplates() templates {
	return templates{list: make([]template, firstTemplate), families: map[uint64]*family{}, seed: maphash.MakeSeed()}
}

func (t *templates) memory() int64 {
	return t.texts + int64(cap(t.list))*32 + int64(len(t.families))*96 + int64(cap(t.best)+cap(t.try))
}

// enough is the size of a splice, for an object of some size, above which a
// better template is looked for.
func enough(size int) int { return max(256, size/16) }

// splice makes the splice of raw against the template that fits best and
// counts that as a use of the template; first is the one to try first, if it
// is one. The splice is valid until the next call.
func (t *templates) splice(raw []byte, id Identity, first uint32) (best uint32, splice []byte) {
	kind := t.family(id.APIVersion, id.Kind, "", "")
	siblings := t.family(id.APIVersion, id.Kind, id.Namespace, Stem(id.Name))
	best = emptyTemplate
	t.best = t.encoder.Encode(t.best[:0], nil, raw)
	if first >= firstTemplate {
		best = t.fit(raw, first, best)
	}
	for _, f := range [...]*family{siblings, kind} {
		for i := 0; i < familyTemplates && f.templates[i] != 0 && len(t.best) > enough(len(raw)); i++ {
			if n := t.fit(raw, f.templates[i], best); n != best {
				best = n
				f.templates[0], f.templates[i] = f.templates[i], f.templates[0]
			}
		}
	}
	if over := len(t.best) - enough(len(raw)); over > 0 {
		if siblings.waste += over; siblings.waste > len(raw) {
			siblings.waste = 0
			best = t.buy(raw, siblings, kind, best)
		}
	}
	t.list[best].refs++
	return best, t.best
}

// fit makes the splice of raw against a template and returns that template if
// the splice is smaller than the best so far, which it replaces in t.best.
func (t *templates) fit(raw []byte, n, best uint32) uint32 {
	var ok bool
	t.try, ok = t.encoder.EncodeWithin(t.try[:0], t.list[n].text, raw, len(t.best))
	if !ok || len(t.try) >= len(t.best) {
		return best
	}
	t.best, t.try = t.try, t.best
	return n
}

// buy makes a template of raw. The first few of a kind serve all of it.
func (t *templates) buy(raw []byte, siblings, kind *family, best uint32) uint32 {
	var n uint32
	switch {
	case len(t.unused) > 0:
		n = t.unused[len(t.unused)-1]
		t.unused = t.unused[:len(t.unused)-1]
	case len(t.list) < maxTemplates:
		n = uint32(len(t.list))
		t.list = append(t.list, template{})
	default:
		return best
	}
	t.list[n] = template{text: append(make([]byte, 0, len(raw)), raw...), refs: 1}
	t.texts += rounded(len(raw))
	f := siblings
	if kind.templates[familyTemplates-1] == 0 {
		f = kind
	}
	t.release(f.templates[familyTemplates-1])
	copy(f.templates[1:], f.templates[:])
	f.templates[0] = n
	return t.fit(raw, n, best)
}

// release ends one use of a template.
func (t *templates) release(n uint32) {
	if n < firstTemplate {
		return
	}
	x := &t.list[n]
	if x.refs--; x.refs == 0 {
		t.texts -= rounded(len(x.text))
		x.text = nil
		t.unused = append(t.unused, n)
	}
}

// forget drops the templates that only a family still offers, and the families
// that offer nothing.
func (t *templates) forget() {
	for key, f := range t.families {
		kept := f.templates[:0]
		for _, n := range f.templates {
			switch {
			case n == 0:
			case t.list[n].refs == 1:
				t.release(n)
			default:
				kept = append(kept, n)
			}
		}
		clear(f.templates[len(kept):])
		if len(kept) == 0 {
			delete(t.families, key)
		}
	}
}

// family returns the family of a kind, or of the siblings of a name in it.
func (t *templates) family(apiVersion, kind, namespace, stem string) *family {
	var m maphash.Hash
	m.SetSeed(t.seed)
	for _, s := range [...]string{apiVersion, kind, namespace, stem} {
		_, _ = m.WriteString(s)
		_ = m.WriteByte(0)
	}
	key := m.Sum64()
	f := t.families[key]
	if f == nil {
		f = &family{}
		t.families[key] = f
	}
	return f
}

// Stem is the part of a name that siblings share, as generated names go:
// checkout-5b6d-x7k2p → checkout-5b6d, checkout-5b6d-x7k2p.18ecf → checkout-5b6d.
func Stem(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		name = name[:i]
	}
	return name
}
