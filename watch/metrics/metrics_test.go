package metrics

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// page is an excerpt of what a kube-apiserver 1.37 says, of three resources.
func page(tb testing.TB, name string) []byte {
	tb.Helper()
	f, err := os.Open("testdata/" + name + ".txt.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func mustRead(tb testing.TB, b []byte) *reading {
	tb.Helper()
	r, err := read(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func named(tb testing.TB, all []model.Figure, name string) model.Figure {
	tb.Helper()
	for _, f := range all {
		if f.Name == name {
			return f
		}
	}
	tb.Fatalf("no figure is called %s", name)
	return model.Figure{}
}

// The wanted figures were worked out from the two pages by other means.
func TestFiguresOfARealServer(t *testing.T) {
	got, restarted := figures(mustRead(t, page(t, "before")), mustRead(t, page(t, "after")), 10*time.Second)
	if restarted {
		t.Error("it did not restart")
	}
	for _, want := range []struct {
		name           string
		value, median  float64
		perSecond      float64
		unknown, other bool // other: it is not on the page
	}{
		{name: "open watches", value: 10},
		{name: "watch events", value: 6.5},
		{name: "watch bytes", value: 8144},
		{name: "cache dispatched", value: 5.7},
		{name: "dispatch time", value: 0.01525, median: 0.000659090909, perSecond: 6.5},
		{name: "watches cut off", unknown: true, other: true},
		{name: "watch-list time", unknown: true},
		{name: "cache read wait", unknown: true},
		{name: "cache capacity", value: 300},
		{name: "revisions", value: 4.5},
		{name: "etcd bookmarks", value: 0.1},
		{name: "in flight", value: 1},
		{name: "queued"},
		{name: "rejected", unknown: true, other: true},
		{name: "etcd requests", value: 0.02388, median: 0.0030434782608, perSecond: 2.8},
		{name: "etcd size", value: 536576},
		{name: "etcd fsync", unknown: true, other: true},
	} {
		f := named(t, got, want.name)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }
		if f.Given == want.other || f.Known == want.unknown || !near(f.Value, want.value) || !near(f.Median, want.median) || !near(f.PerSecond, want.perSecond) {
			t.Errorf("%s is %+v, want %+v", want.name, f, want)
		}
	}
	first, _ := figures(nil, mustRead(t, page(t, "after")), 0)
	if f := named(t, first, "watch events"); f.Known || !f.Given {
		t.Errorf("a rate of one reading: %+v", f)
	}
	if f := named(t, first, "open watches"); !f.Known {
		t.Errorf("a gauge of one reading: %+v", f)
	}
}

func TestCountersThatBeginAnew(t *testing.T) {
	text := func(start, events int) *reading {
		return mustRead(t, fmt.Appendf(nil, "process_start_time_seconds %d\napiserver_watch_events_total{resource=\"a\"} %d\n", start, events))
	}
	for _, c := range []struct {
		name    string
		now     *reading
		restart bool
	}{{"another process", text(2, 900), true}, {"a counter went back", text(1, 10), true}, {"the same", text(1, 200), false}} {
		got, restarted := figures(text(1, 100), c.now, 10*time.Second)
		if f := named(t, got, "watch events"); restarted != c.restart || f.Known == c.restart || !c.restart && f.Value != 10 {
			t.Errorf("%s: %v, %+v", c.name, restarted, f)
		}
	}
	// What is counted for the first time is on no page before.
	rejected := mustRead(t, []byte("process_start_time_seconds 1\napiserver_flowcontrol_rejected_requests_total{reason=\"time-out\"} 5\n"))
	got, _ := figures(text(1, 100), rejected, 10*time.Second)
	if f := named(t, got, "rejected"); !f.Known || f.Value != 0.5 {
		t.Errorf("%+v", f)
	}
}

// Labels hold anything.
func TestLabels(t *testing.T) {
	r := mustRead(t, []byte(`# HELP apiserver_longrunning_requests verb="WATCH"} 5
apiserver_longrunning_requests{resource="}\"{,verb=\"x",verb="WATCH",version="a\\"} 3 1796122426030
apiserver_longrunning_requests{verb="CONNECT",resource="verb=\"WATCH\""} 40
apiserver_longrunning_requests{verb="WATCH"} NaN
apiserver_longrunning_requests{verb="WATCH" 9
apiserver_longrunning_requests 11
apiserver_longrunning_requests_of_others{verb="WATCH"} 70
apiserver_longrunning_requests{verb="WATCH",x="`+strings.Repeat("x", maxLine)+`"} 100
apiserver_longrunning_requests{verb="WATCH"}	4`))
	if got := r.sums[0].value; got != 7 {
		t.Errorf("%v watches, want 7", got)
	}
}

func TestWhatIsNoPage(t *testing.T) {
	for _, text := range []string{"", "<html>\n<body>\n", "# HELP x\n", "{\"kind\":\"Status\"}\n"} {
		if _, err := read(strings.NewReader(text)); !errors.Is(err, errNoMetrics) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A page of 30 MB costs little memory.
func TestALargePage(t *testing.T) {
	b := page(t, "after")
	var readers []io.Reader
	for range 30e6 / len(b) {
		readers = append(readers, bytes.NewReader(b))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := read(io.MultiReader(readers...)); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("reading 30 MB allocates %d kB", got>>10)
	}
}

func BenchmarkRead(b *testing.B) {
	text := page(b, "after")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		mustRead(b, text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(page(f, "before")[:20000])
	f.Add([]byte("apiserver_watch_events_total{a=\"\\\"} 1\netcd_request_duration_seconds_bucket{le=\"+Inf\"} -5\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := read(bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, all := range [][]*reading{{nil, r}, {r, r}, {{sums: make([]sum, len(families)), start: r.start}, r}} {
			for _, x := range func() []model.Figure { f, _ := figures(all[0], all[1], time.Second); return f }() {
				if x.Known && (math.IsNaN(x.Value) || math.IsNaN(x.Median)) {
					t.Errorf("%+v", x)
				}
			}
		}
	})
}

// cluster is a Source over real HTTP.
func cluster(t *testing.T, h http.HandlerFunc) Source {
	s := httptest.NewServer(h)
	c, err := watch.NewCluster("test", &rest.Config{Host: s.URL}, watch.ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

func status(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
	}
}

func TestPoll(t *testing.T) {
	var open, most, asked atomic.Int32
	before, after := page(t, "before"), page(t, "after")
	from := cluster(t, func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), open.Add(1)))
		defer open.Add(-1)
		if r.Method != http.MethodGet || r.URL.Path != "/metrics" || !strings.HasPrefix(r.Header.Get("Accept"), "text/plain") || r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer func() { _ = z.Close() }()
		if asked.Add(1) == 1 {
			_, _ = z.Write(before)
			return
		}
		_, _ = z.Write(after)
	})
	ctx, cancel := context.WithCancel(context.Background())
	readings := Poll(ctx, "prod", from, Options{Every: 20 * time.Millisecond})
	one, two := <-readings, <-readings
	if one.Err != "" || one.Bytes != int64(len(before)) || one.Context != "prod" || one.At.IsZero() || one.Every != 20*time.Millisecond {
		t.Errorf("%+v", one)
	}
	if f := named(t, two.Figures, "watch events"); two.Err != "" || !f.Known || f.Value <= 0 || two.Restarted {
		t.Errorf("%+v", two)
	}
	cancel()
	for range readings { // until it is closed
	}
	if most.Load() != 1 {
		t.Errorf("%d requests at a time", most.Load())
	}
}

func TestPollOfWhoWillNotTell(t *testing.T) {
	for _, c := range []struct {
		name    string
		h       http.HandlerFunc
		limit   int64
		err     string
		advice  string
		refused bool
	}{
		{"forbidden", status(403, "Forbidden", `forbidden: User "dev" cannot get path "/metrics"`), 0, `this user may not read /metrics: forbidden: User "dev" cannot get path "/metrics"`,
			"--verb=get --non-resource-url=/metrics", true},
		{"unauthorised", status(401, "Unauthorized", "Unauthorized"), 0, "does not know this user", "", true},
		{"none", status(404, "NotFound", "the server could not find the requested resource"), 0, "the server has no /metrics", "providers", true},
		{"broken", status(500, "InternalError", "etcd is away"), 0, "etcd is away", "", true},
		{"html", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>\n")) }, 0, "no metrics", "in its place", false},
		{"cut", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("a 1\n"))
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, 0, "EOF", "", false},
		{"large", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(bytes.Repeat([]byte("a 1\n"), 1000)) }, 1000, "larger than", "", false},
		{"slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 0, "not answered within", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			o := Options{Limit: c.limit, Timeout: 3 * time.Minute}
			if c.name == "slow" {
				o.Timeout = 300 * time.Millisecond
			}
			readings := Poll(ctx, "prod", cluster(t, c.h), o)
			s := <-readings
			if !strings.Contains(s.Err, c.err) || !strings.Contains(strings.Join(s.Advice, "\n"), c.advice) || s.Figures != nil || (s.Every == 30*time.Second) != c.refused {
				t.Errorf("%+v", s)
			}
			cancel()
			for range readings {
			}
		})
	}
}
