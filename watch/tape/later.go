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

// rebuild appends to dst what splices make of a root, nil for none. spent is
// how many bytes were made for that.
func (w *workshop) rebuild(dst []byte, from *root, splices []waiting, limit int) (text []byte, spent int64, err error) {
	var base []byte
	if from != nil {
		base = from.text
	}
	for i := range splices {
		out := dst
		if i < len(splices)-1 {
			out = w.bufs[i%2][:0]
		}
		begun := len(out)
		made, ok := w.speller.follow(out, base, &splices[i], limit)
		if !ok {
			made, err = splice.ApplyJSON(out, base, w.speller.spell(&splices[i]), limit)
		}
		if err != nil {
			return dst, spent, err
		}
		spent += int64(len(made) - begun)
		if i == len(splices)-1 {
			return made, spent, nil
		}
		w.bufs[i%2], base = made, made
	}
	return dst, spent, nil // not without a splice
}

// AppendText rebuilds the text.
func (t *laterText) AppendText(dst []byte) ([]byte, error) {
	w, _ := t.tape.workshops.Get().(*workshop)
	if w == nil {
		w = &workshop{}
	}
	defer t.tape.workshops.Put(w)
	text, _, err := w.rebuild(dst, t.root, t.splices, t.tape.limits.Object)
	return text, err
}
