//go:build unix

package recorder

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Lock marks an open file as being recorded to, until it is closed or the
// process ends, however it ends. Where the file system has no locks nothing
// happens.
func Lock(f *os.File) {
	for range 5 { // a reader that looks holds it for a moment
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// Locked reports whether somebody records to an open file; known is false where
// that cannot be told.
func Locked(f *os.File) (locked, known bool) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_UN)
		return false, err == nil
	}
	return true, errors.Is(err, unix.EWOULDBLOCK)
}
