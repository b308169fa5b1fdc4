package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// goldenScreens compares a screen in all sizes with its golden texts; the themes
// must not differ in them.
func goldenScreens(t *testing.T, name string, show func(t *testing.T, w, h int, theme string) *driver) {
	for _, size := range sizes {
		name := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
		t.Run(name, func(t *testing.T) {
			var texts []string
			for _, theme := range drawnThemes() {
				texts = append(texts, logSize.ReplaceAllString(show(t, size[0], size[1], theme).screen(), "#.# MB"))
			}
			sameTexts(t, texts)
			golden(t, name+".txt", trimRight(texts[0]))
		})
	}
}

// badDay adds a Pod that is killed for its memory, an image that is not there, a
// rollout that hangs, and a node that is gone.
func (d *driver) badDay() {
	l, t := d.demo, d.now
	at := func(ago time.Duration) string { return t.Add(-ago).Format(time.RFC3339) }
	l.object(t, "prod-eu/pods", model.Modified, 0, "Pod", "v1", "shop", l.pods[0], fmt.Sprintf(`"status":{"phase":"Running","containerStatuses":[{"name":"app","ready":false,"restartCount":7,`+
		`"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container=app"}},"lastState":{"terminated":{"reason":"OOMKilled","exitCode":137,"finishedAt":%q}}}]}`, at(20*time.Second)))
	l.object(t, "prod-eu/pods", model.Added, 0, "Pod", "v1", "shop", "cart-6f7d-new01", `"status":{"phase":"Pending","containerStatuses":[{"name":"app","state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"registry.example/cart:2.0.O\""}}}]}`)
	l.object(t, "prod-eu/deployments", model.Modified, 0, "Deployment", "apps/v1", "shop", "payments", fmt.Sprintf(
		`"spec":{"replicas":3},"status":{"readyReplicas":1,"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded","message":"ReplicaSet \"payments-7\" has timed out progressing.","lastTransitionTime":%q}]}`, at(3*time.Minute)))
	l.object(t, "prod-eu/nodes", model.Modified, 0, "Node", "v1", "", "node-03", fmt.Sprintf(
		`"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown","message":"Kubelet stopped posting node status.","lastTransitionTime":%q}]}`, at(40*time.Second)))
	d.wait(time.Second)
}

func TestProblemScreens(t *testing.T) {
	goldenScreens(t, "problems", func(t *testing.T, w, h int, theme string) *driver {
		d := newDriver(t, w, h, theme)
		d.script()
		d.badDay()
		d.trouble()
		d.press("F", "j")
		return d
	})
}

// Why do Pods restart? One key says so, and enter goes to the Pod.
func TestWhyPodsRestartTakesOneKey(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.badDay()
	d.press("F")
	d.has("Restarts  1")
	d.has("OOMKilled ×7")
	d.has("container app: OOMKilled exit 137")
	for range 40 {
		if strings.HasPrefix(d.cursorLine(), "OOMKilled") {
			break
		}
		d.press("j")
	}
	d.press("enter")
	d.has("▸Pod shop/" + d.demo.pods[0])
	d.press("esc")
	d.has("▸Problems")
	if got := d.cursorLine(); !strings.HasPrefix(got, "OOMKilled ×7") {
		t.Errorf("the cursor is on %q", got)
	}
}

// The cursor stays on its line while others come and go, and sections fold.
func TestProblemsComeAndGo(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.badDay()
	d.press("F", "j")
	line := strings.Fields(d.cursorLine())[0]
	d.object("prod-eu/nodes", "Node", "node-05", `"status":{"conditions":[{"type":"DiskPressure","status":"True","message":"low"},{"type":"Ready","status":"True"}]}`)
	d.wait(time.Second) // is read
	d.wait(time.Second) // is asked for
	d.has("DiskPressure")
	if got := strings.Fields(d.cursorLine())[0]; got != line {
		t.Errorf("the cursor went from %q to %q", line, got)
	}
	d.object("prod-eu/nodes", "Node", "node-05", `"status":{"conditions":[{"type":"Ready","status":"True"}]}`)
	d.wait(time.Second)
	d.wait(time.Second)
	d.hasNot("DiskPressure")
	d.press("g", "g")
	for range 20 {
		if strings.HasPrefix(d.cursorLine(), "▾ Nodes") {
			break
		}
		d.press("j")
	}
	d.press("enter")
	d.has("▸ Nodes")
	d.hasNot("NodeStatusUnknown")
	d.press("enter")
	d.has("NodeStatusUnknown")
	d.press("F")
	d.hasNot("▸Problems")
}

