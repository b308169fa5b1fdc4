package ui

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/cputest"
	"rewatch/model/lanes"
)

// rollout appends a rolling update of shop/checkout from one ReplicaSet of three
// Pods to another, of which the last Pod ends in a crash loop, and an outage of
// the pods' stream. It takes 48 seconds.
type rollout struct {
	d     *driver
	begin time.Time
}

func (r rollout) put(at float64, stream string, t model.Type, f model.Flag, kind, api, name, owner, spec, status string) {
	r.d.demo.rv++
	ref := ""
	if owner != "" {
		of, n, _ := strings.Cut(owner, " ")
		ref = fmt.Sprintf(`,"ownerReferences":[{"apiVersion":"apps/v1","kind":%q,"name":%q,"uid":"u-%s-%s","controller":true}]`, of, n, of, n)
	}
	r.d.demo.log.Append(model.Record{Time: r.time(at), Stream: r.d.demo.streams["prod-eu/"+stream], Type: t, Flags: f, Raw: fmt.Appendf(nil,
		`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q,"namespace":"shop","uid":"u-%s-%s","resourceVersion":"%d","generation":2%s%s},"spec":{%s},"status":{%s}}`,
		api, kind, name, kind, name, r.d.demo.rv, ref, map[bool]string{true: `,"deletionTimestamp":"2026-12-01T12:00:00Z"`}[strings.HasPrefix(spec, "!")], strings.TrimPrefix(spec, "!"), status)})
}

func (r rollout) time(at float64) time.Time {
	return r.begin.Add(time.Duration(math.Round(at*1000)) * time.Millisecond)
}

func (r rollout) pod(at float64, t model.Type, f model.Flag, set, name, spec, status string) {
	r.put(at, "pods", t, f, "Pod", "v1", "checkout-"+set+"-"+name, "ReplicaSet checkout-"+set, spec, status)
}

func (r rollout) set(at float64, t model.Type, f model.Flag, name string, want, has, up int) {
	r.put(at, "replicasets", t, f, "ReplicaSet", "apps/v1", "checkout-"+name, "Deployment checkout", fmt.Sprintf(`"replicas":%d`, want),
		fmt.Sprintf(`"observedGeneration":2,"replicas":%d,"availableReplicas":%d`, has, up))
}

func (r rollout) deployment(at float64, t model.Type, f model.Flag, total, updated, up int, reason string) {
	r.put(at, "deployments", t, f, "Deployment", "apps/v1", "checkout", "", `"replicas":3`,
		fmt.Sprintf(`"observedGeneration":2,"replicas":%d,"updatedReplicas":%d,"availableReplicas":%d,"conditions":[{"type":"Progressing","status":"True","reason":%q}]`, total, updated, up, reason))
}

const (
	podPending  = `"phase":"Pending"`
	podCreating = `"phase":"Pending","conditions":[{"type":"PodScheduled","status":"True"}],"containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ContainerCreating"}}}]`
	podRunning  = `"phase":"Running","conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-12-01T11:00:00Z"}],"containerStatuses":[{"name":"app","ready":false,"state":{"running":{"startedAt":"2026-12-01T12:00:00Z"}}}]`
	podReady    = `"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"name":"app","ready":true,"state":{"running":{"startedAt":"2026-12-01T12:00:00Z"}}}]`
	podCrashed  = `"phase":"Running","containerStatuses":[{"name":"app","ready":false,"restartCount":3,"state":{"waiting":{"reason":"CrashLoopBackOff"}}}]`
)

