package query

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Completion is how a query that is being typed may go on.
type Completion struct {
	// From and To bound what an option replaces, in characters from 0: the part
	// of a word around the cursor.
	From, To int
	Options  []Option // the likeliest first
}

// Option is one way to go on.
type Option struct {
	Text string // not sanitised: values come from the cluster
	Help string // what it means, one line; may be ""
}

// Values returns what a log has for a field, the likeliest first, not
// sanitised: see [LogValues]. Fields are those of the language, and paths that
// begin with object or old for the members of objects, as in CEL.
type Values func(field string) []string

// maxOptions is how many options are offered; nobody reads on.
const maxOptions = 50

// Complete tells how a text may go on at the cursor, which has column
// characters before it.
func Complete(text string, column int, values Values) Completion {
	t := []rune(text)
	column = min(max(column, 0), len(t))
	c := Completion{From: column, To: column}
	start, inCEL, ok := termAt(t[:column])
	switch {
	case !ok: // in quotes or in a regular expression
		return c
	case inCEL:
		return completeCEL(c, t, values)
	}
	for c.To < len(t) && !unicode.IsSpace(t[c.To]) && t[c.To] != ')' && t[c.To] != ',' {
		c.To++
	}
	c.From = start
	name, value, isField := strings.Cut(string(t[start:column]), ":")
	if !isField {
		for _, f := range fields() {
			if f.name != "namespace" && strings.HasPrefix(f.name, strings.ToLower(name)) {
				c.Options = append(c.Options, Option{f.name + ":", f.help})
			}
		}
		return c
	}
	f := fieldNamed(strings.ToLower(name))
	if f == nil {
		return c
	}
	value = value[strings.LastIndexByte(value, ',')+1:]
	value = strings.TrimPrefix(value, "=")
	if strings.HasPrefix(value, "~") {
		return c
	}
	c.From = column - len([]rune(value))
	c.Options = matching(value, candidates(f, values), quoteValue)
	return c
}

// candidates are the values that a field may have.
func candidates(f *field, values Values) []string {
	switch {
	case f.id == typeField:
		return typeNames()
	case f.name == "between":
		return []string{"10m..5m", "12:30..12:45"}
	case f.id == spanField:
		return []string{"1m", "5m", "15m", "1h", "1d"}
	}
	return values(f.name)
}

// matching picks the candidates that begin with what is typed, then those that
// have it elsewhere.
func matching(typed string, candidates []string, spell func(string) string) []Option {
	typed = strings.ToLower(typed)
	var first, second []Option
	for _, v := range candidates {
		switch i := strings.Index(strings.ToLower(v), typed); {
		case v == "" || i < 0:
		case i == 0:
			first = append(first, Option{Text: spell(v)})
		default:
			second = append(second, Option{Text: spell(v)})
		}
	}
	first = append(first, second...)
	return first[:min(len(first), maxOptions)]
}

// quoteValue writes a value as it has to stand in a query.
func quoteValue(v string) string {
	plain := !strings.HasPrefix(v, "~") && !strings.HasPrefix(v, "=") && !strings.ContainsFunc(v, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`"'(),*\`, r) || !unicode.IsPrint(r)
	})
	if plain || strings.ContainsRune(v, '[') && !strings.ContainsAny(v, " *") { // a path; commas in brackets are its own
		return v
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}

// termAt finds where the term begins that a text ends in; ok is false if it
// ends in the middle of quotes or of a regular expression.
func termAt(t []rune) (start int, inCEL, ok bool) {
	quote := rune(0)
	fresh := true // a term begins here
	for i := 0; i < len(t); i++ {
		switch c := t[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote, fresh = 0, false
			}
		case unicode.IsSpace(c), c == '(', fresh && c == '-':
			start, fresh = i+1, true
		case fresh && (c == '"' || c == '\'' || c == '/'),
			(c == '"' || c == '\'') && i > 0 && strings.ContainsRune(":=,", t[i-1]):
			quote = c
		default:
			fresh = false
			if c == ':' && strings.EqualFold(string(t[start:i]), "cel") {
				end := celEnd(t, i+1, true)
				if end == len(t) {
					return i + 1, true, true
				}
				i = end
				start, fresh = end+1, true
			}
		}
	}
	return start, false, quote == 0
}

// completeCEL goes on with the names of variables, or with the members of
// objects.
func completeCEL(c Completion, t []rune, values Values) Completion {
	name := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	for c.To < len(t) && name(t[c.To]) {
		c.To++
	}
	start := c.From
	for start > 0 && (name(t[start-1]) || strings.ContainsRune(".?[]", t[start-1])) {
		start--
	}
	typed := string(t[start:c.From])
	dot := strings.LastIndexByte(typed, '.')
	member := strings.TrimPrefix(typed[dot+1:], "?")
	c.From -= len([]rune(member))
	if dot < 0 {
		c.Options = matching(typed, variableNames(), func(s string) string { return s })
		return c
	}
	path := strings.ReplaceAll(typed[:dot], "?", "")
	root, _, _ := strings.Cut(path, ".")
	if root != "object" && root != "old" {
		return c
	}
	c.Options = matching(member, plainNames(values(path)), func(s string) string { return s })
	return c
}

// plainNames leaves out what cannot stand behind a dot.
func plainNames(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(s string) bool {
		for i := range len(s) {
			if !identifier(s[i]) {
				return true
			}
		}
		_, err := strconv.Atoi(s[:min(len(s), 1)])
		return err == nil
	})
}
