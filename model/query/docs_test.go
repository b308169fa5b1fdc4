package query

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The examples of docs/query.md can be read, its mistakes are told as it says,
// and it has every field and every variable.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../../docs/query.md")
	if err != nil {
		t.Fatal(err)
	}
	doc, mistakes, _ := strings.Cut(string(b), "## Mistakes")
	mistakes, _, _ = strings.Cut(mistakes, "## What")
	n := 0
	read := func(text string) {
		n++
		if _, err := Parse(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]*[: /\"][^`]*)` \\|").FindAllStringSubmatch(doc, -1) {
		read(m[1])
	}
	for _, m := range regexp.MustCompile("(?m)^    (.*?)(?:  +.*)?$").FindAllStringSubmatch(doc, -1) {
		read(m[1])
	}
	wrong := regexp.MustCompile("(?m)^    (.*?)  +(column .*)$").FindAllStringSubmatch(mistakes, -1)
	for _, m := range wrong {
		if _, err := Parse(m[1]); err == nil || err.Error() != m[2] {
			t.Errorf("%s: %v, the page says %s", m[1], err, m[2])
		}
	}
	if n < 25 || len(wrong) < 5 {
		t.Errorf("found %d examples and %d mistakes", n, len(wrong))
	}
	for _, f := range fields() {
		if !strings.Contains(doc, "`"+f.name+":") {
			t.Errorf("the page does not tell of the field %s", f.name)
		}
		read(f.example)
	}
	for _, v := range slices.Concat(variableNames(), typeNames()) {
		if !strings.Contains(doc, "`"+v+"`") {
			t.Errorf("the page does not tell of %s", v)
		}
	}
}
