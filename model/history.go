package model

import (
	"hash/maphash"
	"strings"

	"rewatch/model/splice"
)

// How a version is kept
//
// Every version of every object is one splice against a template: the full
// text of some object of the same kind. It is a star, never a chain: any
// version is one splice applied to one text, and when a version leaves the log
// nothing else depends on it. Siblings differ little (name, UID, node, times),
// two versions of one object differ less, and the splices of a slab, packed
// together, lose what they have in common. On the captures this beat chains of
// splices against the previous version: those are smaller before packing, but
// need the latest text of every object, keyframes, and work at both ends of
// the chain when versions leave.
//
// Templates are bought like skis: an object that fits no template well is
// kept as the best splice there is, and what that cost too much is summed up
// for its family. When the sum passes the price of a template, the next misfit
// becomes one. So the whole is never much worse than the best choice of
// templates, which nobody can know in advance. An object that resembles
// nothing is a splice against the empty template: its text, packed.

const (
	familyTemplates = 4
	maxTemplates    = 1 << templateBits
	// maxObject bounds what a splice may make. Frames are bounded where they
	// are read; this is a second line.
	maxObject = 1 << 30
)

type template struct {
	text []byte
	refs int // versions kept against it, and the families that offer it
}

// family is a set of objects that are likely alike, with the templates that
// were bought for them, the one that fitted last first.
type family struct {
	templates [familyTemplates]uint32
	waste     int // bytes that better templates would have saved, since the last purchase
}

// history keeps the bytes of all versions.
type history struct {
	templates []template // number 0 is not used
	unused    []uint32   // numbers to use again
	families  map[uint64]*family
	seed      maphash.Seed
	current   store // versions whose row is held
	survivors store // newest versions whose row has left
	encoder   splice.Encoder
	best, try []byte
	texts     int64 // bytes of all templates
}

// emptyTemplate is the number of the template without text.
const emptyTemplate = 1

func newHistory() *history {
	p := newPacker()
	return &history{templates: []template{{}, {refs: 1}}, families: map[uint64]*family{}, seed: maphash.MakeSeed(),
		current: store{packer: p}, survivors: store{packer: p}}
}

func (h *history) memory() int64 {
	return h.current.memory + h.survivors.memory + h.current.packer.memory + h.texts +
		int64(cap(h.templates))*32 + int64(len(h.families))*96 +
		int64(cap(h.current.slabs)+cap(h.survivors.slabs))*8 + int64(cap(h.best)+cap(h.try))
}

// enough is the size of a splice, for an object of some size, above which a
// better template is looked for.
func enough(size int) int { return max(256, size/16) }

// put keeps a version. before is where the object's last version is, 0 for
// none: its template is tried first.
func (h *history) put(raw []byte, id Identity, before ref) ref {
	kind := h.family(id.APIVersion, id.Kind, "", "")
	siblings := h.family(id.APIVersion, id.Kind, id.Namespace, stem(id.Name))
	best := h.fit(raw, emptyTemplate, 0)
	if t := before.template(); t > emptyTemplate {
		best = h.fit(raw, t, best)
	}
	for _, f := range [...]*family{siblings, kind} {
		for i := 0; i < familyTemplates && f.templates[i] != 0 && len(h.best) > enough(len(raw)); i++ {
			if t := h.fit(raw, f.templates[i], best); t != best {
				best = t
				f.templates[0], f.templates[i] = f.templates[i], f.templates[0]
			}
		}
	}
	if over := len(h.best) - enough(len(raw)); over > 0 {
		if siblings.waste += over; siblings.waste > len(raw) {
			siblings.waste = 0
			best = h.buy(raw, siblings, kind, best)
		}
	}
	h.templates[best].refs++
	return h.current.add(h.best, best)
}

// fit makes the splice of raw against a template and returns that template if
// the splice is smaller than the best so far, which it replaces in h.best.
func (h *history) fit(raw []byte, t, best uint32) uint32 {
	h.try = h.encoder.Encode(h.try[:0], h.templates[t].text, raw)
	if best != 0 && len(h.try) >= len(h.best) {
		return best
	}
	h.best, h.try = h.try, h.best
	return t
}

// buy makes a template of raw. The first few of a kind serve all of it.
func (h *history) buy(raw []byte, siblings, kind *family, best uint32) uint32 {
	var n uint32
	switch {
	case len(h.unused) > 0:
		n = h.unused[len(h.unused)-1]
		h.unused = h.unused[:len(h.unused)-1]
	case len(h.templates) < maxTemplates:
		n = uint32(len(h.templates))
		h.templates = append(h.templates, template{})
	default:
		return best
	}
	h.templates[n] = template{text: append(make([]byte, 0, len(raw)), raw...), refs: 1}
	h.texts += textMemory(raw)
	f := siblings
	if kind.templates[familyTemplates-1] == 0 {
		f = kind
	}
	h.release(f.templates[familyTemplates-1])
	copy(f.templates[1:], f.templates[:])
	f.templates[0] = n
	return h.fit(raw, n, 0)
}

// textMemory is what a text takes, with the allocator's rounding.
func textMemory(text []byte) int64 { return int64(len(text) + len(text)/16) }

func (h *history) release(t uint32) {
	if t <= emptyTemplate {
		return
	}
	x := &h.templates[t]
	if x.refs--; x.refs == 0 {
		h.texts -= textMemory(x.text)
		x.text = nil
		h.unused = append(h.unused, t)
	}
}

// family returns the family of a kind, or of the siblings of a name in it.
func (h *history) family(apiVersion, kind, namespace, stem string) *family {
	var m maphash.Hash
	m.SetSeed(h.seed)
	for _, s := range [...]string{apiVersion, kind, namespace, stem} {
		_, _ = m.WriteString(s)
		_ = m.WriteByte(0)
	}
	key := m.Sum64()
	f := h.families[key]
	if f == nil {
		f = &family{}
		h.families[key] = f
	}
	return f
}

// stem is the part of a name that siblings share, as generated names go:
// checkout-5b6d-x7k2p → checkout-5b6d, checkout-5b6d-x7k2p.18ecf → checkout-5b6d.
func stem(name string) string {
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		name = name[:i]
	}
	return name
}

// get appends a version to dst.
func (h *history) get(dst []byte, r ref, survivor bool) ([]byte, error) {
	s := &h.current
	if survivor {
		s = &h.survivors
	}
	return splice.Apply(dst, h.templates[r.template()].text, s.splice(r), maxObject)
}

// free lets a version go.
func (h *history) free(r ref, survivor bool) {
	if survivor {
		h.survivors.free(r)
	} else {
		h.current.free(r)
	}
	h.release(r.template())
}

// survive moves a version to the survivors.
func (h *history) survive(r ref) ref {
	moved := h.survivors.add(h.current.splice(r), r.template())
	h.current.free(r)
	return moved
}

// forget drops the templates that only a family still offers, and the families
// that offer nothing.
func (h *history) forget() {
	for key, f := range h.families {
		kept := f.templates[:0]
		for _, t := range f.templates {
			switch {
			case t == 0:
			case h.templates[t].refs == 1:
				h.release(t)
			default:
				kept = append(kept, t)
			}
		}
		clear(f.templates[len(kept):])
		if len(kept) == 0 {
			delete(h.families, key)
		}
	}
}
