// Package redact replaces the values of Secrets by keyed fingerprints, before
// anything else of rewatch sees them: one can tell that a value changed, and
// where the same value stands, but never what it is.
//
// Only the bytes of the values change. The rest stays as the server wrote it,
// byte for byte, so that a redacted object can be stored, compared and shown
// like any other.
package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"

	"rewatch/model/jsonscan"
)

// Redactor replaces values by fingerprints under one key: equal values get
// equal fingerprints, and nobody without the key can test a guess. A
// fingerprint is "fp:" and 16 hexadecimal digits, the beginning of an
// HMAC-SHA256 of the decoded value; it tells nothing of the value's length.
//
// What is a fingerprint already stays, whoever made it: redacting again changes
// nothing, so that what comes from a tape is shown as it was recorded.
//
// It may be used from any goroutine.
type Redactor struct {
	key   [32]byte
	rules []Rule
}

// New returns a Redactor with a random key, which never leaves the process.
func New() *Redactor {
	r := &Redactor{}
	_, _ = rand.Read(r.key[:]) // never fails: crypto/rand
	return r
}

// NewWithKey returns a Redactor under a given key, for tests that need the
// same fingerprints again.
func NewWithKey(key [32]byte) *Redactor { return &Redactor{key: key} }

// ErrNotObject is the error of Redact for bytes that are not a JSON object.
var ErrNotObject = errors.New("not a JSON object: nothing of it is kept")

// placeholder stands for what could not be read, and has nothing of it.
const placeholder = `{}`

// Secret is [Redactor.Redact] without the error.
func (r *Redactor) Secret(raw []byte) []byte {
	out, _ := r.Redact(raw)
	return out
}

// Redact returns a Secret with its values replaced: everything under data and
// stringData, and the copies of them that tools keep in annotations, such as
// kubectl's last-applied-configuration. Lists, tables and watch envelopes of
// Secrets are treated in the same way. The result shares nothing with raw.
//
// For bytes that are not one whole JSON object it returns `{}` and
// ErrNotObject.
func (r *Redactor) Redact(raw []byte) ([]byte, error) {
	if !jsonscan.Valid(raw) {
		return []byte(placeholder), ErrNotObject
	}
	w := walker{r: r}
	if !w.object(raw, 0) {
		return []byte(placeholder), ErrNotObject
	}
	return append([]byte(nil), w.edited(raw)...), nil
}

// Fingerprint returns the fingerprint of a decoded value.
func (r *Redactor) Fingerprint(value string) string {
	h := hmac.New(sha256.New, r.key[:])
	_, _ = h.Write([]byte(value))
	return "fp:" + hex.EncodeToString(h.Sum(nil)[:8])
}

func isFingerprint(text string) bool {
	digits, ok := strings.CutPrefix(text, "fp:")
	return ok && len(digits) == 16 && strings.Trim(digits, "0123456789abcdef") == ""
}

// edit is a span of the object and what is put in its place.
type edit struct {
	jsonscan.Span
	text string
}

// walker collects the edits of one object, in order.
type walker struct {
	r     *Redactor
	rules []Rule // nil for a Secret
	edits []edit
}

// maxNesting bounds objects within annotations of objects within annotations;
// in practice there is one level. What lies deeper is replaced as a whole.
const maxNesting = 3

// object collects the edits of an object that is valid JSON; it reports false
// if it is none. nesting is the number of strings that raw is wrapped in.
func (w *walker) object(raw []byte, nesting int) bool {
	if w.rules != nil {
		return w.ruled(raw, nesting)
	}
	members, err := jsonscan.AppendMembers(nil, raw)
	if err != nil {
		return false
	}
	for _, m := range members {
		// The server knows one spelling, but this is the wrong place to trust it.
		switch key := strings.ToLower(m.Key); key {
		case "data", "stringdata":
			w.values(raw, m.Span, key == "data", nesting)
		case "metadata":
			w.inside(raw, m.Span, func(md []byte) { w.metadata(md, nesting) })
		case "items", "rows": // of a list, of a table
			w.elements(raw, m.Span, nesting)
		case "object": // of a watch envelope, of a row
			w.inside(raw, m.Span, func(o []byte) { w.object(o, nesting) })
		}
	}
	return true
}

