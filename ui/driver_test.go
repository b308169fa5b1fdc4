package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
)

// driver operates an App as a user does, without a terminal and without
// waiting: commands are run at once, and time moves only when told to.
type driver struct {
	t        testing.TB
	app      *App
	now      time.Time
	demo     *demoLog
	controls *demoControls
	quit     bool
	deck     *memoryDeck // of a replay
	raw      []string    // what went to the terminal beside the frames
}

// epoch is the time of all scripts.
var epoch = time.Date(2026, 12, 1, 12, 3, 40, 112e6, time.UTC)

func newDriver(t testing.TB, w, h int, theme string, contexts ...string) *driver {
	t.Helper()
	if len(contexts) == 0 {
		contexts = []string{"prod-eu"}
	}
	d := &driver{t: t, now: epoch, demo: newDemoLog(contexts...), controls: &demoControls{}}
	d.app = NewApp(context.Background(), Options{Log: d.demo.log, Controls: d.controls, Title: strings.Join(contexts, ",") + "  shop",
		Now: func() time.Time { return d.now }, Location: time.UTC, Theme: theme})
	t.Cleanup(func() { d.app.Close() })
	d.resize(w, h)
	return d
}

func (d *driver) send(msg tea.Msg) {
	if msg == nil {
		return
	}
	_, cmd := d.app.Update(msg)
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	case tea.RawMsg:
		if s, ok := msg.Msg.(string); ok {
			d.raw = append(d.raw, s)
		}
	case handMsg, choicesMsg, changeMsg, infosMsg, objectMsg, scanMsg, searchMsg, optionsMsg, readMsg, likeMsg, rulesMsg, recordMsg, pageMsg:
		d.send(msg)
	}
}

func (d *driver) resize(w, h int) { d.send(tea.WindowSizeMsg{Width: w, Height: h}) }

// wait lets time pass, and the screen take in what came meanwhile.
func (d *driver) wait(t time.Duration) {
	d.now = d.now.Add(t)
	d.app.refresh()
	d.run(d.app.lack())
}

// press types keys, as Bubble Tea spells them.
func (d *driver) press(keys ...string) {
	for _, k := range keys {
		d.send(keyMsg(k))
		d.settle()
	}
}

var namedKeys = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp,
	"pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete}

func keyMsg(k string) tea.KeyPressMsg {
	var m tea.KeyPressMsg
	for {
		if r, ok := strings.CutPrefix(k, "ctrl+"); ok {
			k, m.Mod = r, m.Mod|tea.ModCtrl
			continue
		}
		if r, ok := strings.CutPrefix(k, "shift+"); ok {
			k, m.Mod = r, m.Mod|tea.ModShift
			continue
		}
		break
	}
	if c, ok := namedKeys[k]; ok {
		m.Code = c
		if k == "space" {
			m.Text = " "
		}
		return m
	}
	m.Code = []rune(k)[0]
	if m.Mod == 0 {
		m.Text = k
	}
	return m
}

// screen returns the text of the screen.
func (d *driver) screen() string {
	d.t.Helper()
	content := d.app.View().Content
	d.checkSize(content)
	d.checkPaint(content)
	return ansi.Strip(content)
}

func (d *driver) lines() []string { return strings.Split(d.screen(), "\n") }

// checkSize fails unless the frame has the size of the screen, in both ways in
// which terminals count the width of composed characters.
func (d *driver) checkSize(content string) {
	d.t.Helper()
	lines := strings.Split(content, "\n")
	if len(lines) != d.app.lay.h {
		d.t.Fatalf("%d lines, want %d:\n%s", len(lines), d.app.lay.h, ansi.Strip(content))
	}
	for i, l := range lines {
		if n, m := ansi.StringWidth(l), ansi.StringWidthWc(l); n != d.app.lay.w || m != n {
			d.t.Fatalf("line %d is %d cells wide by clusters and %d by code points, want %d:\n%q", i, n, m, d.app.lay.w, l)
		}
	}
}

