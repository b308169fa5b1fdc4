// Package binaries builds the programs of a Kubernetes control plane from source and keeps them in a cache.
//
// They come from the Go module proxy alone, at the versions that controlplane/go.mod pins, so that a test of
// rewatch needs neither a container runtime nor a download of binaries, and runs wherever Go does. The first
// build is long (about twelve minutes on two cores), therefore the results live outside the repository, in a
// directory named after everything that determines them, and are published by one rename: a directory that
// exists is complete.
package binaries

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// Names of the programs in a Set.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
	Kubectl           = "kubectl"
)

// packages maps each program to its main package, in the order of building: what all others share comes first,
// so that the progress shown means something.
var packages = []struct{ name, path string }{
	{Etcd, "go.etcd.io/etcd/server/v3"},
	{APIServer, "k8s.io/kubernetes/cmd/kube-apiserver"},
	{ControllerManager, "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{Scheduler, "k8s.io/kubernetes/cmd/kube-scheduler"},
	{Kubectl, "k8s.io/kubernetes/cmd/kubectl"},
	{Kwok, "sigs.k8s.io/kwok/cmd/kwok"},
}

// Set is a directory of built programs.
type Set struct {
	Dir string
	// KubernetesVersion is what the API server reports, such as v1.37.2.
	KubernetesVersion string
}

// Path of a program in the set.
func (s Set) Path(name string) string { return filepath.Join(s.Dir, name) }

// CacheDir is where everything that outlives one test is kept: built programs and the state of e2e/up.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory for the control plane: %w", err)
	}
	return filepath.Join(base, "rewatch-e2e"), nil
}

// Ensure returns the programs, building them first if this machine has not done so yet. What is being built is
// said on progress, because minutes of silence look like a hang. Several processes may call it at once: one
// builds, the others wait for it.
func Ensure(ctx context.Context, progress io.Writer) (Set, error) {
	recipe, err := readRecipe()
	if err != nil {
		return Set{}, err
	}
	root, err := CacheDir()
	if err != nil {
		return Set{}, err
	}
	set := Set{Dir: filepath.Join(root, recipe.key()), KubernetesVersion: recipe.versions["k8s.io/kubernetes"]}
	if isDir(set.Dir) {
		return set, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return Set{}, err
	}
	unlock, err := lock(ctx, filepath.Join(root, "build.lock"), func() {
		fmt.Fprintln(progress, "e2e: another process is building the control plane; waiting for it")
	})
	if err != nil {
		return Set{}, err
	}
	defer unlock()
	if isDir(set.Dir) { // built while this process waited
		return set, nil
	}
	return set, recipe.build(ctx, set.Dir, progress)
}

// recipe is everything that determines the programs.
type recipe struct {
	source   string // directory of the module that pins the versions
	goMod    []byte
	versions map[string]string
	ldflags  string
}

var versionLine = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+) (v\S+)`)

func readRecipe() (*recipe, error) {
	source, err := sourceDir()
	if err != nil {
		return nil, err
	}
	goMod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		return nil, err
	}
	r := &recipe{source: source, goMod: goMod, versions: map[string]string{}}
	for _, m := range versionLine.FindAllSubmatch(goMod, -1) {
		r.versions[string(m[1])] = string(m[2])
	}
	for _, module := range []string{"k8s.io/kubernetes", "go.etcd.io/etcd/server/v3", "sigs.k8s.io/kwok"} {
		if r.versions[module] == "" {
			return nil, fmt.Errorf("%s/go.mod does not require %s", source, module)
		}
	}
	r.ldflags = versionFlags(r.versions["k8s.io/kubernetes"])
	return r, nil
}

// versionFlags makes the programs report the release they are. Built without them they call themselves
// v0.0.0-master, and clients that decide by server version would be tested against a server that does not exist.
func versionFlags(version string) string {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	flags := []string{"-s", "-w"}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags,
			"-X "+pkg+".gitVersion="+version,
			"-X "+pkg+".gitMajor="+major,
			"-X "+pkg+".gitMinor="+minor,
			"-X "+pkg+".gitTreeState=clean")
	}
	return strings.Join(flags, " ")
}

// key names the directory of the programs: the versions for a human, the hash for everything else.
func (r *recipe) key() string {
	h := sha256.New()
	for _, part := range []string{string(r.goMod), r.ldflags, runtime.GOOS, runtime.GOARCH} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return fmt.Sprintf("kubernetes-%s-etcd-%s-kwok-%s-%s-%s-%s",
		r.versions["k8s.io/kubernetes"], r.versions["go.etcd.io/etcd/server/v3"], r.versions["sigs.k8s.io/kwok"],
		runtime.GOOS, runtime.GOARCH, hex.EncodeToString(h.Sum(nil))[:10])
}

func (r *recipe) build(ctx context.Context, target string, progress io.Writer) error {
	tmp, err := os.MkdirTemp(filepath.Dir(target), "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	fmt.Fprintf(progress, "e2e: building the control plane %s: about 12 minutes on 2 cores, once; kept in %s\n",
		r.versions["k8s.io/kubernetes"], target)
	for i, p := range packages {
		began := time.Now()
		fmt.Fprintf(progress, "e2e: [%d/%d] %s\n", i+1, len(packages), p.name)
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-mod=readonly",
			"-ldflags", r.ldflags, "-o", filepath.Join(tmp, p.name), p.path)
		cmd.Dir = r.source
		// Without cgo the programs do not depend on this machine's C compiler or libc. GOFLAGS and GOWORK of the
		// caller (-race, -trimpath, a workspace) must not leak into what the cache says is one thing.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
		var output bytes.Buffer
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("building %s: %w", p.name, context.Cause(ctx))
			}
			return fmt.Errorf("building %s: %w\n%s", p.name, err, output.Bytes())
		}
		fmt.Fprintf(progress, "e2e: [%d/%d] %s built in %s\n", i+1, len(packages), p.name,
			time.Since(began).Round(time.Second))
	}
	return os.Rename(tmp, target)
}

// sourceDir finds the module that pins the versions. It cannot be embedded (a nested module is not part of this
// one) so it is found next to this source file, which go run and go test leave where it is.
func sourceDir() (string, error) {
	if dir := os.Getenv("REWATCH_E2E_CONTROLPLANE"); dir != "" {
		return dir, nil
	}
	_, file, _, ok := runtime.Caller(0)
	if ok && filepath.IsAbs(file) {
		if dir := filepath.Join(filepath.Dir(filepath.Dir(file)), "controlplane"); isDir(dir) {
			return dir, nil
		}
	}
	return "", errors.New("cannot find e2e/controlplane (built with -trimpath, or the repository has moved): " +
		"set REWATCH_E2E_CONTROLPLANE to that directory")
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
