//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rewatch/ui"
)

// script writes a program and returns its path.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// An editor gets the text in a file that nobody else can read, and that is gone
// afterwards.
func TestProgramsGetAFile(t *testing.T) {
	isolate(t)
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", script(t, `echo "$1 $2"; stat -c %a "$2" "$(dirname "$2")"; cat "$2"`)+" --flag")
	p, err := world{t.Context()}.Open(ui.Editor, "../../pod.yaml", []byte("kind: Pod\n"))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p.SetStdout(&out)
	if err := p.Run(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	path, ok := strings.CutPrefix(lines[0], "--flag ")
	if !ok || filepath.Base(path) != "pod.yaml" || lines[1] != "600" || lines[2] != "700" || lines[3] != "kind: Pod" {
		t.Errorf("%q", out.String())
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the directory stays: %v", err)
	}
}

func TestProgramsThatCannotBeStarted(t *testing.T) {
	isolate(t)
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		tool     ui.Tool
		variable string
		want     string
	}{{ui.Pager, "", "there is no less here; set $PAGER to a program that is"}, {ui.Editor, "", "there is no vi here; set $EDITOR"},
		{ui.Pager, "most -x", "$PAGER is most, which is no program here"}} {
		t.Setenv("PAGER", c.variable)
		t.Setenv("VISUAL", "")
		t.Setenv("EDITOR", c.variable)
		if _, err := (world{t.Context()}).Open(c.tool, "a", nil); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	t.Setenv("PAGER", script(t, "exit 3"))
	p, err := world{t.Context()}.Open(ui.Pager, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v", err)
	}
}

// ctrl+c in a pager is for the pager; afterwards it ends rewatch again. The end
// of rewatch ends the pager.
func TestInterruptsAreForTheProgram(t *testing.T) {
	isolate(t)
	ctx, stop := withInterrupts(t.Context())
	defer stop()
	came, seen := make(chan os.Signal, 1), filepath.Join(t.TempDir(), "seen")
	signal.Notify(came, os.Interrupt)
	defer signal.Stop(came)
	t.Setenv("PAGER", script(t, "kill -INT $PPID; until [ -e "+seen+" ]; do sleep 0.05; done"))
	go func() { // it ends when the signal has come
		<-came
		time.Sleep(100 * time.Millisecond)
		_ = os.WriteFile(seen, nil, 0o600)
	}()
	p, err := world{ctx}.Open(ui.Pager, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Run(); err != nil || ctx.Err() != nil {
		t.Fatalf("%v %v", err, ctx.Err())
	}
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	waitUntil(t, func() bool { return ctx.Err() != nil })

	t.Setenv("PAGER", script(t, "exec sleep 1000"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	p, err = world{ctx}.Open(ui.Pager, "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := p.Run(); err != nil || time.Since(begun) > patience {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}

func TestSaveReplacesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	path, err := world{}.Save("a.txt", []byte("one"))
	if info, statErr := os.Stat("a.txt"); err != nil || statErr != nil || !filepath.IsAbs(path) || info.Mode().Perm() != 0o600 {
		t.Fatalf("%s %v %v", path, err, statErr)
	}
	if _, err := (world{}).Save("a.txt", []byte("two")); err == nil || !strings.Contains(err.Error(), "already; take another name") {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile("a.txt"); string(text) != "one" {
		t.Errorf("%q", text)
	}
	if _, err := (world{}).Save("no/where/a.txt", nil); err == nil || !strings.Contains(err.Error(), "there is no directory") || strings.Contains(err.Error(), "--force") {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob("*"); len(left) != 1 {
		t.Errorf("%v", left)
	}
}