func (r rollout) run() {
	l := r.d.demo
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes"} {
		l.step(r.time(0), "prod-eu/"+s, model.Connecting, model.CauseStart, "", time.Time{}, 0)
		l.step(r.time(0), "prod-eu/"+s, model.Syncing, model.CauseNone, "", time.Time{}, 0)
	}
	r.deployment(0.1, model.Added, model.Initial, 3, 3, 3, "NewReplicaSetAvailable")
	r.set(0.1, model.Added, model.Initial, "5b6f7c9d4", 3, 3, 3)
	for _, p := range []string{"2a000", "2a025", "2a04a"} {
		r.pod(0.1, model.Added, model.Initial, "5b6f7c9d4", p, "", podReady)
	}
	r.put(0.1, "configmaps", model.Added, model.Initial, "ConfigMap", "v1", "settings", "", "", "")
	r.put(0.1, "configmaps", model.Added, model.Initial, "ConfigMap", "v1", "flags", "", "", "")
	l.node(r.time(0.1), "prod-eu", "node-07", model.Added, model.Initial, "True")
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes"} {
		l.step(r.time(0.5), "prod-eu/"+s, model.Live, model.CauseNone, "", time.Time{}, 0)
	}
	r.deployment(4, model.Modified, 0, 3, 0, 3, "ReplicaSetUpdated")
	r.set(4.1, model.Added, 0, "65d44f969", 1, 0, 0)
	old, fresh := []string{"2a000", "2a025", "2a04a"}, []string{"7kx2p", "9qv4d", "xw8zt"}
	for i := range 3 {
		t := 4.2 + 9*float64(i)
		r.pod(t, model.Added, 0, "65d44f969", fresh[i], "", podPending)
		r.pod(t+0.1, model.Modified, 0, "65d44f969", fresh[i], "", podCreating)
		r.pod(t+2, model.Modified, 0, "65d44f969", fresh[i], "", podRunning)
		if i == 2 {
			break
		}
		r.pod(t+4, model.Modified, 0, "65d44f969", fresh[i], "", podReady)
		r.set(t+4.1, model.Modified, 0, "65d44f969", i+2, i+1, i+1)
		r.pod(t+4.5, model.Modified, 0, "5b6f7c9d4", old[i], "!", podReady)
		r.set(t+4.6, model.Modified, 0, "5b6f7c9d4", 2-i, 3-i, 3-i)
		r.deployment(t+4.7, model.Modified, 0, 4, i+1, 3, "ReplicaSetUpdated")
		r.pod(t+8, model.Deleted, 0, "5b6f7c9d4", old[i], "!", podReady)
	}
	r.set(19, model.Modified, 0, "5b6f7c9d4", 1, 1, 1)
	l.node(r.time(20), "prod-eu", "node-07", model.Modified, 0, "Unknown")
	l.node(r.time(26), "prod-eu", "node-07", model.Modified, 0, "True")
	for i, t := range []float64{25.5, 28, 30, 31.1, 31.2, 31.3} {
		r.pod(t, model.Modified, 0, "65d44f969", fresh[2], "", []string{podCrashed, podRunning}[i%2])
	}
	r.pod(32, model.Modified, 0, "65d44f969", fresh[2], "", podCrashed)
	r.put(33, "configmaps", model.Modified, 0, "ConfigMap", "v1", "settings", "", `"a":1`, "")
	l.step(r.time(36), "prod-eu/pods", model.Backoff, model.CauseRefused, "connection refused", time.Time{}, 1)
	l.step(r.time(40), "prod-eu/pods", model.Relisting, model.CauseExpired, "", time.Time{}, 0)
	r.pod(40, model.Modified, model.Synthetic, "65d44f969", fresh[0], "", podCrashed)
	l.log.Append(model.Record{Time: r.time(40), Stream: l.streams["prod-eu/pods"], Type: model.GapFound, Detail: model.Gap{Since: r.time(36), Took: 4 * time.Second, Modified: 1}})
	l.step(r.time(40.1), "prod-eu/pods", model.Live, model.CauseNone, "", time.Time{}, 0)
	r.d.wait(r.time(48).Sub(r.d.now))
}

func newRollout(t testing.TB, w, h int, theme string) *driver {
	d := newDriver(t, w, h, theme)
	rollout{d, d.now}.run()
	return d
}

