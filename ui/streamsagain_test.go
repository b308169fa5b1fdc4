package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"rewatch/model"
)

// againWatcher watches what it is asked for.
type againWatcher struct {
	*memoryWatcher
	pods *model.StreamInfo
}

func (w againWatcher) Add(_ context.Context, words []string) (Change, error) {
	w.log.AddStream(*w.pods)
	return w.answer("add", strings.Join(words, " "))
}

// What x stops says how it comes back, and u takes it back.
func TestAStreamThatWasStoppedComesBack(t *testing.T) {
	d, w := withWatcher(t, 120, 36)
	var pods model.StreamInfo
	d.app.o.Watcher = againWatcher{w, &pods}
	d.press("g", "s")
	if strings.Contains(d.footer(), "u watch again") {
		t.Fatalf("nothing was stopped: %s", d.footer())
	}
	d.press("u")
	if !strings.Contains(d.footer(), "there is no stream that x has stopped") && !strings.Contains(d.footer(), "is not on the screen") {
		t.Errorf("u says %s", d.footer())
	}
	for s, _ := d.app.streams.selected(); s.Resource != "pods"; s, _ = d.app.streams.selected() {
		d.press("j")
	}
	s, _ := d.app.streams.selected()
	pods = s.StreamInfo
	before := d.app.all.watched
	d.press("x")
	if f := d.footer(); !strings.Contains(f, "u takes it back, :+pods adds it") {
		t.Errorf("x says %s", f)
	}
	if d.app.refresh(); d.app.all.watched != before-1 {
		t.Fatalf("%d streams are watched", d.app.all.watched)
	}
	d.press("j")
	if !strings.Contains(d.footer(), "u watch again") {
		t.Errorf("the footer is %s", d.footer())
	}
	d.press("u")
	if !slices.Contains(w.asked, "add pods") {
		t.Errorf("asked for: %v", w.asked)
	}
	if d.app.refresh(); d.app.all.watched != before || d.app.hasStopped() {
		t.Errorf("%d streams are watched after u, of %d", d.app.all.watched, before)
	}
}

func TestWhatAddsAStreamAgain(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	for want, s := range map[string]model.StreamInfo{
		"pods":     {Resource: "pods", Namespace: "shop"},
		"pods/a-1": {Resource: "pods", Field: "metadata.name=a-1,spec.nodeName=n"},
	} {
		if got := d.app.asTyped(s); got != want {
			t.Errorf("%v is typed %q", s, got)
		}
	}
}
