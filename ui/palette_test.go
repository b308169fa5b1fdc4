package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// memoryWatcher is a Watcher that knows a few things and notes what it is asked.
type memoryWatcher struct {
	log                  *model.Log
	contexts, namespaces []string
	asked                []string
	err                  error
	looked               int   // how often it was asked what is watched
	unlisted             error // types cannot be listed
	noType               error // of what is added
}

func (w *memoryWatcher) Types(context.Context) ([]TypeChoice, error) {
	if w.unlisted != nil {
		return nil, w.unlisted
	}
	return []TypeChoice{{"pods", []string{"po"}, "Pod"}, {"deployments", []string{"deploy"}, "Deployment"}, {"statefulsets", []string{"sts"}, "StatefulSet"},
		{"poddisruptionbudgets", []string{"pdb"}, "PodDisruptionBudget"}, {"widgets.acme.example", nil, "Widget"}}, nil
}

func (w *memoryWatcher) Namespaces(context.Context) ([]string, error) {
	return []string{"default", "kube-system", "pay", "shop", "shop-dev"}, nil
}

func (w *memoryWatcher) Contexts(context.Context) ([]string, error) {
	return []string{"dev", "prod-eu", "prod-us"}, nil
}

func (w *memoryWatcher) Watching() (out []Watched) {
	w.looked++
	for _, c := range w.contexts {
		out = append(out, Watched{c, w.namespaces})
	}
	return out
}

func (w *memoryWatcher) answer(what string, args ...any) (Change, error) {
	w.asked = append(w.asked, strings.TrimSpace(what+" "+fmt.Sprint(args...)))
	if w.err != nil {
		return Change{}, w.err
	}
	return Change{Title: strings.Join(w.contexts, ",") + "  " + strings.Join(w.namespaces, ","), Text: "done: " + what}, nil
}

func (w *memoryWatcher) Add(_ context.Context, words []string) (Change, error) {
	c, err := w.answer("add", strings.Join(words, " "))
	if w.noType != nil {
		return Change{}, w.noType
	}
	c.About = []model.StreamInfo{{Resource: "widgets", Kind: "Widget"}, {Resource: "pods", Kind: "Pod", Field: "metadata.name=a"}}
	return c, err
}

func (w *memoryWatcher) Drop(_ context.Context, words []string) (Change, error) {
	return w.answer("drop", strings.Join(words, " "))
}

func (w *memoryWatcher) Remove(_ context.Context, id model.StreamID) (Change, error) {
	w.log.Append(model.Record{Time: epoch.Add(time.Minute), Stream: id, Type: model.StreamChange,
		Detail: model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseUser, Text: "removed"}})
	return w.answer("remove", id)
}

func (w *memoryWatcher) SetNamespaces(_ context.Context, change func([]string) ([]string, error)) (Change, error) {
	names, err := change(w.namespaces)
	if err != nil {
		return Change{}, err
	}
	w.namespaces = names
	return w.answer("ns", strings.Join(names, ","))
}

func (w *memoryWatcher) SetContexts(_ context.Context, names []string) (Change, error) {
	w.contexts = names
	return w.answer("ctx", strings.Join(names, ","))
}

// withWatcher is a screen with a history on which what is watched can be changed.
func withWatcher(t *testing.T, w, h int) (*driver, *memoryWatcher) {
	t.Helper()
	d := newDriver(t, w, h, "mono")
	d.script()
	return d, d.watcher()
}

// watcher lets what is watched be changed.
func (d *driver) watcher() *memoryWatcher {
	w := &memoryWatcher{log: d.demo.log, contexts: []string{"prod-eu"}, namespaces: []string{"shop"}}
	d.app.o.Watcher = w
	return w
}

// typed opens the palette, types and presses keys.
func (d *driver) palette(text string, keys ...string) {
	d.press(":")
	d.typeText(text)
	d.press(keys...)
}

func TestThePaletteDoesWhatIsTyped(t *testing.T) {
	for _, c := range []struct{ text, asked string }{
		{"+widgets.acme.example", "add widgets.acme.example"},
		{"widgets", "add widgets.acme.example"},
		{"sts", "add statefulsets"},
		{"deploy,sts", "add deploy,statefulsets"},
		{"widgets.acme.example/blue", "add widgets.acme.example/blue"},
		{"pods kube-system", "ns shop,kube-system; add pods"},
		{"-pods", "drop pods"},
		{"-po", "drop pods"},
		{"ns pay", "ns pay"},
		{"ns kube", "ns kube-system"},
		{"ns all", "ns"},
		{"ns shop,pay", "ns shop,pay"},
		{"ns +pay", "ns shop,pay"},
		{"deploy,po/a", "add deploy,po/a"},
		{"ns unheard-of", "ns unheard-of"},
		{"ctx prod-us", "ctx prod-us"},
		{"ctx +dev", "ctx prod-eu,dev"},
		{"ctx -prod-eu,dev", "ctx dev"},
		{"context us", "ctx prod-us"},
		{"kube-system", "ns kube-system"},
	} {
		d, w := withWatcher(t, 120, 36)
		d.palette(c.text, "enter")
		if got := strings.Join(w.asked, "; "); got != c.asked {
			t.Errorf(":%s asks %q, want %q", c.text, got, c.asked)
		}
		if d.app.palette.shown {
			t.Errorf(":%s leaves the palette open", c.text)
		}
	}
}

