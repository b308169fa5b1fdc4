package ui

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// memoryServer has the readings that it is given.
type memoryServer struct {
	readings map[string][]model.ServerStats
	asked    []string
	open     []context.Context
}

func (m *memoryServer) Metrics(ctx context.Context, cluster string) <-chan model.ServerStats {
	m.asked, m.open = append(m.asked, cluster), append(m.open, ctx)
	out := make(chan model.ServerStats, len(m.readings[cluster]))
	for _, s := range m.readings[cluster] {
		out <- s
	}
	close(out)
	return out
}

// busyServer is what a server says in five minutes.
func busyServer(at time.Time) (out []model.ServerStats) {
	for i := range 60 {
		wave := 1 + math.Sin(float64(i)/6)
		s := model.ServerStats{Context: "prod-eu", At: at.Add(time.Duration(i-60) * 5 * time.Second), Took: 120 * time.Millisecond, Bytes: 2_547_667, Every: 5 * time.Second}
		add := func(name string, u model.Unit, v float64) {
			rate := u == model.UnitRate || u == model.UnitFlow
			s.Figures = append(s.Figures, model.Figure{Name: name, Help: "what " + name + " means", Unit: u, Given: v >= 0, Known: v >= 0 && (i > 0 || !rate), Value: v})
		}
		spread := func(name string, p50, p99, n float64) {
			s.Figures = append(s.Figures, model.Figure{Name: name, Help: "what " + name + " means", Unit: model.UnitSeconds, Given: true, Known: i > 0 && n > 0, Value: p99, Median: p50, PerSecond: n, Spread: true})
		}
		add("open watches", model.UnitNone, 1204+float64(i%3))
		add("watch events", model.UnitRate, 312*wave)
		add("watch bytes", model.UnitFlow, 412_000*wave)
		add("cache dispatched", model.UnitRate, 290*wave)
		spread("dispatch time", 0.0007, 0.0152*wave, 6.5)
		add("watches cut off", model.UnitRate, -1)
		spread("watch-list time", 0, 0, 0)
		add("cache capacity", model.UnitNone, 18400)
		add("etcd bookmarks", model.UnitRate, 0)
		add("in flight", model.UnitNone, 3)
		add("rejected", model.UnitRate, -1)
		spread("etcd requests", 0.003, 0.0239, 2.8)
		add("etcd size", model.UnitBytes, 412e6)
		add("etcd fsync", model.UnitSeconds, -1)
		out = append(out, s)
	}
	return out
}

func refused(at time.Time) model.ServerStats {
	return model.ServerStats{Context: "prod-us", At: at, Every: 30 * time.Second, Err: `this user may not read /metrics: forbidden: User "dev" cannot get path "/metrics"`,
		Advice: []string{"Missing is the verb get on the nonResourceURL /metrics. This gives it, to a user USER:", "", "  kubectl create clusterrole metrics-reader --verb=get --non-resource-url=/metrics"}}
}

func (d *driver) server() *memoryServer {
	m := &memoryServer{readings: map[string][]model.ServerStats{"prod-eu": busyServer(d.now), "prod-us": {refused(d.now)}}}
	d.app.o.Server = m
	d.press("S")
	return m
}

func TestServerPageShowsFigures(t *testing.T) {
	d := newDriver(t, 120, 36, "mono", "prod-eu", "prod-us")
	d.script()
	m := d.server()
	for _, want := range []string{"▸Server", "prod-eu · context 1 of 2", "read in 120 ms, 2.5 MB", "every 5.0 s", "open watches", "1,206", "watch events", "p50 0.7 ms  p99 ",
		"not given", "–", "412 MB", "nothing to measure yet", "open watches: what open watches means"} {
		d.has(want)
	}
	d.press("j", "j", "j", "j")
	d.has("dispatch time: what dispatch time means; 6.5/s. The chart is the p99")
	// Another context is another server; the one before is no longer asked.
	d.press("l")
	d.has("prod-us · context 2 of 2")
	d.has(`this user may not read /metrics: forbidden: User "dev"`)
	d.has("again in 30 s")
	d.has("kubectl create clusterrole metrics-reader")
	if strings.Join(m.asked, " ") != "prod-eu prod-us" || m.open[0].Err() == nil || m.open[1].Err() != nil {
		t.Errorf("asked %v", m.asked)
	}
	d.press("esc")
	d.hasNot("▸Server")
	if m.open[1].Err() == nil {
		t.Error("a server is asked while nobody looks")
	}
}

func TestServerPageIsForLive(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("S")
	d.has("there is no server to ask for its metrics")
	r, _ := newReplay(t, 120, 36, "mono")
	r.press("S")
	r.has("a tape has no metrics of servers: they are read live")
}

// A server that counts anew says so; what is not known leaves a hole.
func TestServerPageOfARestart(t *testing.T) {
	d := newDriver(t, 80, 24, "mono")
	d.script()
	all := busyServer(d.now)[:4]
	all[2] = model.ServerStats{Err: "connection refused", At: d.now, Every: 5 * time.Second}
	all[3].Restarted = true
	d.app.o.Server = &memoryServer{readings: map[string][]model.ServerStats{"prod-eu": all}}
	d.press("S")
	d.has("the server counts anew")
	s := d.app.page.page.(*server)
	if past := s.charts[1].past; len(past) != 4 || !math.IsNaN(past[0]) || math.IsNaN(past[1]) || !math.IsNaN(past[2]) || math.IsNaN(past[3]) {
		t.Errorf("watch events: %v", past)
	}
}

func TestCurve(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
		lines     int
		want      string
	}{
		{[]float64{0, 1, 4, 8}, 0, 8, 1, "▁▁▄█"},
		{[]float64{0, math.NaN(), 0}, 0, 0, 1, "▁ ▁"},
		{[]float64{-5, 1e300}, 0, 10, 1, "▁█"},
		{[]float64{7, 7}, 7, 7, 1, "▄▄"},
		{[]float64{1204, 1205, 1206}, 1204, 1206, 1, "▄▆█"},
		{[]float64{0, 4, 8, 16}, 0, 16, 2, "   █/▁▄██"},
		{[]float64{7, 7}, 7, 7, 2, "  /▄▄"},
	} {
		if got := strings.Join(curve(c.values, c.low, c.high, c.lines), "/"); got != c.want {
			t.Errorf("%v is %q, want %q", c.values, got, c.want)
		}
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v    float64
		u    model.Unit
		want string
	}{
		{1204, model.UnitNone, "1,204"}, {6.5, model.UnitRate, "6.5/s"}, {0, model.UnitRate, "0/s"}, {312.4, model.UnitRate, "312/s"}, {0.0007, model.UnitSeconds, "0.7 ms"},
		{0.0239, model.UnitSeconds, "24 ms"}, {2, model.UnitSeconds, "2.0 s"}, {0, model.UnitSeconds, "0 ms"}, {12e-6, model.UnitSeconds, "12 µs"}, {412e6, model.UnitBytes, "412 MB"}, {8144, model.UnitFlow, "8 kB/s"},
	} {
		if got := quantity(c.v, c.u); got != c.want {
			t.Errorf("%v %q is %q, want %q", c.v, c.u, got, c.want)
		}
	}
}