// inside runs f on a part of raw, and moves the edits it makes to raw.
func (w *walker) inside(raw []byte, s jsonscan.Span, f func([]byte)) {
	n := len(w.edits)
	f(s.Of(raw))
	for i := n; i < len(w.edits); i++ {
		w.edits[i].Start += s.Start
		w.edits[i].End += s.Start
	}
}

func (w *walker) elements(raw []byte, s jsonscan.Span, nesting int) {
	w.inside(raw, s, func(array []byte) {
		spans, _ := jsonscan.AppendElements(nil, array)
		for _, e := range spans {
			w.inside(array, e, func(o []byte) { w.object(o, nesting) })
		}
	})
}

// values replaces the values of data or stringData, whatever they are; an
// object keeps its keys.
func (w *walker) values(raw []byte, s jsonscan.Span, encoded bool, nesting int) {
	if string(s.Of(raw)) == "null" {
		return
	}
	w.inside(raw, s, func(data []byte) {
		members, err := jsonscan.AppendMembers(nil, data)
		if err != nil {
			w.replace(jsonscan.Span{End: len(data)}, data, encoded, nesting)
			return
		}
		for _, m := range members {
			w.replace(m.Span, m.Of(data), encoded, nesting)
		}
	})
}

// replace puts the fingerprint of a value into the place of s.
func (w *walker) replace(s jsonscan.Span, value []byte, encoded bool, nesting int) {
	text, err := jsonscan.Unquote(value)
	if err != nil {
		text = string(value) // a number, null, an object
	} else if isFingerprint(text) { // no base64: a server has no such value under data
		return
	} else if encoded {
		// The same value gives the same fingerprint under data and stringData.
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			text = string(b)
		}
	}
	quote := `"`
	for range nesting {
		quote = strings.ReplaceAll(strings.ReplaceAll(quote, `\`, `\\`), `"`, `\"`)
	}
	w.edits = append(w.edits, edit{s, quote + w.r.Fingerprint(text) + quote})
}

func (w *walker) metadata(raw []byte, nesting int) {
	members, _ := jsonscan.AppendMembers(nil, raw)
	for _, m := range members {
		if m.Key != "annotations" {
			continue
		}
		w.inside(raw, m.Span, func(raw []byte) {
			annotations, _ := jsonscan.AppendMembers(nil, raw)
			for _, a := range annotations {
				w.annotation(raw, a, nesting)
			}
		})
	}
}

// annotation looks into an annotation that holds a JSON object: kubectl keeps
// the whole Secret in one, in plain text, and so do other tools. One of them
// that cannot be read is replaced as a whole.
func (w *walker) annotation(raw []byte, a jsonscan.Member, nesting int) {
	quoted := a.Of(raw)
	text, offsets, err := jsonscan.UnquoteMapped(quoted)
	n := len(w.edits)
	if err == nil && nesting < maxNesting && jsonscan.Valid(text) && w.object(text, nesting+1) {
		for i := n; i < len(w.edits); i++ {
			e := &w.edits[i]
			e.Start, e.End = a.Start+offsets[e.Start], a.Start+offsets[e.End]
		}
		return
	}
	w.edits = w.edits[:n]
	if err != nil || nesting >= maxNesting || keepsCopy(a.Key) {
		w.replace(a.Span, quoted, false, nesting)
	}
}

// keepsCopy reports whether an annotation is one in which a tool keeps the
// object as it was applied: kubectl and others (last-applied), kapp, Rancher.
func keepsCopy(key string) bool {
	return strings.Contains(key, "last-applied") || strings.HasPrefix(key, "kapp.k14s.io/original") ||
		key == "objectset.rio.cattle.io/applied"
}