var laneScenes = []struct {
	name string
	do   func(*driver)
}{
	{"lanes", func(d *driver) { d.press("L") }},
	{"lanes-cursor", func(d *driver) { d.press("L", "7", "j", "[", "[", "u") }},
	{"lanes-zoomed", func(d *driver) { d.press("L", "j", "j", "j", "[", "+", "+", "+", "+") }},
	{"lanes-folded", func(d *driver) { d.press("L", "X", "`", "`") }},
}

func TestLaneScreens(t *testing.T) {
	for _, scene := range laneScenes {
		for _, size := range sizes {
			name := fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				var texts []string
				for _, theme := range drawnThemes() {
					d := newRollout(t, size[0], size[1], theme)
					scene.do(d)
					texts = append(texts, logSize.ReplaceAllString(d.screen(), "#.# MB"))
					if size == sizes[0] && scene.name == "lanes-cursor" {
						golden(t, name+"."+theme+".ansi", strings.ReplaceAll(d.app.View().Content, "\x1b", "␛")+"\n")
					}
				}
				sameTexts(t, texts)
				golden(t, name+".txt", trimRight(texts[0]))
			})
		}
	}
}

// lane is what stands in the lane of a name, without the cursor.
func (d *driver) lane(name string) string {
	d.t.Helper()
	p := d.app.page.page.(*lanesPage)
	for _, l := range d.lines() {
		r := []rune(l)
		if len(r) > p.side && strings.Contains(string(r[:p.side]), name) {
			return strings.TrimRight(strings.NewReplacer("│", " ", "┊", " ").Replace(string(r[p.side:])), " ")
		}
	}
	d.t.Fatalf("no lane %q:\n%s", name, d.screen())
	return ""
}

func (d *driver) lanes() *lanesPage { return d.app.page.page.(*lanesPage) }

// A rollout goes down like a staircase: each Pod begins to the right of the one
// above it.
func TestARolloutReadsAsAWaterfall(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.press("L", "u")
	at := -1
	for _, name := range []string{"…-7kx2p", "…-9qv4d", "…-xw8zt"} {
		lane := []rune(d.lane(name))
		n := 0
		for n < len(lane) && lane[n] == ' ' {
			n++
		}
		if n <= at || n > 60 {
			t.Errorf("%s begins in column %d, the one above in %d", name, n, at)
		}
		at = n
	}
	for name, want := range map[string]string{
		"…-2a000": `^R━+T╌+×$`, "…-2a04a": `^R━+▒+R━+$`, "…-9qv4d": `^ +c╍+W╍+R━+▒+R━+$`, "…-7kx2p": `^ +c╍+W╍+R━+▒+L═+$`,
		"node-07": `^R━+U┅+R━+$`, "settings": `^O─+┼?┿?─+$`,
	} {
		if lane := d.lane(name); !regexp.MustCompile(want).MatchString(lane) {
			t.Errorf("%s: %q does not match %s", name, lane, want)
		}
	}
	if lane := d.lane("…-xw8zt"); !strings.Contains(lane, "l") || strings.Contains(lane, "l═") {
		t.Errorf("a crash loop that comes and goes in one column: %q", lane)
	}
	d.has("cm flags")
	d.press("u")
	d.hasNot("flags") // nothing has changed in it, nor in one of the Pods
	d.has("2 without a change here (u)")
}

func TestLanesFoldGroupAndFilter(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.press("L", "j", "j", "x") // on a Pod: its ReplicaSet is folded
	d.has("▸rs …-5b6f7c9d4")
	d.hasNot("…-2a000")
	d.has("+2")
	d.press("x")
	d.has("…-2a000")
	d.press("X")
	d.has("▸deploy checkout")
	d.has("+7")
	d.press("X", "`")
	d.has("po checkout-5b6f…-2a000")
	d.press("`", "/")
	d.typeText("name:9qv4d")
	d.press("enter")
	if rows := d.lanes().rows(); len(rows) != 3 || rows[2].ID.Name != "checkout-65d44f969-9qv4d" || rows[1].ID.Kind != "ReplicaSet" {
		t.Errorf("the filter leaves %+v", rows)
	}
	d.has("/name:9qv4d hides")
}