func TestTheTitleFollowsAChange(t *testing.T) {
	d, _ := withWatcher(t, 120, 36)
	d.palette("ns pay", "enter")
	if s := d.header(); !strings.Contains(s, "prod-eu  pay") {
		t.Errorf("the header is %q", s)
	}
	if s := d.footer(); !strings.Contains(s, "done: ns") {
		t.Errorf("the footer is %q", s)
	}
}

// A type that is not found after the namespaces have changed: both are told.
func TestWhatWasDoneBeforeAMistakeIsTold(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	w.noType = errors.New("no type widgets")
	d.palette("widgets.acme.example pay", "enter")
	if got := strings.Join(w.asked, "; "); got != "ns shop,pay; add widgets.acme.example" {
		t.Errorf("asked %q", got)
	}
	if s := d.header(); !strings.Contains(s, "prod-eu  shop,pay") {
		t.Errorf("the header is %q", s)
	}
	if s := d.footer(); !strings.Contains(s, "no type widgets; the namespaces have changed: done: ns") {
		t.Errorf("the footer is %q", s)
	}
}

// A sign whose word has yet to be typed is no term.
func TestBareSignsBehindAType(t *testing.T) {
	for rest, want := range map[string]string{"/": "", "@": "", "shop /": "", "@ /ledger": "ledger", "@eu shop /a/b": "context:eu a/b"} {
		if terms, _ := termsBehind(rest); strings.Join(terms, " ") != want {
			t.Errorf("%q has the terms %q", rest, terms)
		}
	}
}

func TestATypeIsShownAlone(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	d.palette("pods", "enter") // watched already
	if len(w.asked) > 0 {
		t.Errorf("asked %q", w.asked)
	}
	if got := d.app.filter.value(); got != "kind:pod" {
		t.Errorf("the filter is %q", got)
	}
	d.has("cart-77d8b5c6f-x2k9p")
	d.hasNot("+ Event")
	d.press("esc")
	d.has("+ Event")

	d.palette("widgets", "enter") // watched from now on
	if got := d.app.filter.value(); got != "kind:widget OR (kind:pod name:=a)" {
		t.Errorf("the filter is %q", got)
	}
	if s := d.footer(); !strings.Contains(s, "esc shows all again") {
		t.Errorf("the footer is %q", s)
	}
	d.press("esc")
	d.palette("+widgets", "enter") // besides
	if got := d.app.filter.value(); got != "" {
		t.Errorf("the filter is %q", got)
	}
}

func TestAFailedWishIsTold(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	w.err = errors.New("the server does not answer")
	d.palette("widgets", "enter")
	if s := d.footer(); !strings.Contains(s, "the server does not answer") {
		t.Errorf("the footer is %q", s)
	}
	if got := d.app.filter.value(); got != "" {
		t.Errorf("the filter is %q", got)
	}
	if d.app.palette.doing != "" {
		t.Error("it goes on for ever")
	}
}

// While one wish is under way, another waits for its turn, and nothing else does.
func TestOneWishAtATime(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	cmd := d.app.switchNamespaces("pay")
	d.press("up", "up")
	d.palette("ns shop", "enter")
	if s := d.footer(); !strings.Contains(s, "not done: ns pay is still under way") || len(w.asked) > 0 {
		t.Errorf("the footer is %q, asked was %q", s, w.asked)
	}
	d.run(cmd)
	d.palette("ns shop", "enter")
	if got := strings.Join(w.asked, "; "); got != "ns pay; ns shop" {
		t.Errorf("asked was %q", got)
	}
}

func TestThePaletteDoesActionsAndTeachesTheirKeys(t *testing.T) {
	d, _ := withWatcher(t, 120, 36)
	d.palette("pause freeze")
	d.has("space")
	d.press("enter")
	if !d.app.paused {
		t.Error("it is not paused")
	}
	d.palette("follow the newest")
	d.has("paused: space goes on") // why it can do nothing now
	d.press("enter")
	if s := d.footer(); !strings.Contains(s, "paused: space goes on") {
		t.Errorf("the footer is %q", s)
	}
	d.press("esc", "esc")
	d.palette("pause or resume this stream", "enter") // of another pane
	if d.app.focus != paneStreams || len(d.controls.paused) != 1 {
		t.Errorf("the focus is on %v, paused were %v", d.app.focus, d.controls.paused)
	}
	// Each action of the table is there.
	d.press(":")
	for _, b := range bindings() {
		if b.scope.modal() || b.scope == scopeReplay || b.id == "palette" {
			continue
		}
		found := false
		for _, it := range d.app.palette.all {
			found = found || it.text == b.help && it.key == keyName(b.keys[0])
		}
		if !found {
			t.Errorf("%s (%s) is not offered", b.id, b.help)
		}
	}
}

