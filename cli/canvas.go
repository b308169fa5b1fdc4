package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
)

// canvas reports whether the interface can be drawn on the standard streams. Of
// a terminal on which it cannot, it says why not.
func (s streams) canvas() (ok bool, why string) {
	switch term := os.Getenv("TERM"); {
	case !isTerminal(s.out):
		return false, ""
	case !isTerminal(s.in):
		return false, "standard input is no terminal"
	case term == "dumb", term == "unknown":
		return false, "this terminal (TERM=" + term + ") cannot draw a screen"
	case term == "" && runtime.GOOS != "windows":
		return false, "TERM is not set, so nothing is known of this terminal"
	}
	return true, ""
}

// explainLines says on a terminal why lines come where a screen would, and until
// when.
func (s streams) explainLines(until string) {
	if _, why := s.canvas(); why != "" {
		_, _ = fmt.Fprintf(s.err, "rewatch: %s: changes are printed as lines, until %s; --plain makes them sentences\n", why, until)
	}
}

// onCanvas is the context of what draws the interface: it ends with the
// terminal, also where that says nothing, as one whose window is gone.
func (s streams) onCanvas(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	gone := readerGone(ctx, s.out)
	go func() {
		select {
		case <-gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
