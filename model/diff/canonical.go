package diff

import (
	"bytes"
	"slices"
	"strings"

	"rewatch/model/jsonscan"
)

// canonical is a spelling of a value that equal values share: members sorted,
// strings escaped in one way, no white space. Bytes that cannot be read stand
// for themselves.
func canonical(raw []byte) string {
	if len(raw) == 0 || raw[0] != '{' && raw[0] != '[' && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	out, ok := appendCanonical(nil, raw, 0)
	if !ok {
		return string(raw)
	}
	return string(out)
}

func appendCanonical(dst, raw []byte, depth int) ([]byte, bool) {
	if depth > maxDepth {
		return append(dst, raw...), true
	}
	switch raw[0] {
	case '{':
		members, err := jsonscan.AppendMembers(nil, raw)
		if err != nil {
			return dst, false
		}
		slices.SortStableFunc(members, func(a, b jsonscan.Member) int { return strings.Compare(a.Key, b.Key) })
		dst = append(dst, '{')
		for _, m := range members {
			ok := false
			dst = append(jsonscan.AppendQuote(dst, m.Key), ':')
			if dst, ok = appendCanonical(dst, m.Of(raw), depth+1); !ok {
				return dst, false
			}
			dst = append(dst, ',')
		}
		return append(dst, '}'), true
	case '[':
		spans, err := jsonscan.AppendElements(nil, raw)
		if err != nil {
			return dst, false
		}
		dst = append(dst, '[')
		for _, s := range spans {
			ok := false
			if dst, ok = appendCanonical(dst, s.Of(raw), depth+1); !ok {
				return dst, false
			}
			dst = append(dst, ',')
		}
		return append(dst, ']'), true
	case '"':
		s, err := jsonscan.Unquote(raw)
		if err != nil {
			return dst, false
		}
		return jsonscan.AppendQuote(dst, s), true
	}
	return append(dst, raw...), true
}
