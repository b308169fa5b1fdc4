package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"rewatch/watch/tape"
)

// tapeFile is a tape on disk that is open for reading.
type tapeFile struct {
	*tape.Tape
	path string
	file *os.File
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
	t, err := tape.Open(f, info.Size(), tape.Limits{})
	if err != nil {
		_ = f.Close()
		return nil, unreadable(path, err)
	}
	return &tapeFile{Tape: t, path: path, file: f}, nil
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
