package redact

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Rule selects values of objects by a JSONPath.
type Rule struct {
	text  string
	steps []step
}

// String is the path as it was given.
func (r Rule) String() string { return r.text }

type stepKind uint8

const (
	named    stepKind = iota // .name
	every                    // .* [*]
	numbered                 // [0] [-1]
	anywhere                 // ..name
	where                    // [?(@.name=="x")]
)

type step struct {
	kind   stepKind
	name   string
	index  int
	path   []string // of the condition
	equals string
	not    bool
}

// ParseRule reads a JSONPath as kubectl has them, of which it knows
//
//	.name  ['name']  ["name"]   a member; in .name a dot is written \.
//	.*  [*]                     all members or elements
//	[0]  [-1]                   an element
//	..name                      the member of this name at any depth
//	[?(@.a.b=="x")]             the elements of which this holds; != as well
//
// with or without $ before and braces around it. The error says where it is
// wrong. What would select the name of an object is an error too.
func ParseRule(text string) (Rule, error) {
	p := parser{text: text}
	rule := Rule{text: text}
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		p.at, p.text = 1, text[:len(text)-1]
	}
	p.skip("$")
	for p.at < len(p.text) {
		s, err := p.step()
		if err != nil {
			return Rule{}, err
		}
		rule.steps = append(rule.steps, s)
	}
	if len(rule.steps) == 0 {
		return Rule{}, p.wrong("the path is empty")
	}
	plain := []string{}
	for _, s := range rule.steps {
		if s.kind != named {
			return rule, nil
		}
		plain = append(plain, s.name)
	}
	switch first := plain[0]; {
	case len(plain) == 1 && slices.Contains([]string{"kind", "apiVersion", "metadata"}, first),
		len(plain) == 2 && first == "metadata" && slices.Contains([]string{"name", "namespace", "uid", "resourceVersion"}, plain[1]):
		return Rule{}, fmt.Errorf("%s names the object, and cannot be redacted", text)
	}
	return rule, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) wrong(format string, args ...any) error {
	return fmt.Errorf("column %d: %s", p.at+1, fmt.Sprintf(format, args...))
}

func (p *parser) skip(prefix string) bool {
	if !strings.HasPrefix(p.text[p.at:], prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *parser) step() (step, error) {
	switch {
	case p.skip(".."):
		name, err := p.name()
		return step{kind: anywhere, name: name}, err
	case p.skip(".*"), p.skip("[*]"):
		return step{kind: every}, nil
	case p.skip("."):
		name, err := p.name()
		return step{kind: named, name: name}, err
	case p.skip("[?("):
		return p.condition()
	case p.skip("['"), p.skip(`["`):
		quote := p.text[p.at-1]
		name, err := p.quoted(quote)
		if err == nil && !p.skip("]") {
			err = p.wrong("] is missing")
		}
		return step{kind: named, name: name}, err
	case p.skip("["):
		digits := p.text[p.at:]
		end := strings.IndexByte(digits, ']')
		if end < 0 {
			return step{}, p.wrong("] is missing")
		}
		n, err := strconv.Atoi(digits[:end])
		if err != nil {
			return step{}, p.wrong("in brackets stands a number, *, a quoted name, or a condition as ?(@.name==\"x\")")
		}
		p.at += end + 1
		return step{kind: numbered, index: n}, nil
	}
	return step{}, p.wrong("a path goes on with . or [")
}

// name reads a member's name up to what cannot be part of one.
func (p *parser) name() (string, error) {
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c == '\\' && p.at+1 < len(p.text) {
			p.at++
			c = p.text[p.at]
		} else if strings.IndexByte(".[]=!()'\"{}*?@ ", c) >= 0 {
			break
		}
		b.WriteByte(c)
		p.at++
	}
	if b.Len() == 0 {
		return "", p.wrong("a name is missing")
	}
	return b.String(), nil
}

// quoted reads the rest of a quoted text.
func (p *parser) quoted(quote byte) (string, error) {
	end := strings.IndexByte(p.text[p.at:], quote)
	if end < 0 {
		return "", p.wrong("%c is missing", quote)
	}
	text := p.text[p.at : p.at+end]
	p.at += end + 1
	return text, nil
}

// condition reads @.a.b=="x")] behind [?(.
func (p *parser) condition() (s step, err error) {
	s.kind = where
	if !p.skip("@") {
		return s, p.wrong("a condition begins with @")
	}
	for p.skip(".") {
		name, err := p.name()
		if err != nil {
			return s, err
		}
		s.path = append(s.path, name)
	}
	for p.skip(" ") {
		continue
	}
	switch {
	case len(s.path) == 0:
		return s, p.wrong("a condition is about a member: @.name")
	case p.skip("=="):
	case p.skip("!="):
		s.not = true
	default:
		return s, p.wrong("a condition compares with == or !=")
	}
	for p.skip(" ") {
		continue
	}
	switch {
	case p.skip(`"`):
		s.equals, err = p.quoted('"')
	case p.skip("'"):
		s.equals, err = p.quoted('\'')
	default:
		end := strings.IndexByte(p.text[p.at:], ')')
		if end <= 0 {
			return s, p.wrong("what it compares with is missing")
		}
		s.equals = strings.TrimSpace(p.text[p.at : p.at+end])
		p.at += end
	}
	if err == nil && !p.skip(")]") {
		err = p.wrong(")] is missing")
	}
	return s, err
}
