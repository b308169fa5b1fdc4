package timeserver

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
)

func podsOf(p *Past) (out []string) {
	for _, raw := range p.Store().State("pods") {
		var o metav1.PartialObjectMetadata
		_ = json.Unmarshal(raw, &o)
		out = append(out, o.Namespace+"/"+o.Name)
	}
	slices.Sort(out)
	return out
}

// A watch that was removed is not answered from, and the next one of the same
// finds what has gone meanwhile.
func TestPastOfARemovedStream(t *testing.T) {
	r := newRecording(t)
	first := r.stream("prod", "pods", "shop")
	live := func(s model.StreamID) {
		r.step(s, model.Idle, model.Connecting, "")
		r.step(s, model.Connecting, model.Syncing, "")
	}
	live(first)
	r.put(first, "Pod", "shop", "a", 1, "")
	r.put(first, "Pod", "shop", "b", 2, "")
	r.step(first, model.Syncing, model.Live, "")
	watched := r.at
	r.append(model.Record{Stream: first, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseUser}})
	removed := r.at
	pay := r.stream("prod", "pods", "pay")
	live(pay)
	r.put(pay, "Pod", "pay", "c", 3, "")
	r.step(pay, model.Syncing, model.Live, "")
	elsewhere := r.at
	second := r.stream("prod", "pods", "shop")
	live(second)
	r.put(second, "Pod", "shop", "b", 2, "")
	r.step(second, model.Syncing, model.Live, "")
	tp := r.tape()
	for _, c := range []struct {
		when  time.Time
		err   string
		state []string // once it has moved there
	}{
		{watched, "", []string{"shop/a", "shop/b"}},
		{removed, "the watch of pods in namespace shop was removed by its user", nil},
		{elsewhere, "recorded only in namespace pay", nil},
		{r.at, "", []string{"pay/c", "shop/b"}},
	} {
		moved := loadPast(t, tp, "prod", watched)
		moveTo(t, moved, tp, c.when)
		for name, p := range map[string]*Past{"loaded": loadPast(t, tp, "prod", c.when), "moved": moved} {
			_, err := p.coverage(Access{Resource: "pods", Namespace: "shop"})
			if err == nil != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s to %s: error %v, want %q", name, c.when.Format("05"), err, c.err)
			}
			if got := podsOf(p); c.state != nil && !slices.Equal(got, c.state) {
				t.Errorf("%s to %s: %q, want %q", name, c.when.Format("05"), got, c.state)
			}
		}
	}
}
