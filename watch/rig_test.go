package watch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

// TestMain checks after a whole run that the fault tests walked through every
// state of the machine.
func TestMain(m *testing.M) {
	code := m.Run()
	if code == 0 && wholeRun() {
		for state := range transitions {
			if _, ok := reached.Load(state); !ok && state != model.Idle {
				fmt.Printf("no test reached the state %v\n", state)
				code = 1
			}
		}
	}
	os.Exit(code)
}

func wholeRun() bool {
	return !slices.ContainsFunc(os.Args, func(a string) bool {
		return strings.HasPrefix(a, "-test.run=") || strings.HasPrefix(a, "-test.bench=") ||
			strings.HasPrefix(a, "-test.list=") || strings.HasPrefix(a, "-test.skip=") || strings.HasPrefix(a, "-test.fuzz")
	})
}

// reached collects the states seen by all tests.
var reached sync.Map

// network is an in-memory network that works in fake time.
type network struct {
	conns chan net.Conn
	down  atomic.Bool  // dials are refused
	dials atomic.Int64 // attempts
	times sync.Map     // number of the dial → time
	done  chan struct{}
	once  sync.Once

	mu   sync.Mutex
	live []net.Conn
}

func newNetwork() *network {
	return &network{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	n.times.Store(n.dials.Add(1), time.Now())
	if n.down.Load() {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		n.mu.Lock()
		n.live = append(n.live, server)
		n.mu.Unlock()
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-n.done:
		return nil, errors.New("network closed")
	}
}

// cut breaks every connection.
func (n *network) cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.live {
		_ = c.Close()
	}
	n.live = nil
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}
func (n *network) Close() error   { n.once.Do(func() { close(n.done) }); return nil }
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6443} }

// rig is an engine, a log and a server in one bubble of fake time.
type rig struct {
	*testing.T
	net     *network
	log     *model.Log
	engine  *Engine
	cluster *Cluster
	id      model.StreamID // of the first stream
	stop    func()
	wall    bool // real time
	taken   *taken
}

type rigOptions struct {
	cluster ClusterOptions
	engine  Options
	target  Target
	targets []Target // besides
	config  func(*rest.Config)
	faults  []timeserver.Fault // in force before the first request
	down    bool               // dials are refused from the first on
}

var pods = Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}, CanList: true, CanWatch: true}

// fake runs f in a bubble of fake time with an engine that watches handler.
func fake(t *testing.T, handler http.Handler, o rigOptions, f func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { newRig(t, handler, o).do(f) })
}

// do runs f, ends the engine and holds the log against the machine. What is
// left running would keep the bubble from ending.
func (r *rig) do(f func(*rig)) {
	defer r.stop()
	f(r)
	r.stop()
	r.checkTransitions()
	r.checkRequests()
	r.taken.check(r.T, r.log)
}

func newRig(t *testing.T, handler http.Handler, o rigOptions) *rig {
	r := &rig{T: t, net: newNetwork(), log: model.NewLog(model.Options{})}
	r.taken = tapped(r.log)
	r.net.down.Store(o.down)
	server := &http.Server{Handler: handler}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(r.net) })
	cfg := &rest.Config{Host: "http://cluster.test:6443", Dial: r.net.dial, Proxy: func(*http.Request) (*url.URL, error) { return nil, nil }}
	if o.config != nil {
		o.config(cfg)
	}
	var err error
	if r.cluster, err = NewCluster("test", cfg, o.cluster); err != nil {
		t.Fatal(err)
	}
	r.engine = NewEngine(r.log, o.engine)
	if o.target.Resource == "" {
		o.target = pods
	}
	r.id = r.engine.Add(r.cluster, o.target)
	for _, more := range o.targets {
		r.engine.Add(r.cluster, more)
	}
	ctx, cancel := context.WithCancel(context.Background())
	running.Go(func() { r.engine.Run(ctx) })
	r.stop = sync.OnceFunc(func() {
		start := time.Now()
		cancel()
		synctest.Wait()
		if took := time.Since(start); took > 200*time.Millisecond {
			t.Errorf("shutdown took %v", took)
		}
		_ = server.Close()
		r.net.cut()
		_ = r.net.Close()
		running.Wait()
	})
	return r
}