// The cursor goes from change to change, in words, and enter opens the version
// of that moment.
func TestLanesStepAndOpen(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.press("L")
	d.press("5", "j")
	d.has("Pod shop/checkout-65d44f969-7kx2p  CrashLoop CrashLoopBackOff")
	d.press("[")
	d.has("since 12:04:20.112")
	d.press("[")
	d.has("Ready 1/1 · since 12:03:48.312 · before Running, not ready yet · 1 change here")
	d.press("[")
	d.has("Running, not ready yet")
	d.press("[", "[")
	d.has("Pending")
	d.press("[")
	d.has("this lane has no change before this one")
	d.press("3", "]")
	d.has("Ready 1/1")
	d.press("enter")
	if o := d.app.object.want; d.app.page.page != nil || o.version != 4 {
		t.Fatalf("enter opens version %d", o.version)
	}
	d.press("esc")
	d.has("▸Lanes")
	d.has("Ready 1/1 · since 12:03:48.312")
	d.press("f")
	d.has("now")
	d.has("CrashLoopBackOff")
}

func TestLanesZoomPanAndFollow(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.press("L")
	p := d.lanes()
	whole := p.window(d.app)
	d.press("7", "h")
	at, before := p.at, p.window(d.app).Column(p.at)
	d.press("+")
	if w := p.window(d.app); w.Cell >= whole.Cell || w.Column(p.at) != before || p.at != at {
		t.Errorf("zoomed in: %+v, the cursor in column %d, was %d", w, w.Column(p.at), before)
	}
	d.press("W")
	if w := p.window(d.app); p.at <= at && w.First <= whole.First {
		t.Errorf("panned on: %+v", w)
	}
	d.press("9", "9", "9", "l") // never past the clock
	if p.at > p.until(d.app) {
		t.Error("the cursor is in the future")
	}
	d.press("9", "9", "9", "h")
	if w := p.window(d.app); w.Column(p.at) < 0 || w.Column(p.at) >= w.N {
		t.Errorf("the cursor is in column %d of %d", w.Column(p.at), w.N)
	}
	d.press("z")
	if w := p.window(d.app); w.Cell != whole.Cell {
		t.Errorf("all again: %+v, want %+v", w, whole)
	}
	d.press("f", "+", "+", "+", "+")
	d.wait(40 * time.Second)
	if w := p.window(d.app); !p.follow || w.Column(p.until(d.app)) != w.N-1-ahead(w.N) {
		t.Errorf("it follows, and the clock is in column %d of %d", w.Column(p.until(d.app)), w.N)
	}
	d.has("now")
}

func TestLanesMouse(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.press("L")
	p := d.lanes()
	r := d.app.lay.page.body()
	d.send(tea.MouseClickMsg{X: r.x + p.side + 10, Y: r.y + d.app.page.page.(*lanesPage).head + 4, Button: tea.MouseLeft})
	if w := p.window(d.app); p.row != 4 || p.follow || w.Column(p.at) != 10 {
		t.Errorf("a click: lane %d, column %d", p.row, w.Column(p.at))
	}
	first := p.window(d.app).First
	d.send(tea.MouseMotionMsg{X: r.x + p.side + 16, Y: r.y + d.app.page.page.(*lanesPage).head + 4, Button: tea.MouseLeft})
	if w := p.window(d.app); w.First != first-6 {
		t.Errorf("dragged by 6 columns from %d: %d", first, w.First)
	}
	d.send(tea.MouseReleaseMsg{})
	d.send(tea.MouseWheelMsg{X: r.x, Y: r.y + 5, Button: tea.MouseWheelDown})
	if p.row == 4 {
		t.Error("the wheel does nothing")
	}
	d.screen()
}

// After a jump of a replay the lanes are those of the new log, at its clock.
func TestLanesOfAReplay(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	d.press("$", "L")
	p := d.lanes()
	old := p.pic
	d.has("now")
	if p.until(d.app) < deck.Playback().Now.UnixNano() {
		t.Error("the lanes end before the clock")
	}
	d.press("k", "h", "h", "t")
	d.typeText("12:03:47")
	d.press("enter")
	if !p.follow || p.reader.log != deck.Log() || p.pic == old {
		t.Errorf("after a jump: follow %v, of the log shown %v, another picture %v", p.follow, p.reader.log == deck.Log(), p.pic != old)
	}
	d.has("12:03:47.000 now")
	d.screen()
}

