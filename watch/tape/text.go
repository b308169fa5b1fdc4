package tape

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// How the Writer writes the text of an object, and what sets its record apart.

// object finds the object of a record, nil if there is none yet.
func (w *Writer) object(s *writerStream, r *model.Record, id model.Identity) *object {
	if r.Type == model.Bookmark {
		if len(r.Raw) == 0 {
			return nil
		}
		return s.bookmarks
	}
	if len(r.Raw) == 0 {
		id = r.Identity
	}
	return w.objects[keyOf(s.ID, id)]
}

// splices writes the number and the text of an object, which is new if o is nil.
func (w *Writer) splices(o *object, s *writerStream, id model.Identity, raw []byte, typ model.Type) *object {
	if o != nil {
		w.number(o)
		old, err := w.texts.of(o)
		if err != nil {
			w.err = err
			return nil
		}
		w.text(old, raw)
		if !bytes.Equal(old, raw) {
			w.texts.replace(o, raw)
		}
		return o
	}
	w.last++
	o = newObject(w.last, s.ID)
	if typ == model.Bookmark {
		o.bookmark, s.bookmarks = true, o
		w.base(o, id, raw, true)
	} else {
		w.enter(o, keyOf(s.ID, cloneIdentity(id)))
		w.alone += w.base(o, id, raw, true)
	}
	w.texts.replace(o, raw)
	w.chill(o, raw)
	return o
}

// chill is [texts.chill] for an object that base has just written.
func (w *Writer) chill(o *object, raw []byte) {
	if o.root != nil {
		w.delta = w.splice.AppendLast(w.delta[:0], raw)
		w.texts.chill(o, w.delta)
	}
}

// number writes that of an object that has had a line before.
func (w *Writer) number(o *object) {
	w.line = strconv.AppendInt(append(w.line, `,"o":`...), int64(o.num)-int64(w.near), 10)
	w.near = o.num
}

// base writes an object that has no predecessor, and returns the size of that.
func (w *Writer) base(o *object, id model.Identity, raw []byte, fresh bool) int {
	from := len(w.line)
	if fresh { // the next number
		w.near = o.num
	} else {
		w.number(o)
	}
	w.line = strconv.AppendInt(append(w.line, `,"s":`...), int64(o.stream), 10)
	buy := false
	w.texts.thaw(o)
	o.root = nil
	if !o.bookmark && utf8.Valid(raw) {
		o.root, buy = w.roots.choose(o.stream, id, raw)
	}
	var base []byte
	switch {
	case buy:
		w.frame.rooted = true
		w.line = strconv.AppendUint(append(w.line, `,"b":0,"r":`...), o.root.num, 10)
	case o.root != nil:
		w.line = strconv.AppendUint(append(w.line, `,"b":`...), o.root.num, 10)
		base = o.root.text
	default:
		w.line = append(w.line, `,"b":0`...)
	}
	w.text(base, raw)
	o.alone = len(w.line) - from
	return o.alone
}

// text writes a text as a splice; one that JSON cannot hold, in base64.
func (w *Writer) text(base, raw []byte) {
	var err error
	if w.delta, err = w.splice.EncodeJSON(w.delta[:0], base, raw); err != nil || len(w.delta) > 2*len(raw)+64 {
		w.line = append(w.line, `,"x":"`...)
		w.line = append(base64.StdEncoding.AppendEncode(w.line, raw), '"')
		return
	}
	w.line = append(append(w.line, `,"d":`...), w.delta...)
}

// flags writes what sets a record apart from a plain frame: its flags, and its
// size on the wire. own is the size that a Bytes of 0 stands for.
func (w *Writer) flags(r *model.Record, own, implied int) {
	if r.Flags != 0 {
		w.line = strconv.AppendUint(append(w.line, `,"f":`...), uint64(r.Flags), 10)
	}
	if r.Reverted {
		w.line = append(w.line, `,"back":true`...)
	}
	if size := cmp.Or(r.Bytes, own); size != implied {
		w.line = strconv.AppendInt(append(w.line, `,"n":`...), int64(size), 10)
	}
}

// frameSize is the size on the wire of a record that does not tell it: of its
// frame, or of its object if a list brought that.
func frameSize(r *model.Record, raw, envelope int) int {
	switch {
	case raw == 0 || r.Flags&model.Synthetic != 0:
		return raw
	case envelope == 0:
		envelope = len(`{"type":"","object":}`) + len(r.Type.String())
	}
	return raw + envelope
}

// identity writes the identity of a record where the text does not give it.
func (w *Writer) identity(s *writerStream, r *model.Record, id model.Identity, rv string) {
	if r.Identity.Name == "" && r.Identity.UID == "" { // to be read from the text
		return
	}
	given := r.Identity
	if given.Context == "" {
		given.Context = s.Context
	}
	if given != id {
		w.line = appendJSON(append(w.line, `,"id":`...), identityJSON(given))
	}
	if r.RV != rv {
		w.line = jsonscan.AppendQuote(append(w.line, `,"rv":`...), r.RV)
	}
}

// enter makes an object the one of a key.
func (w *Writer) enter(o *object, k key) {
	o.key = &k
	w.objects[k] = o
}

func (w *Writer) forget(o *object) {
	w.texts.drop(o)
	w.alone -= o.alone
	if o.key != nil {
		delete(w.objects, *o.key)
	}
}

func cloneIdentity(id model.Identity) model.Identity {
	return model.Identity{Context: strings.Clone(id.Context), APIVersion: strings.Clone(id.APIVersion), Kind: strings.Clone(id.Kind),
		Namespace: strings.Clone(id.Namespace), Name: strings.Clone(id.Name), UID: strings.Clone(id.UID)}
}
