package tape

import (
	"slices"

	"rewatch/model"
	"rewatch/model/splice"
)

// waiting is a splice that waits for somebody to ask for its object: its text,
// or the values for that of a form: their lengths, and then the values. It never
// changes. That of an object which has to be read from its root on is the
// object's [model.Text] as well.
type waiting struct {
	form   *form
	data   []byte
	before *waiting // the one that it is behind, if any
	from   *root    // what it is against otherwise; nil: the text that the object had
}

// size is what it counts for.
func (w *waiting) size() int64 { return int64(len(w.data)) + 48 }

// waitings is memory for many of them.
type waitings []waiting

// next returns one that is behind none.
func (s *waitings) next(f *form, data []byte) *waiting {
	if len(*s) == 0 {
		*s = make([]waiting, 256)
	}
	w := &(*s)[0]
	*s = (*s)[1:]
	w.form, w.data = f, data[:len(data):len(data)]
	return w
}

// chain appends to dst a splice and those before it, oldest first.
func (w *waiting) chain(dst []*waiting) []*waiting {
	n := len(dst)
	for ; w != nil; w = w.before {
		dst = append(dst, w)
	}
	slices.Reverse(dst[n:])
	return dst
}

// later is the newest text of an object as long as somebody wants it; nil if the
// object has been rebuilt, and no longer says what it was made of.
func (o *object) later() model.Text {
	if !o.afresh || o.splices == nil {
		return nil
	}
	return o.splices
}

// Size is what the splices take; the root is many objects'.
func (w *waiting) Size() (n int) {
	for ; w != nil; w = w.before {
		n += int(w.size())
	}
	return n
}

// AppendText rebuilds the text.
func (w *waiting) AppendText(dst []byte) ([]byte, error) {
	first := w
	for first.before != nil {
		first = first.before
	}
	t := first.from.tape
	shop, _ := t.workshops.Get().(*workshop)
	if shop == nil {
		shop = &workshop{}
	}
	defer t.workshops.Put(shop)
	text, _, err := shop.rebuild(dst, w, t.limits.Object)
	return text, err
}

// workshop is what rebuilding a text needs.
type workshop struct {
	speller  speller
	chain    []*waiting
	bufs     [2][]byte
	sketches sketches
}

// rebuild appends to dst what a splice makes, with those before it, of their
// root. spent is how many bytes were made for that.
func (w *workshop) rebuild(dst []byte, newest *waiting, limit int) (text []byte, spent int64, err error) {
	w.chain = newest.chain(w.chain[:0])
	defer func() { clear(w.chain) }() // or it would hold them
	base := w.chain[0].from.text
	for i, x := range w.chain {
		out, last := dst, i == len(w.chain)-1
		if !last {
			out = w.bufs[i%2][:0]
		}
		begun := len(out)
		made, ok := w.speller.follow(out, base, x, limit)
		if !ok {
			made, err = splice.ApplyJSON(out, base, w.speller.spell(x), limit)
		}
		if err != nil {
			return dst, spent, err
		}
		spent += int64(len(made) - begun)
		if last {
			return made, spent, nil
		}
		w.bufs[i%2], base = made, made
	}
	return dst, spent, nil // not without a splice
}
