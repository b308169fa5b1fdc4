package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
)

// A jump is told of only when it takes more than a moment.
func TestSeekingIsToldWhenItIsSlow(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	deck.slow = true
	d.press("$")
	d.hasNot("seeking")
	d.now = d.now.Add(50 * time.Millisecond)
	d.send(seekMsg{})
	d.hasNot("seeking")
	d.now = d.now.Add(60 * time.Millisecond)
	d.send(seekMsg{})
	d.has("12:03:40.112 seeking 12:03:56")
	deck.arrive()
	d.settle()
	d.hasNot("seeking")
	d.has("12:03:56.222 end of the tape")
	d.press("E")
	d.now = d.now.Add(200 * time.Millisecond)
	d.send(seekMsg{})
	d.has("12:03:56.222 searching")
	// The rows of the old log are not shown under the clock of the new one.
	deck.arrive()
	d.wait(0)
	d.has("12:03:56.222 seeking 12:03:48")
	d.settle()
	d.has("12:03:48.222 paused")
}

// A deck may show a moment before it has loaded all that existed then.
func TestAPartOfTheStateIsNotTakenForAll(t *testing.T) {
	for _, size := range sizes {
		d, deck := newReplay(t, size[0], size[1], "mono")
		d.press("o")
		deck.jump(deck.play.Now) // to another log
		deck.notify()
		deck.play.Seeking, deck.play.Target = true, deck.play.Now
		d.settle()
		d.wait(0)
		d.now = d.now.Add(200 * time.Millisecond)
		d.press("g", "s")
		d.wait(0)
		d.has("12:03:48.222 loading the rest")
		d.has("12… ")
		deck.play.Seeking = false
		d.wait(0)
		d.has("12:03:48.222 paused")
		d.hasNot("12…")
	}
}

// The moment that is shown may be sought: all of it is there already.
func TestSeekingTheMomentShown(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("o", "g", "s")
	deck.slow = true
	d.app.seek(deck.play.Now)
	if !deck.play.Seeking || !deck.play.Target.Equal(deck.play.Now) {
		t.Fatalf("it seeks %v from %v", deck.play.Target, deck.play.Now)
	}
	d.wait(0)
	d.hasNot("12…")
	d.now = d.now.Add(time.Second)
	d.wait(0)
	d.hasNot("12…")
	d.hasNot("loading the rest")
}

func TestDamageAndHolesAreTold(t *testing.T) {
	d, deck := newReplay(t, 80, 24, "mono")
	deck.play.Damaged, deck.play.Text = true, "12 kB cannot be read\x1b[31m"
	d.wait(0)
	if !strings.Contains(d.status(), "DAMAGED 12 kB cannot be read") {
		t.Errorf("the status says %s", d.status())
	}
	deck.play.Text = ""
	d.wait(0)
	if !strings.Contains(d.status(), "DAMAGED: a part of the tape cannot be read") {
		t.Errorf("the status says %s", d.status())
	}
	d.press("e", "e", "e") // troubles do not hide it, nor it them
	if s := d.status(); !strings.Contains(s, "DAMAGED") || !strings.Contains(s, "more") {
		t.Errorf("the status says %s", s)
	}
	deck.play.Damaged = false
	d.press("t")
	d.press(strings.Split("12:03:49", "")...)
	d.press("enter")
	d.wait(0)
	d.has("nobody watched from 12:03:48 to 12:03:50")
}

// What a tape says of itself is no business of the stream that it hangs on, and
// frames that the recorder lost were no outage.
func TestWhatATapeSaysOfItself(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.demo.log.Append(model.Record{Time: d.now, Stream: 4, Type: model.GapFound, Detail: model.Gap{FromRV: "1", ToRV: "9", Cause: causeLost, Text: "the recorder lost 12 frames: it could not keep up"}})
	d.wait(0)
	d.has("gap: nodes rv 1…9, the recorder lost 12 frames: it could not keep up")
	d.press("up", "down")
	d.has("what          the recorder lost 12 frames")
	d.hasNot("relist")
	d.demo.log.Append(model.Record{Time: d.now, Stream: 4, Type: model.Noted, Detail: model.Note{Cause: causeDamage, Text: "x.tape: damage at byte 7"}})
	d.wait(0)
	d.has("i x.tape: damage at byte 7")
}

// What a tape key is for is said where there is no tape.
func TestTapeKeysLive(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press(".")
	d.has(". is for the replay of a tape: rewatch replay FILE")
	d.press("space")
	d.has("PAUSED")
}

// What is on the tape of hostile text does not reach the terminal.
func TestHostileTapes(t *testing.T) {
	for _, text := range hostile {
		d, deck := newReplay(t, 80, 24, "dark")
		deck.play.Text = text
		deck.over.Marks = []Span{{From: epoch.Add(time.Second), To: epoch.Add(time.Second), Text: text}}
		deck.notify()
		d.settle()
		d.check()
		d.press("'")
		d.check()
		d.press("m")
		d.send(tea.PasteMsg{Content: text})
		d.check()
		d.press("enter", "t")
		d.send(tea.PasteMsg{Content: text})
		d.press("enter")
		d.check()
	}
}
