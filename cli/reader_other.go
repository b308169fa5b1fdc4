//go:build !unix

package cli

import "context"

// readerGone is known here only from the next write.
func readerGone(context.Context, any) <-chan struct{} { return nil }
