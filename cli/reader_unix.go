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
	stop, end, err := os.Pipe()
	if err != nil {
		return gone
	}
	context.AfterFunc(ctx, func() { _ = end.Close() })
	go func() { // a look now and then would keep the runtime awake between two
		defer func() { _ = stop.Close() }()
		fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(stop.Fd()), Events: unix.POLLIN}} // errors are always reported
		for {
			switch _, err := unix.Poll(fds, -1); {
			case errors.Is(err, unix.EINTR):
			case err == nil && fds[1].Revents == 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0:
				close(gone)
				return
			default:
				return
			}
		}
	}()
	return gone
}
