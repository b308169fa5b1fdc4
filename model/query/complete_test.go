package query

import (
	"slices"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	l, _ := shopLog()
	values := LogValues(l)
	for _, c := range []struct {
		text   string // | is the cursor
		result string // with the first option in place of what it replaces
		others string // further options
	}{
		{"k|", "kind:", ""},
		{"|", "kind:", "ns: name: uid: type: stream: context: path: manager: since: after: before: between: cel:"},
		{"ns:shop na|", "ns:shop name:", ""},
		{"-(ki|", "-(kind:", ""},
		{"kind:|", "kind:deployment", "node pod"},
		{"kind:po|d ns:shop", "kind:pod ns:shop", ""},
		{"kind:node,p|", "kind:node,pod", "deployment"},
		{"ns:|", "ns:shop", ""},
		{"name:1|", "name:checkout-1", ""},
		{"name:=che|", "name:=checkout", "checkout-1"},
		{"name:~che|", "", ""},
		{`name:"che|`, "", ""},
		{"/ki|", "", ""},
		{"type:del|", "type:deleted", ""},
		{"stream:d|", "stream:deployments.apps", "nodes pods"},
		{"context:|", "context:prod-eu", "test"},
		{"manager:g|", "manager:gitops", ""},
		{"path:spec|", "path:spec.replicas", "spec.template.spec.containers.image"},
		{"since:|", "since:1m", "5m 15m 1h 1d"},
		{"nosuch:|", "", ""},
		{"cel: ob|", "cel: object", ""},
		{"cel: object.me|", "cel: object.metadata", ""},
		{"cel: type == 'x' && old.st| == 3", "cel: type == 'x' && old.status == 3", ""},
		{"cel: object.?spec.?repl|", "cel: object.?spec.?replicas", ""},
		{"(cel: gap) OR ki|", "(cel: gap) OR kind:", ""},
		{"grün ki|", "grün kind:", ""},
	} {
		before, after, _ := strings.Cut(c.text, "|")
		text := []rune(before + after)
		got := Complete(string(text), len([]rune(before)), values)
		var result string
		var others []string
		for i, o := range got.Options {
			if i == 0 {
				result = string(text[:got.From]) + o.Text + string(text[got.To:])
			} else {
				others = append(others, o.Text)
			}
		}
		if result != c.result || strings.Join(others, " ") != c.others {
			t.Errorf("%s: %q, others %q; want %q, others %q", c.text, result, others, c.result, c.others)
		}
	}
}

// What is offered can be read, and finds what it was taken from.
func TestCompletedValuesAreRead(t *testing.T) {
	for _, v := range []string{"plain", "a b", `a"b\c`, "a,b", "(x)", "~a", "=a", "a*b", "ports[containerPort=80,protocol=TCP].x", "a\tb"} {
		q, err := Parse("name:" + quoteValue(v))
		if err != nil {
			t.Errorf("%s: %v", quoteValue(v), err)
		} else if !slices.ContainsFunc(q.leaves[0].any, func(p pattern) bool { return p.match(v, strings.ToLower(v)) }) || len(q.leaves) != 1 {
			t.Errorf("%s does not find %q", quoteValue(v), v)
		}
	}
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"kind:pod", "-(a OR b) /x/", "cel: object.a == 'b'", `name:~^a since:5m`, "path:a[b=c,d].e", "between:1m..2m", "a'b", "(cel: x)", "type:~.*"} {
		f.Add(s, len(s))
	}
	l, rows := shopLog()
	values := LogValues(l)
	f.Fuzz(func(t *testing.T, text string, column int) {
		c := Complete(text, column, values)
		if n := len([]rune(text)); c.From < 0 || c.From > c.To || c.To > n {
			t.Fatalf("completion of %q at %d: %+v", text, column, c)
		}
		q, err := Parse(text)
		if err != nil {
			if e := err.(*Error); e.Column < 1 || e.Column > len([]rune(text))+1 || strings.Contains(e.Message, "\n") {
				t.Fatalf("%q: column %d: %q", text, e.Column, e.Message)
			}
			return
		}
		cache := NewCache()
		a, b := q.Compile(l, Options{}), q.Compile(l, Options{Cache: cache})
		for range 2 {
			for _, e := range rows {
				if a.Match(e) != b.Match(e) {
					t.Fatalf("%q: row %d differs with a cache", text, e.Seq)
				}
			}
		}
	})
}
