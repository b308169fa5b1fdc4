package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// deps lists all packages that the packages of a pattern need, tests left out.
func deps(t *testing.T, pattern string) []string {
	t.Helper()
	return goList(t, "-deps", pattern)
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}

// under reports whether a package is one of the roots or inside one.
func under(pkg string, roots ...string) bool {
	return slices.ContainsFunc(roots, func(r string) bool { return pkg == r || strings.HasPrefix(pkg, r+"/") })
}

// TestDependencyDirection holds the rooms apart: main → cli → ui, watch → model.
func TestDependencyDirection(t *testing.T) {
	// x/ansi is not among them: the sanitiser measures text with it.
	terminal := []string{"charm.land", "github.com/charmbracelet/x/term", "github.com/charmbracelet/ultraviolet"}
	for _, rule := range []struct {
		room  string
		never []string
	}{
		{"./ui/...", []string{"k8s.io", "rewatch/watch", "rewatch/cli"}},
		{"./themes/...", []string{"k8s.io", "rewatch/watch", "rewatch/cli", "rewatch/ui"}},
		{"./watch/...", append([]string{"rewatch/ui", "rewatch/themes", "rewatch/cli"}, terminal...)},
		{"./model/...", append([]string{"k8s.io", "rewatch/watch", "rewatch/ui", "rewatch/themes", "rewatch/cli"}, terminal...)},
		{"./...", []string{"k8s.io/kubernetes", "go.etcd.io", "rewatch/e2e"}},
	} {
		for _, pkg := range deps(t, rule.room) {
			if under(pkg, rule.never...) {
				t.Errorf("%s must not need %s", rule.room, pkg)
			}
		}
	}
}

// TestModelIsPure: the model does no I/O, and of other people's code it uses
// only what computes.
func TestModelIsPure(t *testing.T) {
	allowed := []string{"rewatch/model", "github.com/klauspost/compress", "github.com/sergi/go-diff",
		"github.com/rivo/uniseg", "github.com/mattn/go-runewidth", "github.com/clipperhouse", // widths of text
		"github.com/charmbracelet/x/ansi", "github.com/lucasb-eyer/go-colorful",
		"github.com/google/cel-go", "cel.dev/expr", "github.com/antlr4-go/antlr", // the expressions of model/query
		"golang.org/x/exp", "golang.org/x/text", "google.golang.org/protobuf", "google.golang.org/genproto", "go.yaml.in/yaml/v3"}
	for _, pkg := range deps(t, "./model/...") {
		if strings.Contains(strings.SplitN(pkg, "/", 2)[0], ".") && !under(pkg, allowed...) {
			t.Errorf("model must not need %s", pkg)
		}
	}
	for _, pkg := range goList(t, "-f", `{{$p := .ImportPath}}{{range .Imports}}{{$p}}:{{.}} {{end}}`, "./model/...") {
		from, imported, _ := strings.Cut(pkg, ":")
		isTestHelp := strings.HasSuffix(from, "test")
		if !isTestHelp && under(imported, "os", "net", "syscall", "log") {
			t.Errorf("%s does no I/O, but imports %s", from, imported)
		}
	}
}

// TestFilesStaySmall: what is longer is hard to find one's way in, and is split
// by subject.
func TestFilesStaySmall(t *testing.T) {
	const most = 500
	seen := 0
	err := filepath.WalkDir("ui", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		seen++
		b, err := os.ReadFile(path)
		if n := bytes.Count(b, []byte("\n")); n > most {
			t.Errorf("%s has %d lines, want %d at the most", path, n, most)
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files: %v", seen, err)
	}
}
