package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// only fails unless a directory holds these files, and no temporary one.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%s holds %q, want %q", dir, got, names)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestAFileGetsItsNameWhenItIsComplete(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f, err := createFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(f, "half"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it has its name before Commit")
	}
	f.Abort()
	only(t, dir)
	if _, err := f.Write([]byte("late")); err == nil || f.Commit() == nil {
		t.Error("an aborted file can be written")
	}

	if f, err = createFile(path, false); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(f, "whole")
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort() // as a deferred one does
	only(t, dir, "out")
	info, err := os.Stat(path)
	if err != nil || content(t, path) != "whole" || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v %q", err, info.Mode(), content(t, path))
	}
}

func TestAFileIsNotReplacedWithoutForce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	late, err := createFile(path, false) // nothing is there yet
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := createFile(path, false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("%v", err)
	}
	if err := late.Commit(); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a file that came to exist meanwhile was replaced: %v", err)
	}
	if content(t, path) != "old" {
		t.Error("the old file has changed")
	}
	link := filepath.Join(dir, "zlink")
	if err := os.Symlink("out", link); err != nil {
		t.Skip(err)
	}
	for _, end := range []struct {
		do   func(f *outFile) error
		want string
	}{
		{func(f *outFile) error { f.Abort(); return nil }, "old"},
		{(*outFile).Commit, "new"},
	} {
		f, err := createFile(link, true)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(f, "new")
		if err := end.do(f); err != nil || content(t, path) != end.want {
			t.Errorf("%v, %q, want %q", err, content(t, path), end.want)
		}
		only(t, dir, "out", "zlink")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", err, info.Mode())
	}
	if target, err := os.Readlink(link); err != nil || target != "out" {
		t.Errorf("the link was replaced: %q %v", target, err)
	}
}

func TestPlacesWhereNoFileCanBe(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"":                                "output is empty",
		dir:                               "is a directory",
		filepath.Join(dir, "no", "file"):  "mkdir -p " + filepath.Join(dir, "no"),
		filepath.Join(dir, "nul\x00byte"): "cannot create",
	} {
		_, err := createFile(path, false)
		f := &failure{}
		if !errors.As(err, &f) || !strings.Contains(err.Error(), want) || f.next == "" {
			t.Errorf("%q: %v", path, err)
		}
	}
	only(t, dir)
	if runtime.GOOS == "windows" {
		return
	}
	f, err := createFile("/dev/null", false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write([]byte("x"))
	if e := f.Commit(); err != nil || e != nil {
		t.Error(err, e)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatal("/dev/null was replaced")
	}
	if runtime.GOOS == "linux" {
		if f, err = createFile("/dev/full", false); err != nil {
			t.Skip(err)
		}
		defer f.Abort()
		if _, err = f.Write([]byte("x")); err == nil || !strings.Contains(err.Error(), "disk is full") {
			t.Errorf("%v", err)
		}
	}
}

func TestWorkThatEndsEarlyLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	var out bytes.Buffer
	s := streams{out: &out}
	some := func(err error) func(w io.Writer) error {
		return func(w io.Writer) error { _, _ = io.WriteString(w, "bytes"); return err }
	}
	failure := errors.New("does not work")
	if err := s.writeFile(t.Context(), path, false, some(failure)); err != failure {
		t.Error(err)
	}
	only(t, dir)

	// A signal, while the work waits for what never comes.
	ctx, cancel := context.WithCancel(t.Context())
	late := make(chan error)
	begun := make(chan bool)
	err := make(chan error)
	go func() {
		err <- s.writeFile(ctx, path, false, func(w io.Writer) error {
			close(begun)
			time.Sleep(time.Millisecond)
			for {
				if _, err := io.WriteString(w, "bytes"); err != nil {
					late <- err
					return err
				}
			}
		})
	}()
	<-begun
	cancel()
	if err := <-err; err == nil || !strings.Contains(err.Error(), "interrupted: "+path) {
		t.Error(err)
	}
	if err := <-late; err == nil {
		t.Error("what came too late was written")
	}
	only(t, dir)

	if err := s.writeFile(t.Context(), path, false, some(nil)); err != nil {
		t.Error(err)
	}
	if err := s.writeFile(t.Context(), "-", false, some(nil)); err != nil {
		t.Error(err)
	}
	only(t, dir, "out")
	if content(t, path) != "bytes" || out.String() != "bytes" {
		t.Errorf("%q %q", content(t, path), out.String())
	}
	if err := s.writeFile(t.Context(), "-", false, some(io.ErrClosedPipe)); err != nil {
		t.Errorf("a reader that went away: %v", err)
	}
}

func TestAnOutputIsNotItsInput(t *testing.T) {
	isolate(t)
	path := exportTape(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(filepath.Dir(path), "link.html")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, args := range [][]string{
		{"export", path, "-o", path, "--format", "html", "--force"},
		{"export", path, "-o", link, "--force"},
		{"import", path, "-o", path, "--force"},
		{"repair", path, "-o", link, "--force"},
	} {
		code, _, stderr := runForTest(t, t.Context(), args...)
		if code != 1 || !strings.Contains(stderr, "is the input itself; name another file") {
			t.Errorf("%q: %d %q", args, code, stderr)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the tape was changed: %v", err)
	}
}
