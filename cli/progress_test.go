package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgressIsOnlyForPeopleWhoWait(t *testing.T) {
	var plain bytes.Buffer
	p := newProgress(&plain, "importing")
	p.begun, p.next = p.begun.Add(-time.Hour), p.next.Add(-time.Hour)
	p.set(1, 2)
	p.end()
	if plain.Len() > 0 {
		t.Errorf("no terminal, and it says %q", plain.String())
	}

	var screen bytes.Buffer
	now := time.Unix(0, 0)
	p = newProgress(&screen, "importing a\x1b[31mb")
	p.w, p.now, p.begun, p.next = &screen, func() time.Time { return now }, now, now.Add(progressAfter)
	p.set(1, 100)
	now = now.Add(999 * time.Millisecond)
	p.set(9, 100)
	if screen.Len() > 0 {
		t.Errorf("in the first second it says %q", screen.String())
	}
	now = now.Add(time.Second)
	p.set(10, 100)
	p.set(11, 100) // no more than ten times a second
	if got := screen.String(); strings.Count(got, "\r") != 1 || !strings.Contains(got, " 10 %, 18s left") || strings.Contains(got, "\x1b[31m") {
		t.Errorf("%q", got)
	}
	p.end()
	if got := screen.String(); !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
	before := screen.Len()
	now = now.Add(time.Hour)
	p.set(12, 100)
	p.end()
	if screen.Len() != before {
		t.Error("it goes on after its end")
	}
}

func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		want        string
	}{
		{512, 0, "512 B"}, {1_000_000, 0, "1.0 MB"}, {1 << 10, 0, "1.0 kB"}, {0, 10, "0 %"}, {10, 10, "100 %"}, {11, 10, "100 %"}, {-1, 10, "0 %"},
		{1 << 62, 1 << 62, "100 %"}, {5 << 40, 0, "5.5 TB"}, {1, 4, "25 %, 30s left"},
	} {
		if got := amount(c.done, c.total, 10*time.Second); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.done, c.total, got, c.want)
		}
	}
}
