package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/logtest"
	"rewatch/model/query"
)

// typeText types a text, letter by letter.
func (d *driver) typeText(s string) { d.press(strings.Split(s, "")...) }

// While what is typed has a mistake, the last filter without one is in force,
// and the bar says both.
func TestAMistakeInAFilter(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("/")
	d.typeText("kind:pod name:x2k9p")
	rows := d.app.timeline.index.end()
	if rows != 2 {
		t.Errorf("%d rows match", rows)
	}
	d.typeText(" type:delete")
	if got := d.app.timeline.index.end(); got != rows {
		t.Errorf("with a mistake there are %d rows", got)
	}
	d.has("still in force: kind:pod name:x2k9p")
	line := d.status()
	if at := strings.Index(line, "▾"); at != len(" / kind:pod name:x2k9p type:") || !strings.Contains(line, "did you mean type:deleted?") {
		t.Errorf("the mistake is told by %q", line)
	}
	d.press("enter")
	if !d.app.filter.editing {
		t.Error("enter keeps a filter with a mistake")
	}
	d.typeText("d")
	if got := d.app.timeline.index.end(); got != 1 {
		t.Errorf("without the mistake there are %d rows", got)
	}
	d.press("enter")
	if d.app.filter.editing {
		t.Error("enter does not keep the filter")
	}
}

func TestCompletion(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("/")
	d.typeText("ki")
	d.press("tab")
	d.has("/ kind:")
	if s := d.status(); !strings.Contains(s, "configmap") || !strings.Contains(s, "deployment") {
		t.Errorf("behind kind: there are %q", s)
	}
	d.press("tab", "tab")
	d.has("/ kind:deployment")
	d.has("[deployment]")
	d.press("shift+tab")
	d.has("/ kind:configmap")
	if got := d.app.timeline.query.String(); got != "kind:configmap" {
		t.Errorf("the filter in force is %q", got)
	}
	d.typeText(" name:settings")
	d.has("settings")
	// Names are offered as they are in the log.
	d.press("ctrl+u")
	d.typeText("name:x2k")
	d.press("tab")
	d.has("/ name:cart-77d8b5c6f-x2k9p")
	d.press("ctrl+u")
	d.typeText("zzz")
	d.press("tab")
	d.has("nothing is known")
}

// A filter that looks into objects finds what changed, also in rows that come
// later, and never hides a gap.
func TestADeepFilter(t *testing.T) {
	d := newDriver(t, 160, 50, "mono")
	d.script()
	d.trouble()
	d.press("/")
	d.typeText("path:spec.replicas")
	d.press("enter")
	rows := func() (n int) {
		x := d.app.timeline.index
		for pos := x.first(); pos < x.end(); pos++ {
			if e := d.app.timeline.snap.At(x.at(pos)); e.Type != model.GapFound {
				n++
			}
		}
		return n
	}
	if n := rows(); n != 3 {
		t.Errorf("%d rows changed the replicas, want 3", n)
	}
	d.has("gap: deployments")
	d.demo.pod(d.now, "prod-eu", d.demo.pods[0], model.Modified, 0, "Failed", 99)
	d.demo.replica = 17
	d.demo.deployment(d.now, "prod-eu", "checkout", model.Modified, 0)
	d.wait(time.Second)
	d.wait(time.Second)
	if n := rows(); n != 4 {
		t.Errorf("%d rows changed the replicas, want 4", n)
	}
	d.press("a")
	d.has("/path:spec.replicas")
	if n := rows(); n != 4 {
		t.Errorf("with all rows shown %d changed the replicas, want 4", n)
	}
}

// A long search shows a page before it has looked at everything, goes on, and
// ends where a new initial one would; typing on gives it up.
func TestALongSearch(t *testing.T) {
	log := logtest.Many(60_000, 8_000)
	now := epoch
	a := NewApp(t.Context(), Options{Log: log, Now: func() time.Time { return now }, Location: time.UTC, Theme: "mono"})
	defer a.Close()
	d := &driver{t: t, app: a, now: now}
	d.resize(120, 36)
	q := func(text string) *query.Query {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	tl := &a.timeline
	for _, text := range []string{"kind:pod", "cel: kind == 'Pod' && has(object.spec)"} {
		tl.reindex(t.Context(), q("name:nowhere"), now, false)
		lost := tl.goOn()
		tl.reindex(t.Context(), q(text), now, false)
		if msg := lost(); msg != nil {
			t.Errorf("a search that was given up answers %T", msg)
		}
		pages := 0
		for tl.due() {
			begin := time.Now()
			tl.take(tl.goOn()().(searchMsg))
			timely := time.Since(begin) < firstStep // else it may end with less
			if n := tl.index.end() - tl.index.first(); pages == 0 && timely && n < tl.height {
				t.Errorf("%s: the first step shows %d rows, a page has %d", text, n, tl.height)
			}
			pages++
			if n := tl.index.end(); n > 0 && tl.snap.At(tl.index.at(n-1)).Seq < tl.snap.End()-5000 {
				t.Fatalf("step %d does not begin with the newest rows", pages)
			}
		}
		want := newIndex(q(text).Compile(log, query.Options{Now: now}).Match, false, tl.snap.First(), a.all.host)
		for !want.extend(tl.snap) {
		}
		if fmt.Sprint(tl.index.seqs) != fmt.Sprint(want.seqs) || tl.index.hidden != want.hidden {
			t.Errorf("%s: %d rows found in %d steps, want %d", text, tl.index.end(), pages, want.end())
		}
	}
}

// Gaps that stand beside what matches are counted in the title, unless they are
// what was asked for. That of deployments can hide no Pod.
func TestTheTitleCountsGapsBesideAFilter(t *testing.T) {
	for filter, want := range map[string]bool{"kind:pod": false, "kind:deploy": true, "-type:gap": true, "name:gapminder": true, "type:gap": false, "type:gap,deleted": false} {
		d := newDriver(t, 120, 36, "mono")
		d.script()
		d.trouble()
		d.press("/")
		d.typeText(filter)
		d.press("enter")
		if got := strings.Contains(d.screen(), "/"+filter+" +1 gap"); got != want {
			t.Errorf("%s: %v\n%s", filter, got, d.screen())
		}
	}
}
