package query

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// parser reads a query by recursive descent. Columns are of characters, as a
// screen counts them.
type parser struct {
	text   []rune
	at     int
	depth  int // open parentheses
	leaves []*leaf
}

// maxNesting bounds parentheses and negations, which are read recursively.
const maxNesting = 50

func (p *parser) fail(at int, hint, format string, args ...any) error {
	return &Error{Column: at + 1, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func (p *parser) space() {
	for p.at < len(p.text) && unicode.IsSpace(p.text[p.at]) {
		p.at++
	}
}

func (p *parser) peek() rune {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

// closes reports whether the end of the group at hand, or of all, is reached.
func (p *parser) closes() bool {
	p.space()
	return p.at == len(p.text) || p.depth > 0 && p.peek() == ')'
}

func (p *parser) parse() (*node, error) {
	if p.closes() {
		return nil, nil
	}
	n, err := p.alternatives(0)
	if err == nil && len(p.leaves) > maxTerms {
		return nil, p.fail(p.leaves[maxTerms].at, "", "more than %d terms", maxTerms)
	}
	return n, err
}

// alternatives reads terms joined by OR.
func (p *parser) alternatives(nesting int) (*node, error) {
	var kids []*node
	for {
		n, err := p.terms(nesting)
		if err != nil {
			return nil, err
		}
		kids = append(kids, n)
		if !p.operator("OR") {
			return join(or, kids), nil
		}
	}
}

// terms reads terms that must all hold.
func (p *parser) terms(nesting int) (*node, error) {
	var kids []*node
	for {
		n, err := p.term(nesting)
		if err != nil {
			return nil, err
		}
		kids = append(kids, n)
		and := p.operator("AND")
		if !and && (p.closes() || p.isWord("OR")) {
			return join(all, kids), nil
		}
	}
}

// isWord reports whether a word comes next, in exactly this spelling.
func (p *parser) isWord(word string) bool {
	p.space()
	end := p.at + len(word)
	if end > len(p.text) || string(p.text[p.at:end]) != word {
		return false
	}
	return end == len(p.text) || unicode.IsSpace(p.text[end]) || strings.ContainsRune("()", p.text[end])
}

func (p *parser) operator(word string) bool {
	if !p.isWord(word) {
		return false
	}
	p.at += len(word)
	return true
}

// term reads one term, negated or not, or a group.
func (p *parser) term(nesting int) (*node, error) {
	p.space()
	at := p.at
	if nesting > maxNesting {
		return nil, p.fail(at, "", "nested deeper than %d", maxNesting)
	}
	if p.closes() {
		return nil, p.fail(at, "", "a term is missing here")
	}
	for _, word := range []string{"OR", "AND"} {
		if p.isWord(word) {
			return nil, p.fail(at, fmt.Sprintf("quote it to look for the word: %q", word), "%s needs a term before it", word)
		}
	}
	switch c := p.text[at]; {
	case p.operator("NOT"), c == '-' && p.skip():
		n, err := p.term(nesting + 1)
		if err != nil {
			return nil, err
		}
		return &node{op: not, kids: []*node{n}}, nil
	case c == '(':
		return p.group(nesting)
	case c == ')':
		return nil, p.fail(at, "quote it to look for it as text", "there is no open parenthesis")
	case c == '/':
		return p.expression()
	case c == '"', c == '\'':
		s, err := p.quoted()
		if err != nil {
			return nil, err
		}
		return p.word(at, s), nil
	}
	return p.fieldOrWord()
}

func (p *parser) skip() bool { p.at++; return true }

func (p *parser) group(nesting int) (*node, error) {
	at := p.at
	p.at++
	p.depth++
	n, err := p.alternatives(nesting + 1)
	if err != nil {
		return nil, err
	}
	p.depth--
	if p.peek() != ')' {
		return nil, p.fail(len(p.text), "", "the parenthesis of column %d is not closed", at+1)
	}
	p.at++
	return n, nil
}

// add makes a leaf part of the query.
func (p *parser) add(l *leaf) *node {
	l.bit = 1 << (len(p.leaves) % 64) // too many are refused in the end
	p.leaves = append(p.leaves, l)
	return &node{op: one, leaf: l}
}

func (p *parser) word(at int, text string) *node {
	return p.add(&leaf{field: words, at: at, key: wordKey + strings.ToLower(text), any: []pattern{{form: contains, text: strings.ToLower(text)}}})
}

// expression reads /a regular expression/.
func (p *parser) expression() (*node, error) {
	at := p.at
	end := at + 1
	for ; end < len(p.text) && p.text[end] != '/'; end++ {
		if p.text[end] == '\\' {
			end++
		}
	}
	if end >= len(p.text) {
		return nil, p.fail(at, "quote a word that begins with /", "the regular expression has no closing /")
	}
	source := strings.ReplaceAll(string(p.text[at+1:end]), `\/`, `/`)
	if source == "" {
		return nil, p.fail(at, "", "the regular expression is empty")
	}
	p.at = end + 1
	m, err := p.regex(at+1, source)
	if err != nil {
		return nil, err
	}
	return p.add(&leaf{field: words, at: at, key: "regex:" + source, any: []pattern{m}}), nil
}

// regex makes a pattern of a regular expression whatever the case, in which ^
// and $ are the ends of each text.
func (p *parser) regex(at int, source string) (pattern, error) {
	re, err := regexp.Compile("(?im)" + source)
	if err != nil {
		text := strings.Replace(strings.TrimPrefix(err.Error(), "error parsing regexp: "), "(?im)", "", 1)
		return pattern{}, p.fail(at, "", "not a regular expression: %s", text)
	}
	return pattern{form: regex, re: re, part: required("(?im)" + source)}, nil
}

// quoted reads text in quotes, in which \ takes the next character as it is.
func (p *parser) quoted() (string, error) {
	at, quote := p.at, p.text[p.at]
	var b strings.Builder
	for i := at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == quote && i == at+1:
			return "", p.fail(at, "", "there is nothing in the quotes")
		case c == quote:
			p.at = i + 1
			return b.String(), nil
		case c == '\\' && i+1 < len(p.text):
			i++
			b.WriteRune(p.text[i])
		default:
			b.WriteRune(c)
		}
	}
	return "", p.fail(at, "", "the quote is not closed")
}

// fieldOrWord reads field:value, or a word.
func (p *parser) fieldOrWord() (*node, error) {
	at := p.at
	for i := at; i < len(p.text); i++ {
		c := p.text[i]
		if c == ':' && i > at {
			return p.field(at, string(p.text[at:i]), i+1)
		}
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			break
		}
	}
	return p.word(at, p.bare()), nil
}

