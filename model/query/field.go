package query

import (
	"regexp"
	"slices"
	"strings"

	"rewatch/model"
)

type fieldID uint8

const (
	words fieldID = iota // no field: a word or a regular expression
	kindField
	nsField
	nameField
	uidField
	typeField
	streamField
	contextField
	pathField
	managerField
	spanField // of time
	celField
)

// field is one field of the language.
type field struct {
	id      fieldID
	name    string
	example string
	help    string
	form    form // how a value is compared, unless it says so itself
	// check says what is wrong with a value; "" is nothing.
	check func(pattern) (message, hint string)
}

// fields is the table of the fields. docs/query.md and the completion follow it.
func fields() []field {
	return []field{
		{id: kindField, name: "kind", example: "kind:pod", help: "type of the object: pod, po, pods, Deployment, deploy.apps", form: equals},
		{id: nsField, name: "ns", example: "ns:shop", help: "namespace", form: equals},
		{id: nsField, name: "namespace", example: "namespace:shop", help: "the same as ns", form: equals},
		{id: nameField, name: "name", example: "name:checkout", help: "name, or a part of it", form: contains},
		{id: uidField, name: "uid", example: "uid:0b31*", help: "UID of the object", form: equals},
		{id: typeField, name: "type", example: "type:deleted", help: "what the row is: " + strings.Join(typeNames(), " "), form: equals, check: checkType},
		{id: streamField, name: "stream", example: "stream:pods", help: "resource that the stream watches", form: equals},
		{id: contextField, name: "context", example: "context:prod", help: "kubeconfig context", form: equals},
		{id: pathField, name: "path", example: "path:spec.replicas", help: "a changed path, or the end or a part of it", form: steps},
		{id: managerField, name: "manager", example: "manager:gitops", help: "who likely made the change", form: equals},
		{id: spanField, name: "since", example: "since:5m", help: "received in the last 5 minutes, or since a moment"},
		{id: spanField, name: "after", example: "after:12:30", help: "received at a moment or later"},
		{id: spanField, name: "before", example: "before:2026-12-01T12:30:00Z", help: "received before a moment"},
		{id: spanField, name: "between", example: "between:12:30..12:45", help: "received in a span of time"},
		{id: celField, name: "cel", example: "cel: object.status.phase == 'Failed'", help: "an expression in CEL; it goes to the end, or to the end of its parentheses"},
	}
}

func fieldNamed(name string) *field {
	for _, f := range fields() {
		if f.name == name {
			return &f
		}
	}
	return nil
}

func fieldNames() []string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	return names
}

// form is how a pattern is compared.
type form uint8

const (
	equals form = iota
	contains
	regex
	steps // of a path: see pathPattern
)

// pattern is one value to compare with. Texts are compared in lower case.
type pattern struct {
	form form
	text string
	re   *regexp.Regexp
	part string // that every text has which re matches: see required
}

// match compares a text; lower is the same in lower case.
func (p pattern) match(text, lower string) bool {
	switch p.form {
	case equals:
		return lower == p.text
	case contains:
		return strings.Contains(lower, p.text)
	}
	return !lacks(lower, p.part) && p.re.MatchString(text)
}

func matchAny(any []pattern, texts ...string) bool {
	for _, t := range texts {
		lower := strings.ToLower(t)
		for _, p := range any {
			if p.match(t, lower) {
				return true
			}
		}
	}
	return false
}

// typeWords are the values of type:. The words for flags stand beside those of
// the types: type:relist is what one looks for.
func typeWords() (types map[string]model.Type, flags map[string]model.Flag) {
	types = map[string]model.Type{}
	for t := model.Added; t <= model.Noted; t++ {
		types[strings.ToLower(t.String())] = t
	}
	return types, map[string]model.Flag{"initial": model.Initial, "relist": model.Synthetic, "synthetic": model.Synthetic,
		"replayed": model.Replayed, "recreated": model.Recreated, "selection": model.Selection}
}

func typeNames() []string {
	types, flags := typeWords()
	var names []string
	for t := model.Added; t <= model.Noted; t++ {
		names = append(names, strings.ToLower(t.String()))
		delete(types, strings.ToLower(t.String()))
	}
	var more []string
	for f := range flags {
		more = append(more, f)
	}
	slices.Sort(more)
	return append(names, more...)
}

// checkType refuses a type that no row has: it would show nothing, and say
// nothing.
func checkType(p pattern) (message, hint string) {
	names := typeNames()
	if slices.ContainsFunc(names, func(n string) bool { return p.match(n, n) }) {
		return "", ""
	}
	if near := nearest(p.text, names); near != "" && p.form != regex {
		return "there is no type " + p.text, "did you mean type:" + near + "?"
	}
	return "no type of row matches", "types are " + strings.Join(names, ", ")
}

// nearest is the candidate that was likely meant, "" if none is near.
func nearest(word string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		d := distance(word, c)
		if len(word) >= 2 && strings.HasPrefix(c, word) {
			d = min(d, 1)
		}
		if d < least && d < len(c) {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of letters to change, add or leave out.
func distance(a, b string) int {
	if len(a) > 32 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