// Where a watch is not current, nothing is called current, and what it told is of
// then.
func TestAPageWithoutProblemsSaysWhatItKnows(t *testing.T) {
	d := newDriver(t, 200, 50, "dark")
	d.demo.start(d.now, "prod-eu", 12)
	d.wait(time.Second)
	d.press("F")
	d.has("0 problems")
	d.has("Looked at: 9 Nodes, 3 Deployments, 12 Pods")
	d.has("All that is watched is current.")
	d.has("Not watched, so nothing is said of: StatefulSet, DaemonSet, Job, PersistentVolumeClaim")
	d.object("prod-eu/nodes", "Node", "node-05", `"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady","message":"x"}]}`)
	d.trouble()
	d.wait(time.Second)
	d.wait(time.Second)
	d.has("as of 12:03:41, now unknown: KubeletNotReady: x")
	d.has("Not known, the watch is not current: nodes since 12:03:41")
	d.has("needs: list and watch configmaps -n shop")
	d.hasNot("All that is watched is current.")
}

// object appends a change of an object of the demo.
func (d *driver) object(stream, kind, name, rest string) {
	d.demo.object(d.now, stream, model.Modified, 0, kind, "v1", "", name, rest)
}

// A frame of the page costs the same with many problems as with few.
func BenchmarkProblems(b *testing.B) {
	d := newDriver(b, 200, 50, "dark")
	d.demo.start(d.now, "prod-eu", 0)
	for i := range 20_000 {
		d.demo.pod(d.now, "prod-eu", fmt.Sprint("p", i), model.Added, 0, "Failed", 0)
	}
	for range 200 {
		d.wait(time.Second)
	}
	d.press("F")
	d.wait(time.Second)
	d.has("20,000 problems")
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			d.app.View()
		}
	})
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			d.app.timeline.know.health.Report(d.now)
		}
	})
}

// While rows of the log are unread, as after a jump, nothing is called checked.
func TestWhatWasCheckedWaitsForTheRows(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 12)
	d.wait(time.Second)
	d.press("F")
	d.has("All that is watched is current.")
	page := d.app.page.page.(*problems)
	answer := func(unread int) {
		d.send(pageMsg{to: page, data: problemReport{know: d.app.timeline.know, unread: unread}})
	}
	answer(1086)
	d.has("0 problems so far · 1,086 rows still to be read")
	d.has("Still reading: what was checked is told when all rows have been read.")
	d.hasNot("All that is watched is current.")
	d.hasNot("Looked at:")
	answer(0)
	d.has("All that is watched is current.")
}

// What flaps alike in several objects is one line, which enter opens; the sections
// stand in the order of harm.
func TestAlikeFlapsAreOneLine(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.badDay()
	d.trouble()
	for i := range 6 {
		for _, node := range []string{"node-03", "node-04", "node-05"} {
			d.object("prod-eu/nodes", "Node", node, fmt.Sprintf(`"status":{"conditions":[{"type":"Ready","status":%q}]}`, []string{"True", "False"}[i%2]))
		}
		d.wait(time.Second)
	}
	d.press("F", "G")
	d.wait(time.Second)
	d.wait(time.Second)
	flap := func() string {
		for range 60 {
			if strings.Contains(d.cursorLine(), "FLAP ×3") {
				break
			}
			d.press("k")
		}
		return d.cursorLine()
	}
	if got := flap(); !strings.Contains(got, "FLAP ×3") || !strings.Contains(got, "3 Nodes") {
		t.Fatalf("no line is of the three nodes: %q\n%s", got, d.screen())
	}
	d.hasNot("Node node-04")
	d.press("enter")
	d.wait(time.Second)
	d.has("Node node-04")
	if !strings.Contains(d.cursorLine(), "FLAP ×3") {
		t.Errorf("the cursor is on %q", d.cursorLine())
	}
	d.press("j", "enter")
	d.has("▸Node node-0")
	var order []string
	page := openProblems(d.app).(*problems)
	page.parts = groupProblems(d.app.log, d.app.timeline.know.health.Report(d.now))
	page.build(d.app)
	for _, x := range page.items {
		if x.section != "" {
			order = append(order, x.section)
		}
	}
	if got := strings.Join(order, ", "); !strings.HasPrefix(got, "Streams, ") || !strings.HasSuffix(got, "Flaps, What was checked") || strings.Index(got, "Restarts") > strings.Index(got, "Nodes") {
		t.Errorf("the sections are %s", got)
	}
}
