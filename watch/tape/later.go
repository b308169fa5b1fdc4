package tape

import (
	"rewatch/model"
	"rewatch/model/splice"
)

// laterText makes the text of an object when somebody asks, from what the tape
// says: a root, and the splices that led from there. Neither changes.
type laterText struct {
	tape    *Tape
	root    *root
	splices []waiting
}

// laterTexts makes many of them.
type laterTexts struct {
	tape *Tape
	room []laterText
}

// text is the newest text of an object as long as somebody wants it; nil if
// the object has been rebuilt, and no longer says what it was made of.
func (t *laterTexts) text(o *object) model.Text {
	if !o.afresh || len(o.splices) == 0 {
		return nil
	}
	if len(t.room) == 0 {
		t.room = make([]laterText, 256)
	}
	x := &t.room[0]
	t.room = t.room[1:]
	*x = laterText{t.tape, o.root, o.splices[:len(o.splices):len(o.splices)]}
	return x
}

// Size is what the splices take; the root is many objects'.
func (t *laterText) Size() int {
	size := 64
	for i := range t.splices {
		size += int(t.splices[i].size())
	}
	return size
}

// workshop is what rebuilding a text needs.
type workshop struct {
	speller speller
	bufs    [2][]byte
}

// AppendText rebuilds the text.
func (t *laterText) AppendText(dst []byte) (text []byte, err error) {
	w, _ := t.tape.workshops.Get().(*workshop)
	if w == nil {
		w = &workshop{}
	}
	defer t.tape.workshops.Put(w)
	var base []byte
	if t.root != nil {
		base = t.root.text
	}
	last := len(t.splices) - 1
	for i := range last {
		b := &w.bufs[i%2]
		if *b, err = splice.ApplyJSON((*b)[:0], base, w.speller.spell(&t.splices[i]), t.tape.limits.Object); err != nil {
			return dst, err
		}
		base = *b
	}
	return splice.ApplyJSON(dst, base, w.speller.spell(&t.splices[last]), t.tape.limits.Object)
}
