package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// output is what a tape is written to.
type output interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
	Close() error
}

// target is the file of one tape. What is written is kept back until there is
// more of it, or synced is called: so a tape is begun by one write, and the file
// is either empty or a tape.
type target struct {
	path    string
	out     output
	back    []byte
	regular bool
	good    int64         // size at the last flush: up to here the tape is whole
	err     error         // of the first write that failed
	temp    string        // its name until it is a tape that can be read; "" then
	prior   *target       // written to before this one is
	moved   *atomic.Int64 // told of every write; may be nil
}

// name is what the file is called now.
func (t *target) name() string { return cmp.Or(t.temp, t.path) }

// ErrExists: the file exists, and was not to be overwritten.
var ErrExists = errors.New("exists")

// ErrRecorded: somebody records to the file, and would lose the recording.
var ErrRecorded = errors.New("is being recorded at this moment")

// Recorded reports whether somebody records to a file, as far as that can be told.
func Recorded(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	locked, known := Locked(f)
	return locked && known
}

// create makes the file of a tape, for its owner only. One that is hidden gets
// its name when there is something in it.
func create(path string, force, hidden bool) (*target, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		info, err = os.Stat(path)
		if err == nil && info.Mode().IsRegular() {
			if path, err = filepath.EvalSymlinks(path); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case err == nil && !info.Mode().IsRegular(): // a device, a pipe
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &target{path: path, out: f}, nil
	case err == nil && !force:
		return nil, fmt.Errorf("%s %w", path, ErrExists)
	case err == nil && Recorded(path):
		return nil, fmt.Errorf("%s %w", path, ErrRecorded)
	case err == nil: // made anew, so that nobody else has it open or may read it
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	t := &target{path: path, regular: true}
	if hidden && runtime.GOOS != "windows" { // where no open file is renamed
		t.temp = filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".part")
		_ = os.Remove(t.temp) // of a recorder that was killed
	}
	f, err := os.OpenFile(t.name(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s %w", path, ErrExists)
	}
	if err != nil {
		return nil, err
	}
	Lock(f)
	if dir, err := os.Open(filepath.Dir(path)); err == nil { // so that its name too survives the machine's end
		_ = dir.Sync() // not every file system can
		_ = dir.Close()
	}
	t.out = f
	return t, nil
}

// maxBack is how much is kept back at most: some data frames.
const maxBack = 128 << 10

// Write implements io.Writer.
func (t *target) Write(p []byte) (int, error) {
	if t.err != nil {
		return 0, t.err
	}
	if t.prior != nil { // complete by now, whatever becomes of this one
		_ = t.prior.flush()
		t.prior = nil
	}
	t.back = append(t.back, p...)
	if len(t.back) >= maxBack {
		return len(p), t.flush()
	}
	return len(p), nil
}

// flush writes what was kept back.
func (t *target) flush() error {
	if t.err == nil && len(t.back) > 0 {
		_, t.err = t.out.Write(t.back)
		if t.moved != nil {
			t.moved.Add(1)
		}
		if t.back = t.back[:0]; cap(t.back) > 4*maxBack {
			t.back = nil
		}
	}
	return t.err
}

// synced puts on the disk what was written, size bytes in all.
func (t *target) synced(size int64) error {
	if t.flush() == nil && t.regular {
		t.err = t.out.Sync()
	}
	if t.err == nil && t.temp != "" {
		if t.err = os.Rename(t.temp, t.path); t.err == nil {
			t.temp = ""
		}
	}
	if t.err == nil {
		t.good = size
	}
	return t.err
}

// ErrVanished: the file of a recording was removed, replaced or renamed.
var ErrVanished = errors.New("it is not there any more")

// present reports whether the file still has its name: what is written to one
// that was removed is lost when it is closed.
func (t *target) present() error {
	if !t.regular {
		return nil
	}
	here, err := t.out.Stat()
	if err != nil {
		return err
	}
	there, err := os.Stat(t.name())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(here, there) {
		return ErrVanished
	}
	return nil // whatever else: the file is open, and that is what counts
}

// abandon closes the file after an error, with what is whole.
func (t *target) abandon() {
	if t.regular {
		_ = t.out.Truncate(t.good)
		_ = t.out.Sync()
	}
	_ = t.out.Close()
	if t.regular && t.good == 0 {
		_ = os.Remove(t.name())
	}
}

// Numbered is the name of the n-th tape of a recording in several:
// shop.rwt → shop-0001.rwt.
func Numbered(path string, n int) string {
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s-%04d%s", strings.TrimSuffix(path, ext), n, ext)
}

// highest returns the highest number of the tapes that there are of a name.
func highest(path string) (int, error) {
	dir, base := filepath.Split(path)
	ext := filepath.Ext(base)
	name := regexp.MustCompile(`^` + regexp.QuoteMeta(strings.TrimSuffix(base, ext)) + `-(\d{4,9})` + regexp.QuoteMeta(ext) + `$`)
	files, err := os.ReadDir(filepath.Clean(dir + "."))
	if err != nil {
		return 0, err
	}
	most := 0
	for _, f := range files {
		if m := name.FindStringSubmatch(f.Name()); m != nil {
			n, _ := strconv.Atoi(m[1]) // digits, and few of them
			most = max(most, n)
		}
	}
	return most, nil
}

// reason says in words why writing failed.
func reason(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "the disk is full"
	case errors.Is(err, syscall.EDQUOT):
		return "the disk quota is used up"
	case errors.Is(err, syscall.EROFS):
		return "the disk became read-only"
	case errors.Is(err, syscall.EFBIG):
		return "the file is as large as files may be here"
	case errors.Is(err, ErrVanished):
		return "the file was removed or replaced"
	case errors.Is(err, syscall.EIO):
		return "the disk fails (input/output error)"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

// stream makes an output of what is no file.
type stream struct{ io.Writer }

// Sync implements output.
func (stream) Sync() error { return nil }

// Truncate implements output.
func (stream) Truncate(int64) error { return nil }

// Stat implements output.
func (stream) Stat() (fs.FileInfo, error) { return nil, fs.ErrInvalid }

// Close implements output. The stream is its owner's to close.
func (stream) Close() error { return nil }
