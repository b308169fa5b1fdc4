package recorder

import (
	"syscall"
	"testing"
)

// full is a file system of 200 KiB, or a skip.
func full(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=200k,mode=700"); err != nil {
		t.Skip("needs to mount a small file system: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}
