package watch

import (
	"context"
	"encoding/pem"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch/timeserver"
	"rewatch/watch/timeserver/faultproxy"
)

// real is a rig over TLS and real sockets, for what HTTP/2 does.
func real(t *testing.T, s *timeserver.Server, url string, ca []byte, o rigOptions) *rig {
	t.Helper()
	cfg := &rest.Config{Host: url, TLSClientConfig: rest.TLSClientConfig{CAData: ca}}
	c, err := NewCluster("test", cfg, o.cluster)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, log: model.NewLog(model.Options{}), cluster: c}
	r.engine = NewEngine(r.log, o.engine)
	r.id = r.engine.Add(c, pods)
	for _, more := range o.targets {
		r.engine.Add(c, more)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.engine.Run(ctx) })
	r.wall = true
	r.stop = sync.OnceFunc(func() {
		start := time.Now()
		cancel()
		running.Wait()
		if took := time.Since(start); took > 200*time.Millisecond {
			t.Logf("shutdown took %v", took)
		}
		r.checkTransitions()
	})
	t.Cleanup(r.stop)
	return r
}

// noLeaks gives goroutines the time to end that a busy machine takes.
func noLeaks(t *testing.T, leaks goleak.Option) {
	t.Helper()
	for end := time.Now().Add(time.Minute); goleak.Find(leaks) != nil && time.Now().Before(end); {
	}
	goleak.VerifyNone(t, leaks)
}

// secure serves pods over HTTP/2.
func secure(t *testing.T) (*timeserver.Server, *timeserver.Endpoint) {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { noLeaks(t, leaks) })
	s := newServer(timeserver.Options{})
	put(s, "pods", "a")
	e, err := timeserver.NewEndpoint(s, timeserver.EndpointOptions{TLS: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return s, e
}

func (r *rig) caused(c model.Cause) func() bool {
	return func() bool {
		return slices.ContainsFunc(r.steps(r.id), func(t model.Transition) bool { return t.Cause == c })
	}
}

func TestFault_10_StreamReset(t *testing.T) {
	s, e := secure(t)
	r := real(t, s, e.URL(), e.CA(), rigOptions{})
	r.reach(10*time.Second, model.Live)
	s.CloseAll() // RST_STREAM: the connection lives on
	r.until(10*time.Second, "the reset", r.caused(model.CauseStreamReset))
	step := r.step(model.CauseStreamReset)
	if step.To != model.Backoff || step.Proto != "HTTP/2.0" || !strings.Contains(step.Text, "INTERNAL_ERROR") {
		t.Errorf("step %+v", step)
	}
	put(s, "pods", "b")
	r.same(10*time.Second, s, "pods")
	if _, dialled := r.cluster.Connections(); dialled != 1 {
		t.Errorf("%d connections", dialled)
	}
}

func TestFault_58_MoreStreamsThanAConnectionTakes(t *testing.T) {
	s, e := secure(t)
	var more []Target
	for range 299 { // this server allows 250 on a connection
		more = append(more, pods)
	}
	r := real(t, s, e.URL(), e.CA(), rigOptions{targets: more})
	r.until(60*time.Second, "all live", func() bool { return r.all(model.Live) })
	if open, _ := r.cluster.Connections(); open < 2 {
		t.Errorf("%d connections for 300 streams", open)
	}
	r.stop()
	r.until(30*time.Second, "the connections closed", func() bool { open, _ := r.cluster.Connections(); return open == 0 })
}

func TestHTTP1GivesEachStreamAConnection(t *testing.T) {
	s, e := secure(t)
	r := real(t, s, e.URL(), e.CA(), rigOptions{cluster: ClusterOptions{HTTP1: true}, targets: []Target{pods, pods}})
	r.until(10*time.Second, "all live", func() bool { return r.all(model.Live) })
	if open, _ := r.cluster.Connections(); open != 3 {
		t.Errorf("%d connections for 3 streams", open)
	}
	for _, q := range s.Requests() {
		if q.Proto != "HTTP/1.1" {
			t.Errorf("a request over %s", q.Proto)
		}
	}
}

func TestUntrustedCertificate(t *testing.T) {
	s, e := secure(t)
	r := real(t, s, e.URL(), nil, rigOptions{})
	r.until(10*time.Second, "the cause", r.caused(model.CauseTLS))
	if step := r.step(model.CauseTLS); step.To != model.Backoff || !strings.Contains(step.Text, "certificate") {
		t.Errorf("step %+v", step)
	}
}

func TestFault_11_GoAway(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { noLeaks(t, leaks) })
	// When GOAWAY has come cannot be seen; a busy machine may cut it off.
	for pause := 200 * time.Millisecond; !goAway(t, pause); pause *= 4 {
		if pause > time.Minute {
			t.Fatal("it is never told to go away")
		}
	}
}

