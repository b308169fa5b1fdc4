package ui

import (
	"bytes"
	"io"
	"testing"
)

// Bubble Tea may write a question after it has left the screen: it was still to
// be written when the user quit, on a machine that was busy. The shell must not
// get the answer.
func TestNothingIsAskedBehindTheScreen(t *testing.T) {
	const colour, mode = "\x1b]11;?\a", "\x1b[?2026$p"
	for _, c := range []struct {
		writes []string
		want   string
	}{
		{[]string{colour + mode, screenOn + colour}, colour + mode + screenOn + colour},
		{[]string{screenOn, "a" + screenOff + "\x1b[?25h" + colour + mode}, screenOn + "a" + screenOff + "\x1b[?25h"},
		{[]string{screenOn + screenOff, colour, "b" + mode}, screenOn + screenOff + "b"},
		{[]string{screenOn + screenOff + colour, mode + screenOn + colour, mode + screenOff + mode}, screenOn + screenOff + screenOn + colour + mode + screenOff},
	} {
		var out bytes.Buffer
		w := &discreet{Writer: &out}
		for _, text := range c.writes {
			if n, err := io.WriteString(w, text); n != len(text) || err != nil {
				t.Errorf("%d bytes of %d are written, %v", n, len(text), err)
			}
		}
		if out.String() != c.want {
			t.Errorf("%q are written as %q, want %q", c.writes, out.String(), c.want)
		}
	}
}