// bare reads up to the next space, or to the parenthesis that closes the group.
func (p *parser) bare() string {
	at := p.at
	for p.at < len(p.text) && !unicode.IsSpace(p.text[p.at]) && !(p.depth > 0 && p.text[p.at] == ')') {
		p.at++
	}
	return string(p.text[at:p.at])
}

func (p *parser) field(at int, name string, value int) (*node, error) {
	p.at = value
	f := fieldNamed(strings.ToLower(name))
	if f == nil {
		hint := fmt.Sprintf("quote it to look for it as text: %q", name+":"+p.bare())
		if near := nearest(strings.ToLower(name), fieldNames()); near != "" {
			hint = "did you mean " + near + ":?"
		}
		return nil, p.fail(at, hint, "there is no field %q", name)
	}
	if f.id == celField {
		return p.cel(at)
	}
	if p.at == len(p.text) || unicode.IsSpace(p.peek()) || p.depth > 0 && p.peek() == ')' {
		return nil, p.fail(p.at, "for example "+f.example, "%s: needs a value", f.name)
	}
	l := &leaf{field: f.id, at: at, key: strings.ToLower(string(p.text[at:value]))}
	if f.id == spanField {
		span, err := p.span(f.name)
		if err != nil {
			return nil, err
		}
		l.span = span
		return p.add(l), nil
	}
	from := p.at
	if err := p.values(f, l); err != nil {
		return nil, err
	}
	l.key += string(p.text[from:p.at])
	return p.add(l), nil
}

// values reads the values of a field, with commas between them: one of them
// has to be the one.
func (p *parser) values(f *field, l *leaf) error {
	for {
		at := p.at
		m, err := p.value(f)
		if err != nil {
			return err
		}
		if f.check != nil {
			if message, hint := f.check(m); message != "" {
				return p.fail(at, hint, "%s", message)
			}
		}
		l.any = append(l.any, m)
		if p.peek() != ',' {
			return nil
		}
		p.at++
	}
}

func (p *parser) value(f *field) (pattern, error) {
	at := p.at
	exact := f.form
	switch p.peek() {
	case '~':
		p.at++
		source := p.bare()
		if source == "" {
			return pattern{}, p.fail(p.at, "for example name:~^check", "~ needs a regular expression")
		}
		return p.regex(at+1, source)
	case '=':
		exact = equals
		p.at++
	}
	if c := p.peek(); c == '"' || c == '\'' {
		s, err := p.quoted()
		if exact == steps {
			return stepPattern(s), err
		}
		return pattern{form: exact, text: strings.ToLower(s)}, err
	}
	if p.peek() == '(' {
		return pattern{}, p.fail(p.at, "alternatives have commas between them, as kind:pod,job; quote a text that begins so", "a value does not begin with a parenthesis")
	}
	s := p.upToComma()
	if s == "" {
		return pattern{}, p.fail(p.at, "for example "+f.example, "a value is missing here")
	}
	if exact == steps {
		return stepPattern(s), nil
	}
	m := pattern{form: exact, text: strings.ToLower(s)}
	if strings.Contains(s, "*") {
		m.form, m.re = regex, globRegex(s)
	}
	return m, nil
}

// upToComma reads a value that is not quoted; commas in brackets are its own.
func (p *parser) upToComma() string {
	at, brackets := p.at, 0
	for ; p.at < len(p.text); p.at++ {
		c := p.text[p.at]
		if unicode.IsSpace(c) || c == ',' && brackets <= 0 || c == ')' && p.depth > 0 {
			break
		}
		switch c {
		case '[':
			brackets++
		case ']':
			brackets--
		}
	}
	return string(p.text[at:p.at])
}

// globRegex is a pattern in which * stands for any text.
func globRegex(glob string) *regexp.Regexp {
	return regexp.MustCompile("(?is)^" + strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*") + "$")
}
