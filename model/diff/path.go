package diff

import (
	"bytes"

	"rewatch/model/jsonscan"
)

// enterKey puts a key at the end of the path and returns where the path ended.
func (d *differ) enterKey(key string) int {
	at := len(d.path)
	if !plainKey(key) {
		d.path = append(d.path, '[')
		d.path = append(jsonscan.AppendQuote(d.path, key), ']')
		return at
	}
	if at > 0 {
		d.path = append(d.path, '.')
	}
	d.path = append(d.path, key...)
	return at
}

// enterLabel puts a label in brackets at the end of the path.
func (d *differ) enterLabel(label []byte) int {
	at := len(d.path)
	d.path = append(d.path, '[')
	d.path = append(append(d.path, label...), ']')
	return at
}

// plainKey reports whether a key can stand in a path without quotes.
func plainKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c != '-' && (c < '0' || c > '9')) {
			return false
		}
	}
	return key != ""
}

// appendLabel appends what stands in the brackets for an element: name=app,
// or containerPort=80,protocol=TCP. Absent parts are left out.
func appendLabel(dst []byte, element []byte, key mergeKey) []byte {
	first := true
	for _, part := range key {
		v := part.of(element)
		if v == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		for i, k := range part.path {
			if i > 0 {
				dst = append(dst, '.')
			}
			dst = append(dst, k...)
		}
		dst = append(dst, '=')
		if bytes.IndexByte(v, '\\') >= 0 {
			v = []byte(canonical(v)) // the same path, however it is escaped
		}
		if body := bytes.Trim(v, `"`); len(body) == len(v)-2 && plainValue(body) {
			v = body
		}
		dst = append(dst, v...)
	}
	return dst
}

// plainValue reports whether a string can stand in a label without quotes, and
// cannot be taken for a number there.
func plainValue(s []byte) bool {
	if jsonscan.Valid(s) {
		return false
	}
	for _, c := range s {
		if c <= ' ' || c >= 0x7f || bytes.IndexByte([]byte(`"\[],=`), c) >= 0 {
			return false
		}
	}
	return len(s) > 0
}
