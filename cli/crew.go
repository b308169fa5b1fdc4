package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"
)

// crew runs what a session does beside its screen. A panic there must not end
// the process while the terminal is raw: it ends the session, and is told when
// the terminal is back.
type crew struct {
	end  context.CancelFunc // of the session
	all  sync.WaitGroup
	once sync.Once

	mu    sync.Mutex
	crash string // what the first panic said, and where
}

// Go runs f, which has to end when the session does.
func (c *crew) Go(f func()) {
	c.all.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				c.once.Do(func() {
					c.mu.Lock()
					defer c.mu.Unlock()
					c.crash = fmt.Sprintf("%v\n\n%s", r, debug.Stack())
				})
				c.end()
			}
		}()
		f()
	})
}

// wait waits for all that run, but no longer than d, and reports a panic on w.
func (c *crew) wait(d time.Duration, w io.Writer) error {
	done := make(chan struct{})
	go func() { c.all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(d):
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.crash == "" {
		return nil
	}
	_, _ = fmt.Fprintln(w, c.crash)
	return failed("please report it with the lines above", "stopped by a bug of its own")
}
