package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// nsFinder knows which namespaces exist.
type nsFinder struct {
	*memoryWatcher
	exists bool
	err    error
	asked  int
}

func (f *nsFinder) HasNamespace(context.Context, string, string) (bool, error) {
	f.asked++
	return f.exists, f.err
}

func TestANamespaceThatDoesNotExistIsTold(t *testing.T) {
	for _, c := range []struct {
		nsFinder
		want string
	}{
		{nsFinder{}, "there is no namespace shpo"},
		{nsFinder{err: errors.New("403")}, "namespace shpo may be empty or not exist"},
		{nsFinder{exists: true}, "the first object: none exists"},
	} {
		d := newDriver(t, 120, 36, "mono")
		f := &c.nsFinder
		f.memoryWatcher = d.watcher()
		d.app.o.Watcher = f
		id := d.demo.log.AddStream(model.StreamInfo{Context: "prod-eu", Server: "prod-eu.example:6443", Resource: "secrets", Kind: "Secret", Version: "v1",
			Namespaced: true, Namespace: "shpo"})
		for _, to := range []model.State{model.Connecting, model.Syncing, model.Live} {
			d.demo.log.Append(model.Record{Time: d.now, Stream: id, Type: model.StreamChange, Detail: model.Transition{To: to}})
		}
		d.wait(time.Second)
		d.press("/")
		d.typeText("nothing-has-this")
		d.press("enter")
		d.wait(time.Second)
		d.press("esc")
		if f.asked != 1 {
			t.Errorf("asked %d times", f.asked)
		}
		d.app.View()
		s := model.StreamStatus{StreamInfo: model.StreamInfo{Context: "prod-eu", Namespaced: true, Namespace: "shpo"}, State: model.Live}
		if got := d.app.timeline.waits.absent.nothing(&s); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q; %+v", got, c.want, d.app.absent)
		}
	}
}
