package redact

import (
	"bytes"
	"strings"

	"rewatch/model/jsonscan"
)

// Reach is how much of an object is redacted, as far as its type tells. Where
// two tell something, such as a stream and an object, the larger one counts.
type Reach uint8

// The values of Reach.
const (
	Nothing Reach = iota
	// Inside: it may hold objects of any type, of which the Secrets are redacted.
	Inside
	// Whole: it is a Secret, or a list of them.
	Whole
)

// ReachOf is the one rule for which objects are Secrets.
func ReachOf(apiVersion, kind string) Reach {
	switch kind {
	case "Secret", "SecretList":
		if apiVersion == "v1" {
			return Whole
		}
	case "List", "Table", "WatchEvent":
		return Inside
	}
	return Nothing
}

// Within redacts an object, or the frame it came in, as far as reach says. The
// result is raw where there is nothing to redact.
//
// Inside, an object is a Secret by its kind alone, at any depth and also in
// strings that hold JSON. Of what is no JSON and speaks of Secrets, `{}` is
// all that is kept.
func (r *Redactor) Within(raw []byte, reach Reach) []byte {
	switch {
	case reach == Whole:
		return r.Secret(raw)
	case reach == Nothing || !speaksOfSecrets(raw):
		return raw
	case !jsonscan.Valid(raw):
		return []byte(placeholder)
	}
	w := walker{r: r}
	w.trimmed(raw, 0, 0)
	return w.edited(raw)
}

// trimmed searches a JSON value with white space around it.
func (w *walker) trimmed(raw []byte, nesting, depth int) {
	value := bytes.Trim(raw, " \t\r\n")
	at := len(raw) - len(bytes.TrimLeft(raw, " \t\r\n"))
	w.inside(raw, jsonscan.Span{Start: at, End: at + len(value)}, func(value []byte) { w.search(value, nesting, depth) })
}

// speaksOfSecrets reports whether raw may hold the kind of a Secret: letters
// can be escaped.
func speaksOfSecrets(raw []byte) bool {
	return bytes.Contains(raw, []byte("Secret")) || bytes.Contains(raw, []byte(`\u`))
}

// maxSearch bounds the depth in which Secrets are searched: each level is read
// once more. What lies deeper is replaced as a whole.
const maxSearch = 64

// search collects the edits of all Secrets in a JSON value.
func (w *walker) search(raw []byte, nesting, depth int) {
	if !speaksOfSecrets(raw) {
		return
	}
	if depth == maxSearch {
		w.replace(jsonscan.Span{End: len(raw)}, raw, false, nesting)
		return
	}
	into := func(s jsonscan.Span) {
		w.inside(raw, s, func(value []byte) { w.search(value, nesting, depth+1) })
	}
	switch raw[0] {
	case '{':
		members, _ := jsonscan.AppendMembers(nil, raw)
		for _, m := range members {
			kind, _ := jsonscan.Unquote(m.Of(raw))
			if strings.EqualFold(m.Key, "kind") && (kind == "Secret" || kind == "SecretList") {
				w.object(raw, nesting)
				return
			}
		}
		for _, m := range members {
			into(m.Span)
		}
	case '[':
		elements, _ := jsonscan.AppendElements(nil, raw)
		for _, e := range elements {
			into(e)
		}
	case '"':
		w.quoted(raw, nesting, depth)
	}
}

// quoted searches a string that holds JSON.
func (w *walker) quoted(raw []byte, nesting, depth int) {
	text, offsets, err := jsonscan.UnquoteMapped(raw)
	if err != nil || !bytes.ContainsAny(text, "{") || !speaksOfSecrets(text) || !jsonscan.Valid(text) {
		return
	}
	if nesting == maxNesting {
		w.replace(jsonscan.Span{End: len(raw)}, raw, false, nesting)
		return
	}
	n := len(w.edits)
	w.trimmed(text, nesting+1, depth+1)
	for i := n; i < len(w.edits); i++ {
		e := &w.edits[i]
		e.Start, e.End = offsets[e.Start], offsets[e.End]
	}
}
