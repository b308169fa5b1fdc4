package ui

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/blame"
)

// What counts is said in the number that it has, and in units for people.
func TestWordsForNumbers(t *testing.T) {
	for got, want := range map[string]string{
		foldedText(1):                     "1 row says nothing and is folded; a shows it",
		foldedText(1200):                  "1,200 rows say nothing and are folded; a shows them",
		lasted(565894 * time.Nanosecond):  "0.57 ms",
		lasted(340 * time.Millisecond):    "340 ms",
		lasted(1600 * time.Millisecond):   "1.6 s",
		byText("likely kubectl (Update)"): "likely by kubectl (Update)",
		byText("kubectl (Update)"):        "by kubectl (Update)",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An owner of whom no time is known has that instead of an age.
func TestAnUnknownAgeIsSaid(t *testing.T) {
	now := time.Unix(1000, 0)
	who, when := blamed([]blame.Owner{{Manager: "kubectl", Subresource: "scale"}}, now)
	if who != "kubectl/scale" || when != noAge {
		t.Errorf("%q %q", who, when)
	}
	if _, when = blamed([]blame.Owner{{Manager: "kubectl", Time: now.Add(-time.Minute)}}, now); when != "60s" {
		t.Errorf("a minute is %q", when)
	}
}

// A row of a step says what it is in words: no "6th try" of an attempt, no
// microseconds.
func TestARowOfAFailureInWords(t *testing.T) {
	e := model.Event{Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Denied, Attempt: 6, Took: 565894 * time.Nanosecond}}
	var text []string
	for _, d := range rowDoc(e, nil, &overall{}, time.UTC) {
		text = append(text, d.a+" "+d.b)
	}
	s := strings.Join(text, "\n")
	for _, want := range []string{"attempt 6th", "lasted 0.57 ms"} {
		if !strings.Contains(s+"\n", want+"\n") {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
}

// Streams and Coverage mean the same by "added": not what was there before.
func TestAddedIsNotInitial(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	d.press("g", "s", "z")
	for i := range d.app.all.streams {
		s := &d.app.all.streams[i]
		if s.Resource == "nodes" && (s.Initial == 0 || s.Added < s.Initial) {
			t.Fatalf("the script has no initial nodes: %+v", s)
		}
	}
	for _, l := range d.lines() {
		if f := strings.Fields(l); len(f) > 8 && (f[1] == "nodes" || f[0] == "▌LIVE" && f[1] == "nodes") {
			t.Log(l)
			if !strings.Contains(l, " 0 ") {
				t.Errorf("nodes that were there are counted as added: %s", l)
			}
			return
		}
	}
	t.Error("no line of nodes:\n" + d.screen())
}

// At the end of a tape the footer offers the way back, not what cannot be done.
func TestTheFooterAtTheEndOfATape(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	for _, want := range []string{"space play", ". step", "e error"} {
		if !strings.Contains(d.footer(), want) {
			t.Errorf("no %q in %s", want, d.footer())
		}
	}
	for _, no := range []string{"0 start", "E error before"} {
		if strings.Contains(d.footer(), no) {
			t.Errorf("%q in %s", no, d.footer())
		}
	}
	d.press("$")
	for _, want := range []string{"0 start", "E error before", "O gap before"} {
		if !strings.Contains(d.footer(), want) {
			t.Errorf("no %q in %s", want, d.footer())
		}
	}
	for _, no := range []string{"play", "step", "faster", "e error ", "o gap "} {
		if strings.Contains(d.footer(), no) {
			t.Errorf("%q at the end: %s", no, d.footer())
		}
	}
}
