package query

import (
	"regexp"
	"strings"

	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// A pattern of steps matches a path that has these steps, one after the other,
// anywhere: replicas, spec.replicas and template.spec match where one expects
// it. What selects an element of a list may be left out: containers.image
// matches spec.containers[name=app].image.

// stepPattern prepares a pattern of steps.
func stepPattern(text string) pattern {
	text = strings.ToLower(plainPath(strings.TrimPrefix(text, "."), true))
	p := pattern{form: steps, text: text}
	if strings.Contains(text, "*") {
		p.re = regexp.MustCompile(`(^|[.\[])` + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `[^.]*`) + `($|[.\[])`)
	}
	return p
}

// matchSteps compares a path in plain form.
func (p pattern) matchSteps(path string) bool {
	if p.re != nil {
		return p.re.MatchString(path)
	}
	for from := 0; ; {
		i := strings.Index(path[from:], p.text)
		if i < 0 || p.text == "" {
			return false
		}
		i += from
		end := i + len(p.text)
		begins := i == 0 || path[i-1] == '.' || path[i] == '['
		ends := end == len(path) || path[end] == '.' || path[end] == '['
		if begins && ends {
			return true
		}
		from = i + 1
	}
}

// pathMatches reports whether a change is at a path that matches, or brought or
// took a subtree with such a path in it.
func pathMatches(p pattern, c *diff.Change) bool {
	if p.form == regex {
		return p.re.MatchString(c.Path)
	}
	if p.form != steps {
		return strings.EqualFold(c.Path, p.text)
	}
	path := strings.ToLower(plainPath(c.Path, false))
	if p.matchSteps(path) || strings.Contains(p.text, "[") && p.matchSteps(strings.ToLower(plainPath(c.Path, true))) {
		return true
	}
	return p.re == nil && inSubtree(p.text, path, c)
}

// inSubtree reports whether the pattern begins in the path and goes on within
// the value that came, went or was replaced by another one.
func inSubtree(text, path string, c *diff.Change) bool {
	for i := strings.LastIndexByte(text, '.'); i > 0; i = strings.LastIndexByte(text[:i], '.') {
		head := text[:i]
		if path != head && !strings.HasSuffix(path, "."+head) {
			continue
		}
		for _, v := range []string{c.Old, c.New} {
			if hasSteps([]byte(v), text[i+1:]) {
				return true
			}
		}
	}
	return false
}

// hasSteps follows steps through objects, whatever their case, and into every
// element of lists.
func hasSteps(v []byte, text string) bool {
	if len(v) == 0 {
		return false
	}
	switch v[0] {
	case '[':
		spans, _ := jsonscan.AppendElements(nil, v)
		for _, s := range spans {
			if hasSteps(s.Of(v), text) {
				return true
			}
		}
	case '{':
		members, _ := jsonscan.AppendMembers(nil, v)
		for _, m := range members {
			key := strings.ToLower(m.Key)
			if key == text {
				return true
			}
			if rest, ok := strings.CutPrefix(text, key+"."); ok && hasSteps(m.Of(v), rest) {
				return true
			}
		}
	}
	return false
}

// plainPath writes a path without the quotes that keys have which hold dots:
// metadata.labels.app.kubernetes.io/name. What selects elements of lists is
// kept or left out.
func plainPath(path string, keepLabels bool) string {
	if !strings.Contains(path, "[") {
		return path
	}
	var b strings.Builder
	for path != "" {
		i := strings.IndexByte(path, '[')
		if i < 0 {
			b.WriteString(path)
			break
		}
		b.WriteString(path[:i])
		end := bracketEnd(path, i)
		inside := path[i:end]
		if key, err := jsonscan.Unquote([]byte(strings.Trim(inside, "[]"))); err == nil {
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		} else if keepLabels {
			b.WriteString(inside)
		}
		path = path[end:]
	}
	return b.String()
}

// bracketEnd is behind the bracket that closes the one at i.
func bracketEnd(path string, i int) int {
	for quoted := false; i < len(path); i++ {
		switch c := path[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i + 1
		}
	}
	return len(path)
}