// Whatever can be chosen can be done, wherever one is.
func TestEveryActionOfThePaletteCanBeDone(t *testing.T) {
	live, _ := withWatcher(t, 120, 36)
	tape, _ := newReplay(t, 120, 36, "mono")
	for _, d := range []*driver{live, tape} {
		d.press(":")
		n := len(d.app.palette.all)
		if n < 60 {
			t.Fatalf("only %d things can be done", n)
		}
		for i := range n {
			for s := d.app.scope(); s != scopePalette; s = d.app.scope() {
				if d.app.page.page != nil {
					d.app.closePage()
				}
				if d.press("esc"); !s.modal() {
					d.press(":")
				}
			}
			d.press("ctrl+u")
			d.app.palette.at = i
			d.screen()
			d.press("enter")
			d.screen()
		}
	}
}

func TestCompletionAndHistoryOfThePalette(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	line := func() string { return string(d.app.palette.text) }
	d.palette("ns", "tab")
	if line() != "ns " {
		t.Errorf("tab makes %q", line())
	}
	d.typeText("sho")
	d.press("tab")
	if line() != "ns shop" {
		t.Errorf("tab makes %q", line())
	}
	d.press("tab")
	if line() != "ns shop-dev" {
		t.Errorf("tab again makes %q", line())
	}
	d.press("shift+tab")
	d.press("enter")
	d.palette("ns pay,", "tab")
	if got := line(); !strings.HasPrefix(got, "ns pay,") || len(got) == len("ns pay,") {
		t.Errorf("tab makes %q", got)
	}
	d.press("esc")
	d.palette("+sts", "enter")
	d.press(":", "up")
	if line() != "+statefulsets" && line() != "+sts" {
		t.Errorf("up recalls %q", line())
	}
	d.press("up")
	if line() != "ns shop" {
		t.Errorf("up again recalls %q", line())
	}
	d.press("down", "down")
	if line() != "" {
		t.Errorf("down leads back to %q", line())
	}
	d.press("up", "up", "enter")
	if got := w.asked[len(w.asked)-1]; got != "ns shop" {
		t.Errorf("asked %q", got)
	}
	d.palette("ns", "enter") // needs a name
	if line() != "ns " || !d.app.palette.shown {
		t.Errorf("enter makes %q", line())
	}
	d.press("ctrl+u")
	d.typeText("qqqqqqqq qq")
	d.has("nothing is meant by this")
	d.press("enter", "tab")
	if !d.app.palette.shown {
		t.Error("nothing closed it")
	}
}

func TestThePaletteInAReplay(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.palette("+sts")
	d.has("a tape has what was recorded")
	d.press("enter")
	if s := d.footer(); !strings.Contains(s, "a tape has what was recorded") {
		t.Errorf("the footer is %q", s)
	}
	d.press("esc")
	d.palette("pods", "enter")
	if got := d.app.filter.value(); got != "kind:pod" {
		t.Errorf("the filter is %q", got)
	}
	d.press("esc")
	d.palette("ns shop", "enter")
	if got := d.app.filter.value(); got != "ns:shop" {
		t.Errorf("the filter is %q", got)
	}
	d.press("esc")
	before := deck.Playback().Now
	d.palette("+5s")
	d.has("go to")
	d.press("enter")
	if got := deck.Playback().Now.Sub(before); got != 5*time.Second {
		t.Errorf("it went by %v", got)
	}
	d.palette("stop watching", "ctrl+p")
	d.has("not in a replay")
}

func TestAStreamIsRemoved(t *testing.T) {
	d, w := withWatcher(t, 200, 50)
	n := d.app.all.watched
	d.press("g", "s")
	s, _ := d.app.streams.selected()
	d.press("x")
	if len(w.asked) != 1 || d.app.all.watched != n-1 {
		t.Errorf("asked %q, %d of %d streams are left", w.asked, d.app.all.watched, n)
	}
	for i := range d.app.streams.order {
		if x := d.app.all.streams[d.app.streams.order[i]]; x.ID == s.ID {
			t.Error("it is still listed")
		}
	}
	if strings.Contains(d.status(), "STOPPED") || strings.Contains(d.header(), "STOPPED") {
		t.Errorf("that it was removed is no trouble: %q", d.status())
	}
	d.press("g", "t")
	d.has("STOPPED  removed")
}

func TestTheHistoryOfTheFilter(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	for _, f := range []string{"kind:pod", "cart", "kind:pod"} {
		d.press("/")
		d.typeText(f)
		d.press("enter")
	}
	d.press("/")
	d.typeText("half")
	want := []string{"kind:pod", "cart", "cart", "kind:pod", "half", "half"}
	for i, k := range []string{"up", "up", "up", "down", "down", "down"} {
		d.press(k)
		if got := string(d.app.filter.text); got != want[i] {
			t.Errorf("after %d keys: %q, want %q", i+1, got, want[i])
		}
	}
	d.press("up", "up")
	if got := d.app.filter.value(); got != "cart" {
		t.Errorf("in force is %q", got)
	}
	d.press("esc")
	if got := d.app.filter.value(); got != "kind:pod" {
		t.Errorf("esc leaves %q", got)
	}
}
