//go:build linux || darwin

package cli

import "golang.org/x/sys/unix"

// diskLeft is how many bytes this user can still write to the file system of a
// directory; ok is false where that cannot be told.
func diskLeft(dir string) (bytes int64, ok bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
