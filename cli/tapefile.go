package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"rewatch/watch/capture"
	"rewatch/watch/recorder"
	"rewatch/watch/tape"
)

// tapeFile is a tape on disk that is open for reading.
type tapeFile struct {
	*tape.Tape
	path string
	live bool // somebody recorded to it when it was opened
	file *metered
}

// metered is a file that tells a progress how much of it was read.
type metered struct {
	*os.File
	size int64
	read atomic.Int64
	tell atomic.Pointer[progress]
}

// ReadAt implements io.ReaderAt.
func (m *metered) ReadAt(b []byte, at int64) (int, error) {
	n, err := m.File.ReadAt(b, at)
	if p := m.tell.Load(); p != nil {
		p.set(m.read.Add(int64(n)), m.size)
	}
	return n, err
}

// whileReading runs work that reads the tape from begin to end, shows on w how
// far it has come, and leaves it when ctx ends.
func (t *tapeFile) whileReading(ctx context.Context, w io.Writer, what string, work func() error) error {
	p := newProgress(w, what+" "+t.path)
	defer p.end()
	t.file.read.Store(0)
	t.file.tell.Store(p)
	defer t.file.tell.Store(nil)
	return unlessDone(ctx, work)
}

// openTape opens a tape. What a recorder writes to it later is not seen. Errors
// are failures with the next step.
func openTape(path string) (*tapeFile, error) {
	if path == "-" {
		return nil, failed("write it to a file first", "a tape is read back and forth, and stdin is not")
	}
	info, err := os.Stat(path) // before opening, which would wait for the writer of a pipe
	switch {
	case err != nil:
		return nil, notOpened(path, err)
	case info.IsDir():
		return nil, failed("name a file", "%s is a directory", path)
	case !info.Mode().IsRegular():
		return nil, failed("write it to a file first", "a tape is read back and forth, and %s is no regular file", path)
	case info.Size() == 0:
		return nil, failed("record one with: rewatch record -o FILE", "%s is empty", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, notOpened(path, err)
	}
	live, known := recorder.Locked(f)
	if !known {
		live = time.Since(info.ModTime()) < beingWritten
	}
	m := &metered{File: f, size: info.Size()}
	t, err := tape.Open(m, m.size, tape.Limits{})
	if err != nil {
		defer func() { _ = f.Close() }()
		if errors.Is(err, tape.ErrNotTape) && capture.BeginsAsTape(io.NewSectionReader(f, 0, m.size)) {
			return nil, failed("record one with: rewatch record -o FILE", "%s begins as a tape, but nothing of it survives", path)
		}
		return nil, unreadable(path, err)
	}
	return &tapeFile{Tape: t, path: path, live: live, file: m}, nil
}

// Close closes the file.
func (t *tapeFile) Close() error { return t.file.Close() }

func notOpened(path string, err error) *failure {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed("check the path", "there is no file %s", path)
	case errors.Is(err, fs.ErrPermission):
		return failed("tapes are readable by who made them", "no permission for %s", path)
	}
	return failed("check the path", "cannot open %s: %s", path, oneLine(err))
}

// unreadable is the failure of opening or reading a tape.
func unreadable(path string, err error) *failure {
	switch {
	case errors.Is(err, tape.ErrNotTape):
		return failed(fmt.Sprintf("a capture, or what kubectl get -w printed, becomes one with: rewatch import %s -o TAPE", path),
			"%s is not a tape, or nothing of it survives", path)
	case errors.Is(err, tape.ErrVersion):
		return failed("update rewatch", "%s was recorded by a later version of rewatch (this is %s)", path, version())
	case errors.Is(err, tape.ErrLimit):
		return failed("no recorder makes such tapes: do not trust it", "%s wants more memory than a tape may: %s", path, oneLine(err))
	}
	return failed("check the disk", "cannot read %s: %s", path, oneLine(err))
}

// beingWritten is how long after a write a tape without an end is taken for one
// that is being recorded, where no lock tells: recorders write about once a second.
const beingWritten = 5 * time.Second

// running reports whether the tape is being recorded: it has no end, nothing is
// wrong but that, and its recorder was there when it was opened.
func (t *tapeFile) running() bool { return t.live && t.unfinished(t.Info().Damages) }

// unfinished reports whether nothing is wrong with a tape but that its end is
// missing. Where it is known how many records are lost, their data frame was
// written to its end.
func (t *tapeFile) unfinished(damages []*tape.Damage) bool {
	i := t.Info()
	for _, d := range damages {
		if d.Offset+d.Size < i.Size || d.Records > 0 {
			return false
		}
	}
	return !i.Closed
}

// eachTape opens files one after the other, and goes on where one cannot be
// opened or read; it returns the first failure.
func (s streams) eachTape(ctx context.Context, paths []string, do func(t *tapeFile) error) error {
	var first error
	for _, path := range paths {
		t, err := openTape(path)
		if err == nil {
			err = do(t)
			_ = t.Close()
		}
		if ctx.Err() != nil {
			return failed("", "interrupted")
		}
		if err == nil {
			continue
		}
		if first == nil && len(paths) > 1 {
			first = failed("", "not all of the files could be read")
		} else if first == nil {
			first = err
		}
		if len(paths) > 1 {
			s.tell("rewatch: %v", err)
		}
	}
	return first
}
