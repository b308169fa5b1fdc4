package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rewatch/cli/config"
	"rewatch/watch/timeserver"
)

// writeConfig writes the configuration file of an isolated environment.
func writeConfig(t *testing.T, text string) (path string) {
	t.Helper()
	path, err := config.Path()
	if err != nil || !strings.HasPrefix(path, os.Getenv("HOME")) {
		t.Fatalf("the environment is not isolated: %s %v", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigCommands(t *testing.T) {
	isolate(t)
	path := rewatch(t, "config", "path").out
	if want := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "rewatch", "config.yaml") + "\n"; path != want {
		t.Errorf("%q, want %q", path, want)
	}
	if got := rewatch(t, "config", "check"); got.code != 0 || !strings.Contains(got.out, "the defaults apply") {
		t.Errorf("%+v", got)
	}
	example := rewatch(t, "config", "example")
	if example.code != 0 || example.out != config.Example() {
		t.Errorf("%+v", example)
	}
	file := writeConfig(t, example.out)
	if got := rewatch(t, "config", "check"); got.code != 0 || !strings.Contains(got.out, file+" is in order") {
		t.Errorf("%+v", got)
	}
	writeConfig(t, "theme: dark\nthem: x")
	fails(t, 1, file+" line 2: them: there is no such key; did you mean theme?", "config", "check")
	fails(t, 1, "there is no file nowhere.yaml", "config", "check", "nowhere.yaml")
	other := filepath.Join(t.TempDir(), "other.yaml")
	if err := os.WriteFile(other, []byte("memory: 1Gi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := rewatch(t, "config", "check", other); got.code != 0 || !strings.Contains(got.out, "line 1    memory       1Gi\n") {
		t.Errorf("%+v", got)
	}
	text := "# mine\ntypes: [pods, deploy]\nnoise:\n  off: [lease renewals]\n  rules:\n  - {name: a, paths: [x]}\n  - {name: b c, paths: [y]}\n"
	if err := os.WriteFile(other, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := other + " is in order\n  line 2    types        pods, deploy\n  line 4    noise.off    lease renewals\n" +
		"  line 5    noise.rules  \"a\", \"b c\"\n  in force   9 noise rules: 7 that come with rewatch, 2 of the file\n"
	if got := rewatch(t, "config", "check", other); got.out != want {
		t.Errorf("%s\nwant\n%s", got.out, want)
	}
}

// TestConfigIsReadByThoseThatUseIt: a mistake stops them, and no other command.
func TestConfigIsReadByThoseThatUseIt(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	writeConfig(t, "theme: pink")
	for _, args := range []string{"", "pods", "tail", "replay demo.rwt", "demo", "record -o x.rwt"} {
		fails(t, 1, "line 1: theme:", strings.Fields(args)...)
	}
	if got := rewatch(t, "info", "demo.rwt"); got.code != 0 {
		t.Errorf("%+v", got)
	}
}

func TestConfigSetsWhatFlagsDoNot(t *testing.T) {
	isolate(t)
	writeConfig(t, "theme: dark\nmemory: 64Mi\ntimeZone: UTC\ntypes: [pods]\nnoise: {rules: [{name: mine, kind: Pod, paths: [spec]}]}")
	for _, c := range []struct {
		args   []string
		theme  string
		memory int64
	}{{nil, "dark", 64 << 20}, {[]string{"--theme", "light"}, "light", 64 << 20}, {[]string{"--memory", "1Gi"}, "dark", 1 << 30}} {
		root := newRoot(streams{})
		f := newFlags()
		f.addTo(root)
		root.ResetFlags()
		f.addTo(root)
		if err := root.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		if err := f.configure(root); err != nil {
			t.Fatal(err)
		}
		if f.theme.value != c.theme || f.memory.bytes != c.memory || f.zone != time.UTC || len(f.noise) != len(config.Default().Noise)+1 {
			t.Errorf("%q: theme %s, memory %d, zone %v, %d rules", c.args, f.theme.value, f.memory.bytes, f.zone, len(f.noise))
		}
		req, err := f.request(nil)
		if err != nil || len(req.Types) != 1 || req.Types[0].Type != "pods" {
			t.Errorf("%+v %v", req, err)
		}
		if req, err := f.request([]string{"nodes"}); err != nil || len(req.Types) != 1 || req.Types[0].Type != "nodes" {
			t.Errorf("%+v %v", req, err)
		}
	}
}

// TestTailLeavesOutNoise of the file's rules, and says how much it was.
func TestTailLeavesOutNoise(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	writeConfig(t, "types: [configmaps]\nnoise: {rules: [{name: ticks, kind: ConfigMap, paths: [data.tick]}]}")
	c.put(t, "configmaps", "shop", "settings", `"data":{"a":"1","tick":"0"}`)
	r := background(t, "tail", "--changed-only", "--until", "object.data.a == '2'", "-o", "diff")
	n := 0
	waitUntil(t, func() bool { // a watch is open before it has sent what was there
		n++
		c.put(t, "configmaps", "shop", "other", fmt.Sprintf(`"data":{"a":"%d"}`, 10+n))
		time.Sleep(20 * time.Millisecond)
		return strings.Contains(r.out.String(), "MODIFIED")
	})
	for _, data := range []string{`{"a":"1","tick":"1"}`, `{"a":"1","tick":"2"}`, `{"a":"2","tick":"3"}`} {
		c.put(t, "configmaps", "shop", "settings", `"data":`+data)
	}
	r.endsWith(0, "2 changes left out as noise")
	_, got, _ := strings.Cut(r.out.String(), "ConfigMap shop/settings")
	if strings.Contains(got, "shop/settings") || !strings.Contains(got, `    ~ data.a  "1" → "2"`) {
		t.Errorf("stdout:\n%s", got)
	}
}

// TestConfigDocs: docs/config.md names every key, and its example is valid.
func TestConfigDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if c, err := config.Parse([]byte(example)); err != nil || len(c.Noise) != len(config.Default().Noise)+1 {
		t.Errorf("%v %+v", err, c)
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-zA-Z]+):`).FindAllStringSubmatch(config.Example(), -1) {
		if !strings.Contains(string(text), "| `"+m[1]) {
			t.Errorf("docs/config.md does not describe %s", m[1])
		}
	}
}
