//go:build !linux

package recorder

import "testing"

// full is a small file system, which only Linux makes for us.
func full(t *testing.T) string {
	t.Skip("needs a small file system")
	return ""
}