// until lets fake time pass until cond holds, for at most limit; real time, which
// a busy machine has less of, for much longer.
func (r *rig) until(limit time.Duration, what string, cond func() bool) {
	r.Helper()
	if r.wall {
		limit += 3 * time.Minute
	}
	for end := time.Now().Add(limit); ; {
		if !r.wall {
			synctest.Wait()
		}
		if cond() {
			return
		}
		if !time.Now().Before(end) {
			r.Fatalf("not within %v: %s\n%s", limit, what, r.dump())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// reach waits for the first stream to be in a state.
func (r *rig) reach(limit time.Duration, s model.State) {
	r.Helper()
	r.until(limit, "state "+s.String(), func() bool { return r.state(r.id) == s })
}

func (r *rig) state(id model.StreamID) model.State { return r.log.Streams(time.Now())[id].State }

// rows returns what the log holds, of one type if typ is not 0.
func (r *rig) rows(types ...model.Type) []model.Event {
	var out []model.Event
	s := r.log.Snapshot()
	for q := s.First(); q < s.End(); q++ {
		if e := s.At(q); len(types) == 0 || slices.Contains(types, e.Type) {
			out = append(out, e)
		}
	}
	return out
}

// steps returns the transitions of a stream.
func (r *rig) steps(id model.StreamID) []model.Transition {
	var out []model.Transition
	for _, e := range r.rows(model.StreamChange) {
		if e.Stream == id {
			out = append(out, e.Detail.(model.Transition))
		}
	}
	return out
}

// step returns the first transition of the first stream with the cause.
func (r *rig) step(c model.Cause) model.Transition {
	r.Helper()
	for _, t := range r.steps(r.id) {
		if t.Cause == c {
			return t
		}
	}
	r.Fatalf("no transition with the cause %s\n%s", c, r.dump())
	return model.Transition{}
}

func (r *rig) gaps() []model.Gap {
	var out []model.Gap
	for _, e := range r.rows(model.GapFound) {
		out = append(out, e.Detail.(model.Gap))
	}
	return out
}

func (r *rig) notes(c model.Cause) []string {
	var out []string
	for _, e := range r.rows(model.Noted) {
		if n := e.Detail.(model.Note); n.Cause == c {
			out = append(out, n.Text)
		}
	}
	return out
}

// objects names the rows of objects: "+a Initial", "~a", "-a Synthetic".
func (r *rig) objects() []string {
	var out []string
	for _, e := range r.rows(model.Added, model.Modified, model.Deleted) {
		out = append(out, fmt.Sprintf("%c%s%s", "?+~-"[e.Type], r.log.Identity(e.Object).Name, flagNames(e.Flags)))
	}
	return out
}

func flagNames(f model.Flag) string {
	s := ""
	for i, n := range []string{"Initial", "Synthetic", "Replayed", "Recreated", "Selection"} {
		if f&(1<<i) != 0 {
			s += " " + n
		}
	}
	return s
}

// held is the state that the log adds up to: name → resourceVersion.
func (r *rig) held() map[string]uint64 {
	held, uid := map[string]uint64{}, map[string]string{}
	for _, e := range r.rows(model.Added, model.Modified, model.Deleted) {
		id := r.log.Identity(e.Object)
		name := id.Namespace + "/" + id.Name
		if e.Type != model.Deleted {
			held[name], uid[name] = e.RV, id.UID
		} else if uid[name] == id.UID {
			delete(held, name)
		}
	}
	return held
}

// checkTransitions holds the log against the table of the machine.
func (r *rig) checkTransitions() {
	r.Helper()
	for i := range r.log.Streams(time.Now()) {
		state := model.Idle
		for _, t := range r.steps(model.StreamID(i)) {
			if t.From != state {
				r.Errorf("stream %d: a step from %v follows the state %v", i, t.From, state)
			}
			if !t.Bare() && !legal(t.From, t.To) {
				r.Errorf("stream %d: illegal step %v → %v (%s %s)", i, t.From, t.To, t.Cause, t.Text)
			}
			state = t.To
			reached.Store(state, true)
		}
	}
}

// dump shows the log for a failed test.
func (r *rig) dump() string {
	var b strings.Builder
	var first int64
	for _, e := range r.rows() {
		if first == 0 {
			first = e.Time
		}
		fmt.Fprintf(&b, "%9.3fs #%d ", float64(e.Time-first)/1e9, e.Stream)
		switch d := e.Detail.(type) {
		case model.Transition:
			fmt.Fprintf(&b, "%v→%v %s %q attempt %d status %d rv %s frames %d took %v", d.From, d.To, d.Cause, d.Text, d.Attempt, d.Status, d.RV, d.Frames, d.Took)
		case model.Gap:
			fmt.Fprintf(&b, "GAP %+v", d)
		case model.Note:
			fmt.Fprintf(&b, "NOTE %s %s", d.Cause, d.Text)
		default:
			fmt.Fprintf(&b, "%d %s rv %d%s", e.Type, r.log.Identity(e.Object).Name, e.RV, flagNames(e.Flags))
		}
		b.WriteByte('\n')
	}
	lines := strings.SplitAfter(b.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-60):], "")
}