func (d *driver) has(want string) {
	d.t.Helper()
	if s := d.screen(); !strings.Contains(s, want) {
		d.t.Fatalf("the screen does not show %q:\n%s", want, s)
	}
}

func (d *driver) hasNot(unwanted string) {
	d.t.Helper()
	if s := d.screen(); strings.Contains(s, unwanted) {
		d.t.Fatalf("the screen shows %q:\n%s", unwanted, s)
	}
}

// header and status are the lines of that name.
func (d *driver) header() string { return d.lines()[0] }
func (d *driver) status() string { return d.lines()[d.app.lay.h-2] }
func (d *driver) footer() string { return d.lines()[d.app.lay.h-1] }

// cursorLine is the row under the cursor, found by its marker.
func (d *driver) cursorLine() string {
	for _, l := range d.lines() {
		if _, row, ok := strings.Cut(l, "▌"); ok {
			return strings.TrimSpace(row)
		}
	}
	return ""
}

// seek goes up until the row under the cursor has a text.
func (d *driver) seek(want string) {
	d.t.Helper()
	for range 200 {
		if strings.Contains(d.cursorLine(), want) {
			return
		}
		d.press("up")
	}
	d.t.Fatalf("no row has %q:\n%s", want, d.screen())
}

// script fills the log with a fixed little history.
func (d *driver) script() {
	l, t := d.demo, d.now
	l.start(t, "prod-eu", 12)
	t = t.Add(2 * time.Second)
	l.log.Append(model.Record{Time: t, Stream: 0, Type: model.Noted, Detail: model.Note{Cause: model.CauseForbidden, Text: "secrets are left out: list is forbidden for user dev"}})
	for i := range 6 {
		t = t.Add(130 * time.Millisecond)
		l.pod(t, "prod-eu", l.pods[i], model.Modified, 0, "Failed", i)
	}
	for _, n := range []int{9, 8, 9} {
		t = t.Add(310 * time.Millisecond)
		l.replica = n
		l.deployment(t, "prod-eu", "checkout", model.Modified, 0)
	}
	l.pod(t, "prod-eu", "cart-77d8b5c6f-x2k9p", model.Added, 0, "Pending", 0)
	t = t.Add(time.Second)
	l.object(t, "prod-eu/configmaps", model.Modified, 0, "ConfigMap", "v1", "shop", "settings", `"data":{"app.properties":"a=1\nb=20\nc=3\n"}`)
	l.pod(t, "prod-eu", "cart-77d8b5c6f-x2k9p", model.Deleted, 0, "Pending", 0)
	l.bookmark(t, "prod-eu/pods")
	l.object(t, "prod-eu/events", model.Added, 0, "Event", "v1", "shop", "checkout.17c2", `"type":"Warning","reason":"BackOff","message":"Back-off restarting failed container app","count":14,"involvedObject":{"kind":"Pod","name":"checkout-5b6f7c9d4-2a000","namespace":"shop"}`)
	d.wait(t.Sub(d.now) + 400*time.Millisecond)
}

// trouble takes three streams down, in three ways.
func (d *driver) trouble() {
	l, t := d.demo, d.now
	l.step(t, "prod-eu/nodes", model.Backoff, model.CauseRefused, "connection refused", t.Add(1600*time.Millisecond), 3)
	l.step(t, "prod-eu/configmaps", model.Denied, model.CauseForbidden, "user dev cannot watch configmaps", time.Time{}, 1)
	l.step(t, "prod-eu/deployments", model.Expired, model.CauseExpired, "too old resource version: 83001 (84377)", time.Time{}, 0)
	l.log.Append(model.Record{Time: t, Stream: l.streams["prod-eu/deployments"], Type: model.GapFound, Detail: model.Gap{
		FromRV: "83001", ToRV: "84377", Since: t.Add(-12 * time.Second), Took: 12 * time.Second, Cause: model.CauseExpired, Added: 1, Modified: 2}})
	l.node(t, "prod-eu", "node-07", model.Modified, model.Synthetic, "Unknown")
	d.wait(0)
}
