package cli

import (
	"os"
	"strings"
	"testing"

	"rewatch/model/noise"
)

func TestNoiseFile(t *testing.T) {
	isolate(t)
	path := writeConfig(t, "# mine\ntheme: dark\n")
	save, name := noiseFile()
	if !strings.HasSuffix(name, "rewatch/config.yaml") {
		t.Error(name)
	}
	if err := save(noise.Rule{Name: "a", Kind: "Pod", Paths: []string{"status.x"}}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "# mine\ntheme: dark\nnoise:\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if got := rewatch(t, "config", "check"); !strings.Contains(got.out, `noise.rules  "a"`) {
		t.Errorf("%+v", got)
	}
	writeConfig(t, "memory: much\n")
	if err := save(noise.Rule{Name: "a", Paths: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "line 1: memory") {
		t.Errorf("%v", err)
	}
}
