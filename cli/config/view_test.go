package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestWithView: columns and times are set, and all else stays to the byte.
func TestWithView(t *testing.T) {
	columns := []string{"time", "name", "change", "stream"}
	const lines = "columns: [time, name, change, stream]\n"
	for name, x := range map[string]struct{ text, want string }{
		"nothing":        {"", lines + "time: server\n"},
		"other keys":     {"theme: dark # at night\n\n\ntypes: [pods]", "theme: dark # at night\n\n\ntypes: [pods]\n" + lines + "time: server\n"},
		"both":           {"# mine\ntime: utc  # as all do\n\ntheme: dark\ncolumns: [name] # few\n# end\n", "# mine\ntime: server # as all do\n\ntheme: dark\n" + strings.TrimSuffix(lines, "\n") + " # few\n# end\n"},
		"a list in rows": {"columns:\n  - name\n  - change\n\n# theme\ntheme: dark\n", lines + "\n# theme\ntheme: dark\ntime: server\n"},
		"no value":       {"columns:\ntime:\ntheme: dark\n", lines + "time: server\ntheme: dark\n"},
		"in one":         {"{theme: dark}\n", "{theme: dark, columns: [time, name, change, stream], time: server}\n"},
		"several lines":  {"columns: [name,\n  change]\ntheme: dark\n", lines + "theme: dark\ntime: server\n"},
		"braces":         {"# é\n{theme:   dark, # at night\n\n  \"time\": 'utc',columns: [name] } # end\n", "# é\n{theme:   dark, # at night\n\n  \"time\": server,columns: [time, name, change, stream] } # end\n"},
		"quoted":         {"\"time\": local # x\n", "\"time\": server # x\n" + lines},
	} {
		out, err := WithView([]byte(x.text), columns, "server")
		if err != nil || string(out) != x.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, out, x.want)
		}
		if again, err := WithView(out, columns, "server"); err != nil || string(again) != string(out) {
			t.Errorf("%s: again: %v\n%s", name, err, again)
		}
	}
	text := Example()
	out, err := WithView([]byte(text), columns, "relative")
	if want := strings.Replace(strings.Replace(text, "\ncolumns: []\n", "\n"+lines, 1), "\ntime: local\n", "\ntime: relative\n", 1); err != nil || string(out) != want {
		t.Errorf("the example: %v\n%s", err, out)
	}
	const paste = "columns and times cannot be put into it and leave all else as it is; write them by hand, columns: [time, name, change, stream] and time: utc"
	if out, err := WithView([]byte("\"columns\":\n  - name\n\n\ntheme:   dark\n"), columns, "utc"); err == nil || err.Error() != paste {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := WithView([]byte("theme: x\nthem: y\n"), columns, "utc"); err == nil {
		t.Error("a file with a mistake was changed")
	}
}

func TestSetView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rewatch", "config.yaml")
	if err := SetView(path, []string{"name", "change"}, "utc"); err != nil {
		t.Fatal(err)
	}
	c, found, err := Load(path)
	if err != nil || !found || c.Times != "utc" || !reflect.DeepEqual(c.Columns, []string{"name", "change"}) {
		t.Errorf("%v %v %s %v", err, found, c.Times, c.Columns)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "columns: [name, change]\ntime: utc\n" {
		t.Errorf("%v %q", err, text)
	}
}

func TestViewMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"columns: [time, nmae]":       `line 1: columns[1]: there is no column "nmae"; they are time, sign, context, kind, namespace, name, change, manager, version, resourceVersion, stream; did you mean name?`,
		"columns: [time, kind, time]": "line 1: columns[2]: the column time is there twice",
		"columns: time":               "line 1: columns: it must be a list; write it as [a, b], or with a - before each",
		"\ntime: utx":                 `line 2: time: "utx": it must be one of local, utc, relative, server; did you mean utc?`,
		"time: [utc]":                 "line 1: time: it must be a single value; an example: rewatch config example",
		"colums: []":                  "line 1: colums: there is no such key; did you mean columns?",
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}
