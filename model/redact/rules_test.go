package redact

import (
	"strings"
	"testing"

	"rewatch/model/jsonscan"
)

func rules(tb testing.TB, paths ...string) []Rule {
	tb.Helper()
	var out []Rule
	for _, p := range paths {
		r, err := ParseRule(p)
		if err != nil {
			tb.Fatalf("%s: %v", p, err)
		}
		out = append(out, r)
	}
	return out
}

func TestRules(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","labels":{"app.k8s.io/name":"x"}},` +
		`"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"1"},{"name":"PASS","value":"two"}]},{"name":"d","env":[{"name":"PASS","value":"two"}]}],"n":[1,2,3]}}`
	for _, c := range []struct {
		path string
		want []string // what is replaced, in order
	}{
		{`.spec.containers[*].env[*].value`, []string{`"1"`, `"two"`, `"two"`}},
		{`{.spec.containers[*].env[?(@.name=="PASS")].value}`, []string{`"two"`, `"two"`}},
		{`$.spec.containers[0].env[?(@.name != 'PASS')].value`, []string{`"1"`}},
		{`.spec.containers[?(@.name==c)]..value`, []string{`"1"`, `"two"`}},
		{`..value`, []string{`"1"`, `"two"`, `"two"`}},
		{`.spec.n[-1]`, []string{`3`}},
		{`.spec['n'][1]`, []string{`2`}},
		{`.metadata.labels.app\.k8s\.io/name`, []string{`"x"`}},
		{`.metadata.labels["app.k8s.io/name"]`, []string{`"x"`}},
		{`.spec.n`, []string{`[1,2,3]`}},
		{`.spec.*[0]`, []string{`{"name":"c","env":[{"name":"A","value":"1"},{"name":"PASS","value":"two"}]}`, `1`}},
		{`.spec.none[*].value`, nil},
		{`.metadata.*`, []string{`{"app.k8s.io/name":"x"}`}}, // what names the object stays
		{`..name`, []string{`"c"`, `"A"`, `"PASS"`, `"d"`, `"PASS"`}},
		{`..metadata`, nil},
	} {
		r := New().With(rules(t, c.path)...)
		got, want := string(r.Apply([]byte(pod))), pod
		at := 0
		for _, value := range c.want {
			text := strings.Trim(value, `"`)
			i := strings.Index(want[at:], value)
			// Names may be those of the object: those stand before spec.
			for strings.HasPrefix(want[at+i-len(`"name":`):], `"name":`) && at+i < strings.Index(want, `"spec"`) {
				i += 1 + strings.Index(want[at+i+1:], value)
			}
			fp := `"` + r.Fingerprint(text) + `"`
			want = want[:at+i] + fp + want[at+i+len(value):]
			at += i + len(fp)
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", c.path, got, want)
		}
	}
}

func TestRulesReachCopies(t *testing.T) {
	r := New().With(rules(t, ".spec.password", ".spec.other")...)
	fp := r.Fingerprint("hunter2")
	in := `{"kind":"X","metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"X\",\"spec\":{\"password\":\"hunter2\"}}\n","b":"c"}},"spec":{"password":"hunter2"}}`
	want := `{"kind":"X","metadata":{"name":"a","annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"X\",\"spec\":{\"password\":\"` + fp + `\"}}\n","b":"c"}},"spec":{"password":"` + fp + `"}}`
	got := r.Apply([]byte(in))
	if string(got) != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if again := r.Apply(got); string(again) != want {
		t.Errorf("twice: %s", again)
	}
	frame := r.ApplyFrame([]byte(`{"type":"ADDED", "object":` + in + `}`))
	if string(frame) != `{"type":"ADDED", "object":`+want+`}` {
		t.Errorf("%s", frame)
	}
	for _, raw := range []string{``, `[]`, `{"spec":{"password":"hunter2"}`} {
		if got := r.Apply([]byte(raw)); string(got) != `{}` {
			t.Errorf("%s: %s", raw, got)
		}
	}
	if got := New().Apply([]byte(`{"spec":`)); string(got) != `{"spec":` {
		t.Errorf("without rules: %s", got)
	}
}

func TestRulesOverlap(t *testing.T) {
	r := New().With(rules(t, ".spec.a.b", ".spec.a", ".spec.a.c", ".spec.d")...)
	if got, want := string(r.Apply([]byte(`{"spec":{"d":"y","a":{"b":"x","c":1}}}`))),
		`{"spec":{"d":"`+r.Fingerprint("y")+`","a":"`+r.Fingerprint(`{"b":"x","c":1}`)+`"}}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestWrongRules(t *testing.T) {
	for path, want := range map[string]string{
		"":                          "empty",
		"$":                         "empty",
		"spec":                      "column 1: a path goes on with . or [",
		".":                         "column 2: a name is missing",
		".spec..":                   "a name is missing",
		".spec[":                    "] is missing",
		".spec[x]":                  "in brackets stands",
		".spec['x":                  "' is missing",
		".spec[?(@.a)]":             "compares with",
		".spec[?(a==1)]":            "begins with @",
		".spec[?(@==1)]":            "is about a member",
		`.spec[?(@.a=="1"]`:         ")] is missing",
		".metadata.name":            "names the object",
		".kind":                     "names the object",
		".metadata":                 "names the object",
		"{.spec":                    "column 1",
		".spec.containers[*] .name": "goes on with",
	} {
		if _, err := ParseRule(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", path, err, want)
		}
	}
}

// FuzzRules: no path and no object makes it panic, what comes out is JSON, and
// the object keeps its name.
func FuzzRules(f *testing.F) {
	f.Add(`.spec.containers[*].env[?(@.name=="P")].value`, `{"kind":"P","metadata":{"name":"x","uid":"u"},"spec":{"containers":[{"env":[{"name":"P","value":"x"}]}]}}`)
	f.Add(`..a`, `{"a":{"a":[{"a":1}]},"metadata":{"annotations":{"last-applied":"{\"a\":1}"}}}`)
	f.Fuzz(func(t *testing.T, path, object string) {
		rule, err := ParseRule(path)
		if err != nil {
			return
		}
		out := New().With(rule).Apply([]byte(object))
		if !jsonscan.Valid(out) {
			t.Fatalf("%s of %s: %s", path, object, out)
		}
		if string(out) == `{}` {
			return
		}
		was, errWas := jsonscan.Identity([]byte(object))
		is, errIs := jsonscan.Identity(out)
		if errWas == nil && (errIs != nil || was.Name != is.Name || was.UID != is.UID || was.Kind != is.Kind || was.ResourceVersion != is.ResourceVersion) {
			t.Fatalf("%s of %s: %+v became %+v", path, object, was, is)
		}
	})
}
