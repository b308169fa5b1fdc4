//go:build unix

package cli

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// readerGone returns a channel that is closed when nobody reads the pipe out
// any more, or its terminal is gone, which a write would tell only at the next
// change, perhaps hours later. It never is for anything else. The watching ends
// with ctx.
func readerGone(ctx context.Context, out any) <-chan struct{} {
	gone := make(chan struct{})
	f, ok := out.(*os.File)
	if !ok {
		return gone
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 && !isTerminal(f) {
		return gone
	}
	go func() {
		const lookEvery = 250 // milliseconds, so that the goroutine ends with ctx
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(f.Fd())}} // errors are always reported
			n, err := unix.Poll(fds, lookEvery)
			switch {
			case err != nil && !errors.Is(err, unix.EINTR):
				return
			case n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
				close(gone)
				return
			}
		}
	}()
	return gone
}
