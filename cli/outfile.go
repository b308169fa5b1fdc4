package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"rewatch/watch/recorder"
)

// outFile is a file that gets its name when it is complete. Until Commit the
// bytes are in a temporary file beside it, which Abort removes: work that is
// interrupted leaves nothing, and an older file stays as it was.
//
//	f, err := createFile(path, force)
//	if err != nil { return err }
//	defer f.Abort()
//	… write …
//	return f.Commit()
//
// Abort and Commit may be called while another goroutine writes, whose writes
// then fail. Abort does not wait for a Write that is stuck, as in a pipe that
// nobody reads or on a disk that hangs; Commit does.
type outFile struct {
	path  string // the final one, links followed; "" where bytes go straight to w
	force bool

	ended atomic.Bool // by Abort or Commit: whoever sets it has file
	mu    sync.Mutex  // held by Write and Commit
	w     io.Writer
	file  *os.File // the temporary one
}

// createFile begins a file, readable by its owner only. It refuses a path that
// exists, unless forced. "-" is stdout, and what is no regular file, such as
// /dev/null or a pipe, is written to as it is; for the reader of a pipe it
// waits, or until ctx ends. Errors are failures with the next step.
func createFile(path string, force bool) (*outFile, error) {
	return streams{out: os.Stdout}.createFile(context.Background(), path, force)
}

// createFile is createFile with "-" for these streams' stdout.
func (s streams) createFile(ctx context.Context, path string, force bool) (*outFile, error) {
	if path == "-" {
		return &outFile{w: s.out}, nil
	}
	if path == "" {
		return nil, usage("the name of the output is empty")
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, failed("name a file", "%s is a directory", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := openStream(ctx, path)
		if err != nil {
			return nil, err
		}
		return &outFile{w: f, file: f}, nil
	case err == nil && !force:
		return nil, exists(path)
	case err == nil && recorder.Recorded(path):
		return nil, beingRecorded(path)
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, notCreated(path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, notCreated(path, err)
	}
	const most = 200 // so that the temporary name is no longer than file systems take
	base := filepath.Base(path)
	f, err := os.CreateTemp(filepath.Dir(path), "."+base[:min(len(base), most)]+".part-*")
	if err != nil {
		return nil, notCreated(path, err)
	}
	return &outFile{path: path, force: force, w: f, file: f}, nil
}

// writeFile has work write a file, which gets its name only if that returns no
// error and ctx has not ended by then. It need not wait for work when ctx ends:
// what that writes later goes nowhere. A reader of stdout that goes away is no
// error.
func (s streams) writeFile(ctx context.Context, path string, force bool, work func(w io.Writer) error) error {
	f, err := s.createFile(ctx, path, force)
	if err != nil {
		return err
	}
	defer f.Abort()
	err = unlessDone(ctx, func() error { return work(f) })
	switch {
	case ctx.Err() != nil && path == "-":
		return failed("", "interrupted: the output is not complete")
	case ctx.Err() != nil:
		return failed("", "interrupted: %s was not written", path)
	case path == "-" && closedPipe(err):
		return nil
	case err != nil:
		return err
	}
	return f.Commit()
}

// notItself refuses an output that is the input, also by another name: who asks
// for that has mistyped, and --force would cost a recording.
func notItself(out, in string) error {
	a, err := os.Stat(out)
	if err != nil {
		return nil // also "-" and what does not exist yet
	}
	if b, err := os.Stat(in); err == nil && a.Mode().IsRegular() && os.SameFile(a, b) {
		return failed("name another file", "%s is the input itself", out)
	}
	return nil
}

// unlessDone runs work that may wait for ever, on a pipe say, or take long. When
// ctx ends it returns at once, with a failure, and work is left to the end of
// the process.
func unlessDone(ctx context.Context, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return failed("", "interrupted")
	}
}

// openStream opens what is no regular file for writing. For the reader of a
// pipe it waits, or until ctx ends. Errors are failures with the next step.
func openStream(ctx context.Context, path string) (*os.File, error) {
	var f *os.File
	err := unlessDone(ctx, func() error {
		opened, err := os.OpenFile(path, os.O_WRONLY, 0)
		if f = opened; err != nil {
			return notCreated(path, err)
		}
		return nil
	})
	if ctx.Err() != nil && err != nil {
		return nil, failed("", "interrupted: nobody reads %s", path)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

var errEnded = errors.New("the file was ended")

// Write implements io.Writer. Errors are failures with the next step.
func (o *outFile) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended.Load() {
		return 0, errEnded
	}
	n, err := o.w.Write(p)
	switch {
	case err != nil && o.ended.Load():
		err = errEnded
	case err != nil && !closedPipe(err):
		err = notWritten(o.path, err)
	}
	return n, err
}

// Commit puts the complete file onto the disk and under its name. Errors are
// failures with the next step; nothing is then under the name.
func (o *outFile) Commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended.Swap(true) {
		return errEnded
	}
	f := o.file
	switch {
	case f == nil:
		return nil
	case o.path == "":
		return f.Close()
	}
	err := f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = o.name(f.Name())
	}
	if err == nil {
		return nil
	}
	_ = os.Remove(f.Name())
	if errors.Is(err, fs.ErrExist) {
		return exists(o.path)
	}
	return notWritten(o.path, err)
}

// name gives a temporary file the final name, and unless forced never takes
// that from a file that has come to exist meanwhile.
func (o *outFile) name(temporary string) error {
	if !o.force {
		switch err := os.Link(temporary, o.path); {
		case err == nil:
			_ = os.Remove(temporary)
			return syncDirectory(o.path)
		case errors.Is(err, fs.ErrExist):
			return err
		}
		// A file system without links: nothing better than looking first.
		if _, err := os.Lstat(o.path); err == nil {
			return fs.ErrExist
		}
	}
	if err := os.Rename(temporary, o.path); err != nil {
		return err
	}
	return syncDirectory(o.path)
}

// syncDirectory makes a name last through a crash, where that can be asked for.
func syncDirectory(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	_ = d.Sync()
	return nil
}

// Abort removes what was written. After Commit it does nothing.
func (o *outFile) Abort() {
	f := o.file
	if o.ended.Swap(true) || f == nil {
		return
	}
	_ = f.Close()
	if o.path != "" {
		_ = os.Remove(f.Name())
	}
}

func beingRecorded(path string) *failure {
	return failed("end that recording first, or name another file", "%s is being recorded at this moment", path)
}

func exists(path string) *failure {
	f := failed("name another file, or replace it with --force", "%s exists", path)
	f.err = fs.ErrExist
	return f
}

func notCreated(path string, err error) *failure {
	dir := filepath.Dir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(fmt.Sprintf("make it with: mkdir -p %s", dir), "there is no directory %s", dir)
	case errors.Is(err, fs.ErrPermission):
		return failed("name a file elsewhere", "no permission to write to %s", dir)
	}
	return failed("name a file elsewhere", "cannot create %s: %s", path, oneLine(err))
}

func notWritten(path string, err error) *failure {
	if path == "" {
		path = "the output"
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return failed("make room, or name a file on another disk", "the disk is full: %s was not written", path)
	}
	return failed("check the disk", "cannot write %s: %s", path, oneLine(err))
}
