package ui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// session is the whole program on an emulated terminal: keys are bytes, and
// what is looked at is what the terminal shows.
type session struct {
	t    *testing.T
	term *vt.SafeEmulator
	keys io.Writer
	done chan error
}

func startSession(t *testing.T, o Options, w, h int) *session {
	t.Helper()
	r, keys := io.Pipe()
	s := &session{t: t, term: vt.NewSafeEmulator(w, h), keys: keys, done: make(chan error, 1)}
	fmt.Fprint(s.term, "\x1b[20h") // line feeds return the carriage
	answers := make(chan struct{})
	go func() { defer close(answers); io.Copy(keys, s.term) }()
	o.Input, o.Output, o.Width, o.Height = r, s.term, w, h
	o.Environ = []string{"TERM=xterm-256color", "COLORTERM=truecolor"}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { s.done <- Run(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		s.term.InputPipe().(io.Closer).Close() // its Close is for one goroutine
		keys.Close()
		<-answers
	})
	return s
}

// screen is what the terminal shows.
func (s *session) screen() string { return ansi.Strip(s.term.Render()) }

// types writes what a terminal sends for keys, and waits for what comes of it.
func (s *session) types(keys, want string) {
	s.t.Helper()
	io.WriteString(s.keys, keys)
	defer func() {
		if s.t.Failed() {
			s.t.Logf("after %q:\n%s", keys, s.screen())
		}
	}()
	until(s.t, fmt.Sprintf("%q after %q", want, keys), func() bool { return strings.Contains(s.screen(), want) })
}

// bytesOf is what a terminal sends for a key, without any enhancement.
func bytesOf(key string) string {
	if b, ok := map[string]string{"space": " ", "enter": "\r", "esc": "\x1b", "backspace": "\x7f", "ctrl+u": "\x15", "ctrl+c": "\x03",
		"shift+left": "\x1b[1;2D", "shift+right": "\x1b[1;2C"}[key]; ok {
		return b
	}
	return key
}

// keyScript types each key of a table of bindings, and fails on those that it
// forgets.
type keyScript []struct{ before, key, want string }

func (k keyScript) run(s *session, scopes ...scope) {
	s.t.Helper()
	typed := map[string]bool{}
	for _, x := range k {
		if x.before != "" {
			before, want, _ := strings.Cut(x.before, "|")
			s.types(before, want)
		}
		s.types(bytesOf(x.key), x.want)
		typed[x.key] = true
	}
	for _, b := range bindings() {
		for _, sc := range scopes {
			for _, key := range b.keys {
				if b.scope == sc && !typed[key] {
					s.t.Errorf("%s (%s) was not tried", key, b.id)
				}
			}
		}
	}
}

// Every key of a replay does on a terminal what it says.
func TestEveryKeyOfAReplayOnATerminal(t *testing.T) {
	t.Parallel()
	_, deck := newReplay(t, 100, 30, "mono")
	deck.keep = 20
	stop := make(chan struct{})
	ticked := make(chan struct{})
	go func() {
		defer close(ticked)
		for range 200 { // the second is the same when the last key is typed, however late
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				deck.pass(time.Millisecond)
			}
		}
	}()
	defer func() { close(stop); <-ticked }()
	s := startSession(t, Options{Transport: deck, Title: "shop.tape", Location: time.UTC, Theme: "dark"}, 100, 30)
	s.types("", "12:03:40.112 paused")
	keyScript{
		{"", "space", "12:03:40 playing 1×"},
		{"", ">", "playing 2×"},
		{"", "}", "playing 4×"},
		{"", "<", "playing 2×"},
		{"", "backspace", "playing 1×"},
		{"", "{", "playing 0.5×"},
		{" | paused 0.5×", "$", "12:03:56.222 end of the tape"},
		{"", ",", "12:03:55.822 paused"},
		{"", ".", "12:03:56.222 end of the tape"},
		{"", "^", "12:03:40.112 paused"},
		{"", ")", "12:03:41.112 paused"},
		{"", "shift+right", "12:03:42.112 paused"},
		{"", "(", "12:03:41.112 paused"},
		{"", "shift+left", "12:03:40.112 paused"},
		{"", "o", "gap: deployments"},
		{"", "e", "nothing found"},
		{"0|12:03:40.112 paused", "e", "12:03:48.222 paused"},
		{"", "E", "nothing found"},
		{"$|end of the tape", "O", "12:03:48.222 paused"},
		{"", "D", "12:03:44.822 paused"},
		{"0|12:03:40.112 paused", "d", "12:03:44.822 paused"},
		{"0|12:03:40.112 paused", "0", "this is the start of the tape"},
		{"/payments\r| /payments ·", "*", "nothing found"},
		{"\x1b|initial list of pods", "#", "there is no filter to match"},
		{"", "'", "mark: deploy of 1.4.2"},
		{"$|end of the tape", `"`, "12:03:45.222 paused"},
		{"", "t", " go to ›"},
		{"x| go to › x", "ctrl+u", "15:04:05, +5m or -30s"},
		{"99", "enter", "▾ the hour is at most 23"},
		{"\x15-2s| go to › -2s", "enter", "12:03:43.222 paused"},
		{"t| go to ›", "esc", "enter open"},
		{"mhere", "enter", "marked"},
	}.run(s, scopeReplay)
	// The mouse, on the scrubber: press, drag, release.
	s.types("\x1b[<0;99;2M", "end of the tape")
	s.types("\x1b[<32;2;9M", "12:03:40.112 paused")
	s.types("\x1b[<0;2;9m\x1b[<32;99;2M?", "╭ Keys")
	s.types("\x1b", "enter open")
	s.types("R", "a replay is on a tape already")
	io.WriteString(s.keys, "t\x03") // quits
	ends(t, s.done)
}

// Every key of recording does on a terminal what it says.
func TestEveryKeyOfRecordingOnATerminal(t *testing.T) {
	t.Parallel()
	d := newDemoLog("prod-eu")
	d.start(time.Now(), "prod-eu", 30)
	rec := &memoryRecorder{path: "/tmp/shop.tape", bytes: 5_100_000}
	start := func() *session {
		s := startSession(t, Options{Log: d.log, Recorder: rec, Location: time.UTC, Theme: "dark"}, 100, 30)
		s.types("", "LIVE")
		return s
	}
	s := start()
	keyScript{
		{"R|from now", "esc", "enter open"},
		{"R|from now", "R", "enter open"},
		{"R|from now", "q", "enter open"},
		{"R|from now", "n", "● REC 5.1 MB"},
		{"R|recorded 5.1 MB; play it with: rewatch replay /tmp/shop.tape", "R", "events held"},
		{"", "enter", "● REC 5.1 MB"},
		{"R|recorded 5.1 MB; play it with: rewatch replay /tmp/shop.tape", "R", "events held"},
		{"", "h", "● REC 5.1 MB"},
		{"m| mark ›", "esc", "enter open"},
		{"mx| mark › x", "ctrl+u", "may be empty"},
		{"deploy", "enter", "◆ mark deploy"},
		{"R|recorded", "R", "events held"},
		{"", "ctrl+c", ""},
	}.run(s, scopeRecord)
	ends(t, s.done)
	s = start()
	s.types("m", " mark ›")
	keyScript{{"", "ctrl+c", ""}}.run(s)
	ends(t, s.done)
}
