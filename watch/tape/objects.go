package tape

import (
	"bytes"
	"math"
	"math/bits"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/model/splice"
)

// root is a text that objects of a segment are written against.
type root struct {
	num   uint64
	text  []byte
	tape  *Tape // of Readers
	least int   // bytes of values that set an object apart from it, so far: of the Writer
}

// object is one object that exists in one stream, or the bookmarks of a stream.
// A Reader that passes over records has very many that are not held.
type object struct {
	num      uint64
	root     *root    // that the object was written against, or nil
	splices  *waiting // of Readers: the newest of those that wait
	stream   model.StreamID
	bookmark bool
	afresh   bool // the first of splices is against root instead of the text
	*held         // nil: nothing of it is
}

// held is what texts has of an object.
type held struct {
	text  []byte // the newest, nil while it is cold
	cold  []byte // a splice against root, or the text if root is nil
	alone int    // bytes of its newest line that needed no predecessor
	key   *key   // in Writer.objects, nil if it is not there

	newer, older *object // among those with text
}

// newObject returns one that is held.
func newObject(num uint64, s model.StreamID) *object {
	both := &struct {
		object
		held
	}{object: object{num: num, stream: s}}
	both.object.held = &both.held
	return &both.object
}

// texts holds the newest text of many objects within a budget: those used
// lately as they are, the others as splices against their roots.
type texts struct {
	budget         int64
	hot            int64 // bytes of text
	cold           int64
	newest, oldest *object
	encoder        splice.Encoder
	spares         spares
}

// spares is memory of texts that are no longer held, one by each size in bits.
type spares [18][]byte

// fits reports whether memory is enough for a text, and not far too much.
func fits(b []byte, size int) bool { return cap(b) >= size && cap(b) <= 2*size+1024 }

func (s *spares) put(b []byte) {
	if c := bits.Len(uint(cap(b))); c < len(s) {
		s[c] = b
	}
}

// get returns memory for a text of some size.
func (s *spares) get(size int) []byte {
	for c := bits.Len(uint(size)); c <= bits.Len(uint(2*size+1024)) && c < len(s); c++ {
		if b := s[c]; fits(b, size) {
			s[c] = nil
			return b[:0]
		}
	}
	return make([]byte, 0, size+size/16)
}

func newTexts(budget int64) texts {
	return texts{budget: budget, encoder: splice.Encoder{Words: true}}
}

// of returns the newest text of an object; it is valid until the object
// changes or another one is used.
func (t *texts) of(o *object) ([]byte, error) {
	if o.text != nil {
		t.unlink(o)
		t.link(o)
		return o.text, nil
	}
	text := o.cold
	if o.root == nil {
		text = bytes.Clone(text)
	} else {
		var err error
		if text, err = splice.Apply(t.spares.get(len(o.root.text)), o.root.text, o.cold, math.MaxInt); err != nil {
			return nil, err // a bug: it was made here
		}
	}
	t.warm(o, text)
	return o.text, nil
}

// set makes text, which the store keeps, the newest of an object, and returns
// memory that is free for the next text.
func (t *texts) set(o *object, text []byte) (free []byte) {
	if o.held == nil {
		o.held = &held{}
	}
	free = o.text
	t.drop(o)
	t.warm(o, text)
	return free
}

// replace makes a copy of text the newest of an object, in the memory of the
// one before if that fits.
func (t *texts) replace(o *object, text []byte) {
	into := o.text
	if !fits(into, len(text)) {
		t.spares.put(into)
		into = t.spares.get(len(text))
	}
	t.drop(o)
	t.warm(o, append(into[:0], text...))
}

func (t *texts) warm(o *object, text []byte) {
	if text == nil {
		text = []byte{}
	}
	o.text = text
	t.hot += int64(cap(text))
	t.link(o)
	for t.hot > t.budget && t.oldest != o {
		t.cool(t.oldest)
	}
}

// thaw forgets how an object that has its text was written when it was cold,
// because its root is about to be another one.
func (t *texts) thaw(o *object) {
	t.cold -= int64(len(o.cold))
	o.cold = nil
}

// chill tells how an object that has its text is written once it is cold: the
// splice against its root. Most objects are cold before they change again.
func (t *texts) chill(o *object, splice []byte) {
	if len(splice) <= len(o.text)*3/4 {
		o.cold = bytes.Clone(splice)
		t.cold += int64(len(o.cold))
	}
}

// cool keeps an object as a splice.
func (t *texts) cool(o *object) {
	t.unlink(o)
	t.hot -= int64(cap(o.text))
	if o.cold != nil { // not changed since it was cold
		t.spares.put(o.text)
		o.text = nil
		return
	}
	if o.root != nil {
		if s, ok := t.encoder.EncodeWithin(nil, o.root.text, o.text, len(o.text)*3/4); ok {
			o.cold = bytes.Clone(s)
			t.spares.put(o.text)
		} else {
			o.root = nil
		}
	}
	if o.root == nil {
		o.cold = bytes.Clone(o.text)
	}
	if o.cold == nil {
		o.cold = []byte{}
	}
	o.text = nil
	t.cold += int64(len(o.cold))
}

// drop forgets the text of an object.
func (t *texts) drop(o *object) {
	if o.held == nil {
		return
	}
	if o.text != nil {
		t.unlink(o)
		t.hot -= int64(cap(o.text))
	}
	t.cold -= int64(len(o.cold))
	o.text, o.cold = nil, nil
}

func (t *texts) link(o *object) {
	o.older, o.newer = t.newest, nil
	if t.newest != nil {
		t.newest.newer = o
	} else {
		t.oldest = o
	}
	t.newest = o
}

func (t *texts) unlink(o *object) {
	if o.newer != nil {
		o.newer.older = o.older
	} else {
		t.newest = o.older
	}
	if o.older != nil {
		o.older.newer = o.newer
	} else {
		t.oldest = o.newer
	}
	o.newer, o.older = nil, nil
}

// identify reads identity and resourceVersion from an object, and completes
// them. The strings are views of raw.
func identify(s *model.StreamInfo, raw []byte) (id model.Identity, rv string) {
	m, _ := jsonscan.Identity(raw)
	id = model.Identity{APIVersion: m.APIVersion, Kind: m.Kind, Namespace: m.Namespace, Name: m.Name, UID: m.UID}
	complete(&id, s)
	return id, m.ResourceVersion
}

// complete completes an identity from its stream, as model.Log does.
func complete(id *model.Identity, s *model.StreamInfo) {
	id.Context = s.Context
	if id.Kind == "" {
		id.Kind = s.Kind
	}
	if id.APIVersion == "" {
		id.APIVersion = s.Version
		if s.Group != "" {
			id.APIVersion = s.Group + "/" + s.Version
		}
	}
}
