package cli

import (
	"io"
	stdlog "log"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/klog/v2"
)

// redirectLogs sends what libraries log (klog, which client-go's error
// handlers use too, and net/http through the standard log) to a file, since
// standard error belongs to the screen. It returns what undoes it.
func redirectLogs(path string) (restore func()) {
	w := &lazyFile{path: path}
	klog.SetSlogLogger(slog.New(slog.NewTextHandler(w, nil)))
	stdlog.SetOutput(w)
	return func() {
		klog.ClearLogger()
		stdlog.SetOutput(os.Stderr)
		w.close()
	}
}

// lazyFile is a log file that is made by the first line. A file that cannot be
// made loses the lines: there is nowhere else to put them.
type lazyFile struct {
	path string // "" is the default

	mu     sync.Mutex
	file   *os.File
	failed bool
}

// maxLogFile is the size in bytes at which an old log file is begun anew.
const maxLogFile = 8 << 20

// Write appends to the file.
func (l *lazyFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil && !l.failed {
		l.file = openLog(l.path)
		l.failed = l.file == nil
	}
	if l.file == nil {
		return len(p), nil
	}
	return l.file.Write(p)
}

func (l *lazyFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = true
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

func openLog(path string) *os.File {
	if path == "" {
		if path = defaultLogFile(); path == "" {
			return nil
		}
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
			return nil
		}
	}
	mode := os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > maxLogFile {
		mode = os.O_TRUNC
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o600)
	if err != nil {
		return nil
	}
	return f
}

// defaultLogFile follows the XDG base directory specification; "" without a
// home directory.
func defaultLogFile() string {
	dir := os.Getenv("XDG_STATE_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "rewatch", "rewatch.log")
}

var _ io.Writer = (*lazyFile)(nil)
