package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"rewatch/model/clean"
)

// progress is one line that tells how far a work has come, on a terminal and
// only if it takes more than a second. It may be used from any goroutine.
type progress struct {
	what string
	now  func() time.Time

	mu    sync.Mutex
	w     io.Writer // nil where nobody would see it, and after the end
	begun time.Time
	next  time.Time // when the line may change
	shown bool
}

const (
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// newProgress begins one on stderr, if that is a terminal. what says what is
// done: "importing shop.jsonl".
func newProgress(w io.Writer, what string) *progress {
	p := &progress{what: clean.Line(what), now: time.Now}
	if isTerminal(w) && os.Getenv("TERM") != "dumb" {
		p.w = w
	}
	p.begun = p.now()
	p.next = p.begun.Add(progressAfter)
	return p
}

// set tells how many bytes are done, and of how many; a total of 0 is unknown.
// It costs little and may be called for every record.
func (p *progress) set(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == nil {
		return
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.next, p.shown = now.Add(progressEvery), true
	_, _ = fmt.Fprintf(p.w, "\r%s %s\x1b[K", p.what, amount(done, total, now.Sub(p.begun)))
}

// end removes the line, for good.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_, _ = fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w, p.shown = nil, false
}

// amount is "37 %, 12 s left", or how much is done where the whole is unknown.
func amount(done, total int64, took time.Duration) string {
	if total <= 0 {
		return byteSize(done)
	}
	done = min(max(done, 0), total)
	share := float64(done) / float64(total)
	text := fmt.Sprintf("%d %%", int(100*share))
	const meaningful = 0.02
	if left := time.Duration(float64(took) * (1 - share) / share); share > meaningful && left > time.Second {
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}

// byteSize is a number of bytes for people, in the units of the screen: "3.1 MB".
func byteSize(n int64) string {
	const unit = 1000
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	f, units := float64(n)/unit, "kMGTPE"
	for f >= unit && len(units) > 1 {
		f, units = f/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %cB", f, units[0])
}
