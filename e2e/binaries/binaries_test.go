package binaries

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRecipe(t *testing.T) {
	r, err := readRecipe()
	if err != nil {
		t.Fatal(err)
	}
	if want := "kubernetes-" + r.versions["k8s.io/kubernetes"] + "-etcd-"; !strings.HasPrefix(r.key(), want) {
		t.Errorf("key %q does not begin with %q", r.key(), want)
	}
	if want := "-X k8s.io/component-base/version.gitVersion=" + r.versions["k8s.io/kubernetes"]; !strings.Contains(r.ldflags, want) {
		t.Errorf("flags %q lack %q", r.ldflags, want)
	}
	other := *r
	other.goMod = append([]byte("// another\n"), r.goMod...)
	if other.key() == r.key() {
		t.Error("another go.mod has the same key: stale programs would be used")
	}
}

// A directory in the cache is complete: a build that failed must leave none behind.
func TestFailedBuildLeavesNothing(t *testing.T) {
	cache := t.TempDir()
	source := t.TempDir()
	if err := os.WriteFile(filepath.Join(source, "go.mod"), []byte("module empty\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &recipe{source: source, versions: map[string]string{}}
	err := r.build(t.Context(), filepath.Join(cache, "target"), t.Output())
	if err == nil || !strings.Contains(err.Error(), "go.etcd.io/etcd/server/v3") {
		t.Errorf("the error does not say why: %v", err)
	}
	if left, _ := os.ReadDir(cache); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(t.Context(), path, func() { t.Error("waits for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := lock(ctx, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited != 1 {
		t.Errorf("the second got %v after saying so %d times", err, waited)
	}
	unlock()
	if unlock, err = lock(t.Context(), path, func() { t.Error("waits for nobody") }); err != nil {
		t.Fatal(err)
	}
	unlock()
}
