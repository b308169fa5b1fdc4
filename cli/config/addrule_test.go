package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"rewatch/model/noise"
)

func mine() noise.Rule {
	return noise.Rule{Name: "like Deployment web: #1", Kind: "Deployment.apps", Paths: []string{`metadata.annotations["a.b/c"]#x`, "status.conditions[*].lastUpdateTime"}}
}

// TestWithRule: a rule more, and not a byte less.
func TestWithRule(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":        "",
		"comments":       "# mine\n\n# and mine\n",
		"other keys":     "theme: dark # at night\n\n\ntypes: [pods]\n",
		"without an end": "theme: dark",
		"the example":    Example(),
		"noise":          "noise:\n  # renewals matter here\n  off: [lease renewals]\n\ntheme: dark\n",
		"empty noise":    "noise:\ntheme: dark\n",
		"empty rules":    "noise:\n  rules:\n  off: []\n",
		"no rules":       "noise:\n    rules: [] # none yet\n    off: []\n",
		"rules":          "noise:\n  rules:\n    # why\n    - name: a # this\n      paths:\n        - x\n        - y # last\n\n  # behind\n  off: [] \ntheme: dark\n",
		"rules at once":  "noise:\n  rules:\n  - name: a\n    deleted: 1h\n",
		"rules last":     "noise:\n  rules:\n  - {name: a, paths: [x]}",
		"windows":        "theme: dark\r\ntypes: []\r\n",
	} {
		before, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(name, err)
		}
		r := mine()
		for range 3 {
			out, err := WithRule([]byte(text), r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			after, err := Parse(out)
			if n := len(before.Noise); err != nil || len(after.Noise) != n+1 || !reflect.DeepEqual(after.Noise[n], r) || after.Theme != before.Theme {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
			// Each line is there, in order, but for the one that said [].
			rest := string(out)
			for line := range strings.Lines(text) {
				if line = strings.TrimRight(line, "\n"); strings.Contains(line, "rules: []") {
					continue
				}
				_, after, found := strings.Cut(rest, line)
				if rest = after; !found {
					t.Fatalf("%s: %q is gone:\n%s", name, line, out)
				}
			}
			text, before, r = string(out), after, noise.Rule{Name: "old", Kind: "Job.batch", Namespace: "*", Deleted: time.Hour}
		}
	}
	// In braces and brackets, too, all bytes stay: empty lines, comments, spaces.
	const rule = `{name: 'like Deployment web: #1', kind: Deployment.apps, paths: ['metadata.annotations["a.b/c"]#x', 'status.conditions[*].lastUpdateTime']}`
	for text, want := range map[string]string{
		"# a\n\nnoise: {off: []} # short\n\n\ntheme:   dark\n":          "# a\n\nnoise: {off: [], rules: [" + rule + "]} # short\n\n\ntheme:   dark\n",
		"noise: {rules: [{name: a, paths: [x]}]} # ]}\n\ntheme: dark\n": "noise: {rules: [{name: a, paths: [x]}, " + rule + "]} # ]}\n\ntheme: dark\n",
		"noise:\n  rules: [{name: a, paths: [x]}, ]\n\n\ntypes: [pods]": "noise:\n  rules: [{name: a, paths: [x]}, " + rule + "]\n\n\ntypes: [pods]",
		"noise: {rules: [],\n\n  off: []}\n":                            "noise: {rules: [" + rule + "],\n\n  off: []}\n",
		"{theme: dark}\n":                                               "{theme: dark, noise: {rules: [" + rule + "]}}\n",
	} {
		if out, err := WithRule([]byte(text), mine()); err != nil || string(out) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", text, err, out, want)
		}
	}
	// Blanks in names are theirs, where lines are joined too.
	for _, name := range []string{"two  blanks", "a long name: " + strings.Repeat("word  word ", 20) + "end", "line\nand  line"} {
		r := noise.Rule{Name: name, Paths: []string{"metadata.x"}}
		out, err := WithRule([]byte("{theme: dark}\n"), r)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if c, err := Parse(out); err != nil || !reflect.DeepEqual(c.Noise[len(c.Noise)-1], r) {
			t.Errorf("%q: %v\n%s", name, err, out)
		}
	}
	// What cannot be kept as it is stays as it is, and the rule is there to paste.
	if out, err := WithRule([]byte("noise: &n\n  off: []\n\n---\n"), mine()); err == nil {
		t.Errorf("two documents: %s", out)
	}
	if out, err := WithRule([]byte("noise: ~\n\ntheme: dark\n"), mine()); err == nil || !strings.HasSuffix(err.Error(), "add it by hand to noise.rules: - "+rule) {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := WithRule([]byte("memory: much\n"), mine()); err == nil || !strings.Contains(err.Error(), "line 1: memory") {
		t.Errorf("a file with a mistake: %v", err)
	}
}

func TestAddRule(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	path := filepath.Join(dir, "config.yaml")
	if err := AddRule(path, mine()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if c, _, e := Load(path); err != nil || e != nil || info.Mode().Perm() != 0o600 || len(c.Noise) != len(noise.Default())+1 {
		t.Fatalf("%v %v %v", info.Mode(), err, e)
	}
	// A link to where people keep such files stays one, and the mode as it was.
	real := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.Rename(path, real); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Chmod(real, 0o640), os.Symlink(real, path), AddRule(path, mine())); err != nil {
		t.Fatal(err)
	}
	if link, err := os.Lstat(path); err != nil || link.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v %v", link.Mode(), err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(real, []byte("memory: much\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := AddRule(path, mine()); err == nil || !strings.Contains(err.Error(), "mine.yaml line 1: memory") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(real); string(text) != "memory: much\n" {
		t.Errorf("%s", text)
	}
	for _, d := range []string{dir, filepath.Dir(real)} {
		if files, _ := os.ReadDir(d); len(files) != 1 {
			t.Errorf("left behind: %v", files)
		}
	}
}