// While the screen is paused nothing moves.
func TestLanesPaused(t *testing.T) {
	d := newRollout(t, 80, 24, "mono")
	d.press("L", "space")
	before := d.screen()
	d.wait(5 * time.Second)
	if after := d.screen(); strings.Join(strings.Split(after, "\n")[2:20], "\n") != strings.Join(strings.Split(before, "\n")[2:20], "\n") {
		t.Errorf("paused, but\n%s\nbecame\n%s", before, after)
	}
}

// Whatever the size, nothing overflows; a page that is left gets no answers.
func TestLanesAtAllSizes(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.press("L")
	for _, size := range [][2]int{{40, 10}, {41, 11}, {60, 12}, {80, 24}, {300, 80}, {97, 13}} {
		d.resize(size[0], size[1])
		d.press("j", "+", "h", "]", "-", "W", "B", "z", "G", "u")
		d.screen()
	}
	d.press("L")
	if d.app.page.page != nil {
		t.Error("L does not close the page")
	}
}

// The names of a namespace are said where there are several.
func TestLaneNames(t *testing.T) {
	d := newRollout(t, 120, 36, "mono")
	d.demo.object(d.now, "prod-eu/pods", model.Added, 0, "Pod", "v1", "payments", "till\x1b[31m", `"status":{}`)
	d.wait(time.Second)
	d.press("L")
	d.has("deploy shop/checkout")
	d.has("payments/till")
	d.has("…-7kx2p")
}

// BenchmarkLanes1M is a frame of lanes of a million rows at 200×50: as it was, and
// with the cursor in another column each time. It logs what the first page takes.
func BenchmarkLanes1M(b *testing.B) {
	demo := millionRows(b)
	a := NewApp(b.Context(), Options{Log: demo.log, Title: "prod-eu  shop", Now: func() time.Time { return epoch.Add(1000 * time.Second) }, Location: time.UTC, Theme: "dark"})
	defer a.Close()
	d := &driver{t: b, app: a, now: epoch, demo: demo}
	a.reading = true // what the rows mean is not read
	d.resize(200, 50)
	p := openLanes(a).(*lanesPage)
	p.place(a.lay.page.body())
	begin, page, slices := cputest.Process(), time.Duration(0), 0
	for ; p.pic == nil || p.pic.more; slices++ {
		p.take(a, p.ask(a, p.want(a))().(pageMsg))
		if rows := p.pic.cells; page == 0 && p.pic.percent == 100 && len(rows) > p.height && rows[p.height-1][100].Phase > lanes.Unread {
			page = cputest.Process() - begin
		}
	}
	b.Logf("of %d lanes the first page took %v of processor time, with the pages beside it %v in %d slices", len(p.rows()), page, cputest.Process()-begin, slices)
	if page == 0 || page > time.Second {
		b.Errorf("the first page took %v", page)
	}
	a.openPage(opened{page: p, at: int(a.laneScope() - scopePage)})
	frame := func(b *testing.B, move func(i int)) {
		begin := cputest.Process()
		for i := range b.N {
			move(i)
			a.View()
		}
		b.ReportMetric(float64(cputest.Process()-begin)/1e6/float64(b.N), "cpu-ms/frame")
	}
	b.Run("still", func(b *testing.B) { frame(b, func(int) {}) })
	b.Run("cursor", func(b *testing.B) {
		frame(b, func(i int) { p.goTo(a, p.pic.want.window.Start(i%100)) })
	})
}

// laneScope is the scope of the page of lanes.
func (a *App) laneScope() scope {
	for i, p := range pages() {
		if p.name == "Lanes" {
			return scopePage + scope(i)
		}
	}
	return scopeGlobal
}
