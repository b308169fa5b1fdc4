package ui

import (
	"context"
	"errors"
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

// inShpo watches a type in a namespace of this name, in which nothing is.
func (d *driver) inShpo(f *nsFinder) {
	f.memoryWatcher = d.watcher()
	d.app.o.Watcher = f
	id := d.demo.log.AddStream(model.StreamInfo{Context: "prod-eu", Server: "prod-eu.example:6443", Resource: "secrets", Kind: "Secret", Version: "v1",
		Namespaced: true, Namespace: "shpo"})
	for _, to := range []model.State{model.Connecting, model.Syncing, model.Live} {
		d.demo.log.Append(model.Record{Time: d.now, Stream: id, Type: model.StreamChange, Detail: model.Transition{To: to}})
	}
	d.wait(time.Second)
}

func TestANamespaceThatDoesNotExistIsTold(t *testing.T) {
	for _, c := range []struct {
		nsFinder
		want  string
		asked [3]int // at once, within the next minutes, and within a quarter of an hour
	}{
		{nsFinder{}, "there is no namespace shpo", [3]int{1, 5, 31}},
		{nsFinder{err: errors.New("403")}, "the first object: shpo is empty or does not exist", [3]int{1, 1, 2}},
		{nsFinder{exists: true}, "the first object: none exists", [3]int{1, 1, 1}},
	} {
		d := newDriver(t, 120, 36, "mono")
		f := &c.nsFinder
		d.inShpo(f)
		d.has(c.want)
		var asked [3]int
		asked[0] = f.asked
		for i, steps := range []int{4, 26} {
			for range steps {
				d.wait(30 * time.Second)
			}
			asked[i+1] = f.asked
		}
		if asked != c.asked {
			t.Errorf("%s: asked %v times, want %v", c.want, asked, c.asked)
		}
		d.has(c.want)
	}
}

// Where nobody reads what is waited for, nothing is asked.
func TestANamespaceIsOnlyAskedForWhereItIsTold(t *testing.T) {
	for what, do := range map[string]func(*driver){
		"rows": func(d *driver) { d.script() },
		"a filter that nothing matches": func(d *driver) {
			d.script()
			d.press("/")
			d.typeText("nothing-has-this")
			d.press("enter")
		},
		"a page": func(d *driver) { d.press("F") },
	} {
		d := newDriver(t, 120, 36, "mono")
		do(d)
		f := &nsFinder{}
		d.inShpo(f)
		if d.wait(time.Minute); f.asked != 0 {
			t.Errorf("%s: asked %d times", what, f.asked)
		}
	}
}
