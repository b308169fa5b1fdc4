//go:build !unix

package recorder

import "os"

// Lock does nothing where there are no advisory locks.
func Lock(*os.File) {}

// Locked knows nothing where there are no advisory locks.
func Locked(*os.File) (locked, known bool) { return false, false }
