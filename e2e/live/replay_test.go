package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rewatch/e2e/cluster"
	"rewatch/e2e/cluster/clustertest"
	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch/player"
	"rewatch/watch/recorder"
)

// wide enough for what the status bar of a replay says beside the troubles.
const wide, high = 320, 40

// storm lets a real control plane suffer: its API server is killed and comes
// back, and while the link is cut, its history is compacted and its watch cache
// lost.
func storm(t *testing.T, c *cluster.Cluster, d *desk, cut *link) {
	t.Helper()
	ctx := t.Context()
	w := rollout(t, c, 3)
	change := func(image string) {
		t.Helper()
		if err := errors.Join(w.SetImage(ctx, cluster.Shop, "web", image), w.WaitDeployment(ctx, cluster.Shop, "web")); err != nil {
			t.Fatal(err)
		}
	}
	restart := func(stop func() error, down time.Duration) {
		t.Helper()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(down)
		if err := c.StartAPIServer(ctx); err != nil {
			t.Fatal(err)
		}
	}
	change("nginx:1.28")
	restart(c.KillAPIServer, 12*time.Second)
	d.until("every stream is fresh again", patience, d.allFresh)
	change("nginx:1.29")

	cut.down()
	d.until("the streams are cut", patience, func() bool { return !d.headerSaysLive() })
	change("nginx:1.30")
	if err := w.ConfigMap(ctx, cluster.Shop, "settings", map[string]string{"level": "debug"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CompactEtcd(ctx); err != nil {
		t.Fatal(err)
	}
	restart(func() error { return c.StopAPIServer(ctx) }, 0)
	cut.up()
	d.until("every stream is fresh again", patience, d.allFresh)
	change("nginx:1.31")
	time.Sleep(2 * time.Second)
}

// A recording of a control plane whose API server is killed and whose history
// is compacted replays as it was seen: states of streams, countdowns and gaps
// at the same moments, forwards and backwards; and every command that reads
// tapes tells of the gaps.
func TestReplayShowsWhatLiveShowed(t *testing.T) {
	c := clustertest.Start(t, cluster.Options{})
	program := build(t, "../..", ".")
	cut := cutter(t, c.Config(cluster.Reader))
	dir := t.TempDir()
	path, beside := filepath.Join(dir, "screen.rwt"), filepath.Join(dir, "process.rwt")

	var rec *recorder.Recorder
	clock := &dials{}
	d := setting{now: clock.now, begin: func(l *model.Log) {
		var err error
		if rec, err = recorder.Start(l, recorder.Options{Path: path, Tool: "test"}); err != nil {
			t.Fatal(err)
		}
	}}.start(t, cut.cfg, wide, high, watched...)
	process := recordBeside(t, program, c, cut, beside)
	d.until("every stream has its initial state", patience, d.allFresh)
	d.until("the header says LIVE", patience, d.headerSaysLive)
	stop := sampler(d, clock)
	storm(t, c, d, cut)
	samples := stop()
	d.stop()
	if !rec.Close(patience) {
		t.Fatal("the recording does not end")
	}
	process()

	tapes := []player.Source{openTape(t, path)}
	p := player.New(tapes, player.Options{Paused: true})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	t.Run("rows and states", func(t *testing.T) { sameStates(t, d.log, p, samples) })
	t.Run("screens", func(t *testing.T) { sameScreens(t, p, samples) })
	for _, of := range []string{path, beside} {
		t.Run("commands on "+filepath.Base(of), func(t *testing.T) { commandsTellGaps(t, program, of) })
	}
}

var watched = []string{"pods", "deployments", "replicasets", "nodes", "events", "configmaps"}

// sameStates compares the log of a replay with the live one: rows at the end,
// and at every moment that was looked at the streams.
func sameStates(t *testing.T, live *model.Log, p *player.Player, samples []sample) {
	_, to := p.Playback().From, p.Playback().To
	jump(t, p, to)
	want := allRows(live)
	if d := differ(allRows(p.Log()), want); d != "" {
		t.Errorf("the rows differ: %s", d)
	}
	s := live.Snapshot()
	states, causes := map[model.State]int{}, map[model.Cause]int{}
	for seq := s.First(); seq < s.End(); seq++ {
		switch x := s.At(seq).Detail.(type) {
		case model.Transition:
			states[x.To]++
			causes[x.Cause]++
		case model.Gap:
			causes["gap: "+x.Cause]++
		}
	}
	t.Logf("%d rows, steps to %v, causes %v", s.Len(), states, causes)
	if states[model.Backoff] < 12 || states[model.Relisting] == 0 || causes["gap: "+model.CauseExpired] < 4 {
		t.Errorf("too little happened")
	}

	check := func(m sample) (ok bool) {
		if m.rows < s.End() && s.At(m.rows).Time <= m.at.UnixNano() {
			return false // it was received before, and appended after
		}
		jump(t, p, m.at)
		if got := p.Log().Snapshot().End(); got != m.rows {
			t.Errorf("at %v there are %d rows, not %d", m.at, got, m.rows)
		}
		if d := differ(printed(p.Log().Streams(p.Playback().Now)), m.streams); d != "" {
			t.Errorf("at %v the streams differ: %s", m.at, d)
		}
		return true
	}
	order := slices.Clone(samples)
	checked := 0
	for n, turn := range []func(){
		func() {},
		func() { slices.Reverse(order) },
		func() { rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] }) },
	} {
		turn()
		for i, m := range order {
			if n > 0 && i%3 > 0 {
				continue // a new log for each: enough is enough
			}
			if check(m) {
				checked++
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	t.Logf("%d moments seen live; %d jumps forwards, backwards and at random show the same rows and streams", len(samples), checked)
	if len(samples) < 100 || checked < len(samples) {
		t.Error("too few")
	}
}

// sameScreens compares what the screen said live with what it says of the
// replay at the same moment.
func sameScreens(t *testing.T, p *player.Player, samples []sample) {
	// The scrubber is a line more. The clock on the wall stands where live stood,
	// since streams that do not fit into the status bar take turns by it.
	var wall atomic.Pointer[time.Time]
	wall.Store(&samples[0].at)
	d := show(t, t.Context(), wide, high+1, ui.Options{Transport: p, Title: "tape", Now: func() time.Time { return *wall.Load() }})
	// unlike says in what the replay of a moment is unlike a sample, once the
	// screen had some time to draw it.
	unlike := func(at time.Time, m sample, rest time.Duration) (difference string) {
		wall.Store(&at)
		jump(t, p, at)
		header := "REPLAY " + at.Local().Format("15:04:05.000")
		d.until("the screen shows "+header, patience, func() bool { return strings.Contains(d.lines()[0], header) })
		pane, troubles := told(m.screen)
		for deadline := time.Now().Add(rest); ; time.Sleep(5 * time.Millisecond) {
			gotPane, gotTroubles := told(d.lines())
			if difference = differ(gotPane, pane) + differ(gotTroubles, troubles); difference == "" || time.Now().After(deadline) {
				return difference
			}
		}
	}
	texts, compared, calm, other, untold := map[string]bool{}, 0, 0, 0, 0
	for _, m := range samples {
		if len(m.screen) == 0 || len(m.drawn) == 0 {
			continue
		}
		pane, troubles := told(m.screen)
		if len(pane) == 0 {
			t.Fatalf("no streams on the screen:\n%s", strings.Join(m.screen, "\n"))
		}
		if len(troubles) == 0 {
			if calm++; calm%4 > 0 {
				continue // where all is well, now and then is enough
			}
		}
		found, closest := false, ""
		for _, try := range []struct {
			moments int
			rest    time.Duration
		}{{8, 50 * time.Millisecond}, {8, time.Second}, {len(m.drawn), 50 * time.Millisecond}} { // a busy machine draws late
			for _, at := range m.drawn[:min(try.moments, len(m.drawn))] {
				if difference := unlike(at, m, try.rest); difference == "" {
					found = true
					break
				} else if closest == "" {
					closest = difference
				}
			}
			if found {
				break
			}
		}
		if !found && m.late >= cluster.Busy {
			untold++
			continue
		}
		if !found {
			t.Errorf("live at %v, replayed at none of %d moments just before: %s", m.at, len(m.drawn), closest)
			if other++; other > 3 {
				return
			}
			continue
		}
		compared++
		for _, text := range troubles {
			texts[text] = true
		}
	}
	some := slices.Sorted(maps.Keys(texts))
	for i := 0; i < len(some); i += 1 + len(some)/6 {
		t.Logf("told live and replayed: %s", some[i])
	}
	t.Logf("%d screens are the same, with %d different troubles and countdowns", compared, len(texts))
	if untold > 0 {
		t.Logf("%d screens are of no moment just before, of a machine that was too busy to tell", untold)
	}
	if untold < compared && (len(texts) < 10 || compared < 20) {
		t.Error("too few troubles were seen")
	}
}

// commandsTellGaps: info, verify and the exports say where changes may be
// missing.
func commandsTellGaps(t *testing.T, program, path string) {
	run := func(code int, args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		err := cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("rewatch %v: exit code %d, want %d: %v %.500s", args[0], got, code, err, stderr.String())
		}
		return out.String()
	}
	verdict := run(3, "verify", path)
	t.Logf("verify:\n%s", verdict)
	var info struct {
		Tapes []struct {
			Ended   string
			Records int64
			Lost    int64
			Damages []any
			Gaps    []struct{ Time, Stream, Cause, FromResourceVersion, ToResourceVersion string }
		}
	}
	if err := json.Unmarshal([]byte(run(0, "info", path, "-o", "json")), &info); err != nil {
		t.Fatal(err)
	}
	x := info.Tapes[0]
	expired := map[string]bool{}
	for _, g := range x.Gaps {
		if g.Cause == string(model.CauseExpired) && g.FromResourceVersion != "" && g.ToResourceVersion != "" {
			expired[g.Stream] = true
		}
	}
	if x.Ended != "in order" || x.Lost != 0 || len(x.Damages) != 0 || !expired["pods"] || !expired["deployments.apps"] || !expired["replicasets.apps"] || !expired["configmaps"] {
		t.Errorf("info: %+v", x)
	}
	rows, gaps := 0, 0
	for line := range strings.Lines(run(0, "export", path, "-o", "-", "--format", "events-json")) {
		var row struct {
			Type string
			Gap  *struct{ Cause, FromResourceVersion, ToResourceVersion string }
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows++
		if row.Type == "GAP" && row.Gap != nil {
			gaps++
		}
	}
	if gaps != len(x.Gaps) {
		t.Errorf("events-json has %d gaps, info %d", gaps, len(x.Gaps))
	}
	t.Logf("%d records, %d gaps, %d lines of events-json", x.Records, gaps, rows)
	for _, format := range []string{"markdown", "html"} {
		text := run(0, "export", path, "-o", "-", "--format", format, "--limit", "-1")
		for _, g := range x.Gaps {
			if !strings.Contains(text, g.FromResourceVersion) || !strings.Contains(text, g.ToResourceVersion) {
				t.Errorf("%s says nothing of the gap %+v", format, g)
			}
		}
	}
	if text := run(0, "info", path); strings.Count(text, "  rv ") < len(x.Gaps) {
		t.Errorf("info does not name every gap:\n%s", text)
	}
}
