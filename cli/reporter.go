package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/watch/recorder"
)

// reporter tells on stderr how a recording goes: on a terminal in a line that
// changes, elsewhere in a line every minute; and, on both, what happens to the
// watches and to the tapes.
type reporter struct {
	log   *model.Log
	rec   *recorder.Recorder
	lines *printer // writes what happens to the watches
	err   *bufio.Writer
	tty   *os.File // nil where stderr is no terminal
	what  string   // the option -o
	only  string   // the option --filter
	dir   string   // "" where there is no disk
	since time.Time
	shown bool // the line that changes stands on the screen
}

const (
	reportEvery = 250 * time.Millisecond
	plainEvery  = time.Minute
)

func newReporter(log *model.Log, rec *recorder.Recorder, s streams, o recordOptions, contexts bool) *reporter {
	p := newPrinter(log, streams{out: s.err, err: s.err}, contexts)
	p.out = p.err
	r := &reporter{log: log, rec: rec, lines: p, err: p.err, what: o.output, only: o.filter, since: time.Now()}
	if f, ok := s.err.(*os.File); ok && isTerminal(f) && os.Getenv("TERM") != "dumb" {
		r.tty = f
	}
	if o.output != "-" {
		r.dir = filepath.Dir(o.output)
	}
	return r
}

// run reports until ctx or the recording ends.
func (r *reporter) run(ctx context.Context, said <-chan string) error {
	r.say("recording to " + r.rec.Status().Path)
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	plain := time.Now()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.rec.Done():
			return nil
		case text := <-said:
			r.say(text)
		case <-tick.C:
		}
		r.watches()
		if r.lines.stopped && r.lines.nothingRuns() {
			return failed("correct what the lines above name", "every watch was refused for good")
		}
		if now := time.Now(); r.tty == nil && now.Sub(plain) >= plainEvery {
			plain = now
			r.say(r.standing(now))
		}
		r.draw()
		_ = r.err.Flush() // nobody may be reading; the recording goes on
	}
}

// watches tells what happened to the watches since the last call.
func (r *reporter) watches() {
	s := r.log.Snapshot()
	p := r.lines
	for p.next = max(p.next, s.First()); p.next < s.End(); p.next++ {
		e := s.At(p.next)
		if e.Type.IsObject() || e.Type == model.Bookmark {
			continue
		}
		r.clear()
		if e.Type == model.GapFound {
			p.gap(r.err, e)
		} else {
			p.watch(e)
		}
	}
}

// say writes a line of its own.
func (r *reporter) say(text string) {
	r.clear()
	_, _ = fmt.Fprintf(r.err, "%s %-8s %s\n", stamp(time.Now()), "TAPE", clean.Line(text))
	_ = r.err.Flush()
}

// clear takes the line that changes off the screen.
func (r *reporter) clear() {
	if r.shown {
		_, _ = r.err.WriteString("\r\x1b[K")
		r.shown = false
	}
}

// draw writes the line that changes.
func (r *reporter) draw() {
	if r.tty == nil {
		return
	}
	width, _, err := term.GetSize(r.tty.Fd())
	if err != nil || width < 20 {
		width = 80
	}
	_, _ = fmt.Fprintf(r.err, "\r%s\x1b[K", ansi.Truncate(clean.Line(r.standing(time.Now())), width-1, "…"))
	r.shown = true
}

// standing says in a line how the recording stands. Trouble comes first, for
// terminals may be narrow.
func (r *reporter) standing(now time.Time) string {
	s := r.rec.Status()
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if s.Losing {
		add("LOSING FRAMES: the disk is too slow")
	}
	if s.Lost > 0 {
		add("%s lost", count(s.Lost, "frame"))
	}
	reconnects := int64(0)
	for _, x := range r.log.Streams(now) {
		reconnects += x.Reconnects
		if x.State.Degraded() {
			add("%s", trouble(x))
		}
	}
	add("%s", count(s.Events, "event"))
	add("%s%s", byteSize(s.Bytes), ratio(s))
	add("lag %.1f s", s.Behind.Seconds())
	if reconnects > 0 {
		add("%s", count(reconnects, "reconnect"))
	}
	if s.Gaps > 0 {
		add("%s", count(s.Gaps, "gap"))
	}
	if text := filtered(s, r.only); text != "" {
		parts = append(parts, text)
	}
	if left, ok := diskLeft(r.dir); ok && r.dir != "" {
		add("%s of disk left", byteSize(left))
	}
	return strings.Join(parts, ", ")
}

// trouble names a stream that is not well, in words.
func trouble(s model.StreamStatus) string {
	t := s.Last
	if s.Failure.To != model.Idle {
		t = s.Failure
	}
	return strings.TrimSpace(s.Name() + " " + s.State.String() + " " + cmp.Or(t.Text, string(t.Cause)))
}

func ratio(s recorder.Status) string {
	if s.Bytes == 0 || s.Wire < s.Bytes {
		return ""
	}
	return fmt.Sprintf(" (%.1f %% of what came)", 100*float64(s.Bytes)/float64(s.Wire))
}

func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(n) + " " + what
}

// grouped is a number with commas between thousands.
func grouped(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// summary is the last line.
func (r *reporter) summary(ended bool) {
	r.watches()
	s := r.rec.Status()
	r.say(summaryOf(s, r.what, time.Since(r.since), ended))
	if text := filtered(s, r.only); text != "" {
		r.say(text)
	}
}

func summaryOf(s recorder.Status, what string, took time.Duration, ended bool) string {
	name := s.Path
	if s.Tapes > 1 {
		name = fmt.Sprintf("%s, the last of %d tapes", s.Path, s.Tapes)
		if s.Deleted > 0 {
			name += fmt.Sprintf(" (%d deleted)", s.Deleted)
		}
	}
	if what == "-" {
		name = "stdout"
	}
	text := fmt.Sprintf("recorded to %s: %s in %v, %s%s, %s, ", name, count(s.OnDisk, "event"), took.Round(time.Second), byteSize(s.Bytes), ratio(s),
		count(s.Gaps, "gap"))
	switch {
	case s.Lost > 0:
		text += count(s.Lost, "frame") + " lost: the disk could not follow"
	case s.Unsafe == 0 && ended:
		text += "nothing lost"
	}
	if s.Unsafe > 0 {
		text = strings.TrimSuffix(text, ", ") + fmt.Sprintf(", of %s the last %s did not reach the disk", grouped(s.OnDisk+s.Unsafe), grouped(s.Unsafe))
	}
	if !ended {
		text += "; the disk has not taken the end"
	}
	return text
}