// goAway has a server say GOAWAY, and cut the connection after a while; false is
// that the cut came first.
func goAway(t *testing.T, pause time.Duration) bool {
	t.Helper()
	s := newServer(timeserver.Options{})
	put(s, "pods", "a")
	h := httptest.NewUnstartedServer(s)
	h.EnableHTTP2 = true
	h.StartTLS()
	defer h.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	r := real(t, s, h.URL, ca, rigOptions{})
	r.reach(10*time.Second, model.Live)
	time.Sleep(1100 * time.Millisecond) // it has lived for more than a second: no back-off
	go func() { _ = h.Config.Shutdown(t.Context()) }()
	time.Sleep(pause) // GOAWAY is on its way
	h.CloseClientConnections()
	r.until(10*time.Second, "the cause", func() bool { return r.caused(model.CauseGoAway)() || r.caused(model.CauseCut)() })
	defer r.stop()
	if !r.caused(model.CauseGoAway)() {
		return false
	}
	if step := r.step(model.CauseGoAway); step.To != model.Rotating || !strings.Contains(step.Text, "GOAWAY") {
		t.Errorf("step %+v", step)
	}
	return true
}

// proxied is a real rig behind a proxy that fails on command.
func proxied(t *testing.T) (*rig, *timeserver.Server, *faultproxy.Proxy) {
	t.Helper()
	s, e := secure(t)
	p, err := faultproxy.New(strings.TrimPrefix(e.URL(), "https://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r := real(t, s, "https://"+p.Addr(), e.CA(), rigOptions{})
	r.reach(10*time.Second, model.Live)
	return r, s, p
}

func TestFault_12_PingTimeout(t *testing.T) {
	t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "1") // client-go's own knobs; 30 s and 15 s
	t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "1")
	r, s, p := proxied(t)
	time.Sleep(1100 * time.Millisecond)
	p.Blackhole(true)
	put(s, "pods", "b")
	r.until(20*time.Second, "the cause", r.caused(model.CausePing))
	if step := r.step(model.CausePing); step.To != model.Connecting || !strings.Contains(step.Text, "link dead") {
		t.Errorf("step %+v", step)
	}
	p.Blackhole(false)
	p.CutAll()
	r.same(20*time.Second, s, "pods")
}

func TestFault_09_ConnectionReset(t *testing.T) {
	r, s, p := proxied(t)
	p.CutAll()
	put(s, "pods", "b")
	r.until(10*time.Second, "the cause", r.caused(model.CauseCut))
	r.same(10*time.Second, s, "pods")
	if len(r.gaps()) != 0 {
		t.Errorf("gaps %+v", r.gaps())
	}
}

func TestFault_08_RefusedByARealHost(t *testing.T) {
	r, s, p := proxied(t)
	p.Down()
	r.until(10*time.Second, "the cause", r.caused(model.CauseRefused))
	put(s, "pods", "b")
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	r.engine.Retry(-1)
	r.same(10*time.Second, s, "pods")
}
