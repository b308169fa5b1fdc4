// Package faultproxy is a TCP proxy on loopback that behaves as badly as
// networks and load balancers do: silence without a close, resets, latency,
// refused connections, idle timeouts.
//
// It passes bytes on unchanged, and loses them only where it cuts: what it
// holds back in a blackhole arrives when the blackhole ends.
package faultproxy

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// Proxy forwards connections to one address. It is safe for concurrent use.
type Proxy struct {
	target, addr string

	mu       sync.Mutex
	listener net.Listener // nil while down
	conns    map[*conn]struct{}
	accepted int
	settings
	changed chan struct{} // closed and replaced when settings change
	done    sync.WaitGroup
}

type settings struct {
	blackhole bool
	delay     time.Duration
	idle      time.Duration
	limit     int64
}

// conn is one client with its connection to the target.
type conn struct {
	client, target net.Conn
	closed         chan struct{}
	once           sync.Once
	down           int64 // bytes to the client
	mu             sync.Mutex
	last           time.Time // of any byte
}

const anyPort = "127.0.0.1:0"

// New listens on a free port of 127.0.0.1 and forwards to target, host:port.
func New(target string) (*Proxy, error) {
	p := &Proxy{target: target, addr: anyPort, conns: map[*conn]struct{}{}, changed: make(chan struct{})}
	return p, p.Up()
}

// Addr is where it listens, host:port. It stays the same.
func (p *Proxy) Addr() string { return p.addr }

// Up accepts connections again after [Proxy.Down].
func (p *Proxy) Up() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		return nil
	}
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		return err
	}
	if p.listener = l; p.addr == anyPort { // written once: Addr needs no lock
		p.addr = l.Addr().String()
	}
	p.done.Go(func() { p.accept(l) })
	return nil
}

// Down closes the port, so that connections are refused, and resets the open
// ones.
func (p *Proxy) Down() {
	p.mu.Lock()
	if p.listener != nil {
		_ = p.listener.Close()
		p.listener = nil
	}
	p.mu.Unlock()
	p.CutAll()
}

// Close is [Proxy.Down] for good; it returns when every goroutine has ended.
func (p *Proxy) Close() {
	p.Down()
	p.done.Wait()
}

// CutAll resets every open connection.
func (p *Proxy) CutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.close()
	}
}

// Blackhole holds back all bytes in both directions while it is on; the
// connections stay open, and new ones are accepted.
func (p *Proxy) Blackhole(on bool) { p.set(func(s *settings) { s.blackhole = on }) }

// Delay holds each piece of data back that long, in both directions.
func (p *Proxy) Delay(d time.Duration) { p.set(func(s *settings) { s.delay = d }) }

// IdleTimeout resets connections on which nothing has passed for that long,
// as load balancers do; 0 is never.
func (p *Proxy) IdleTimeout(d time.Duration) { p.set(func(s *settings) { s.idle = d }) }

// CutAfter resets each connection after n bytes to its client; 0 is never.
func (p *Proxy) CutAfter(n int64) { p.set(func(s *settings) { s.limit = n }) }

func (p *Proxy) set(f func(*settings)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(&p.settings)
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Proxy) now() (settings, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.settings, p.changed
}

// Conns is the number of open connections, Accepted that of all so far.
func (p *Proxy) Conns() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Accepted is the number of connections accepted so far.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

func (p *Proxy) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		p.done.Go(func() { p.serve(l, client) })
	}
}

func (p *Proxy) serve(l net.Listener, client net.Conn) {
	target, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(context.Background(), "tcp", p.target)
	if err != nil {
		reset(client)
		return
	}
	c := &conn{client: client, target: target, closed: make(chan struct{}), last: time.Now()}
	p.mu.Lock()
	if p.listener != l { // it went down meanwhile
		p.mu.Unlock()
		c.close()
		return
	}
	p.conns[c] = struct{}{}
	p.accepted++
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { p.pump(c, target, client, false) })
	both.Go(func() { p.pump(c, client, target, true) })
	both.Go(func() { p.watchIdle(c) })
	both.Wait()
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
}

// pump copies one direction, at the mercy of the settings.
func (p *Proxy) pump(c *conn, dst, src net.Conn, down bool) {
	defer c.close()
	buf := make([]byte, 32<<10)
	for {
		n, err := src.Read(buf)
		if err == io.EOF && n == 0 && down {
			c.finish() // the server closed in order: so does the proxy
			return
		}
		if n > 0 && (!p.pass(c) || !p.write(c, dst, buf[:n], down)) {
			return
		}
		if err != nil {
			return
		}
	}
}

// pass waits until data may go on; false when the connection was cut.
func (p *Proxy) pass(c *conn) bool {
	s, changed := p.now()
	if s.delay > 0 && !s.blackhole {
		timer := time.NewTimer(s.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-c.closed:
			return false
		}
		s, changed = p.now()
	}
	for s.blackhole {
		select {
		case <-changed:
		case <-c.closed:
			return false
		}
		s, changed = p.now()
	}
	return true
}

func (p *Proxy) write(c *conn, dst net.Conn, b []byte, down bool) bool {
	s, _ := p.now()
	cut := false
	if down {
		if s.limit > 0 && c.down+int64(len(b)) >= s.limit {
			b, cut = b[:max(0, s.limit-c.down)], true
		}
		c.down += int64(len(b))
	}
	c.touch()
	_, err := dst.Write(b)
	if cut {
		// The client is to get these bytes: a reset would throw them away.
		c.finish()
	}
	return err == nil && !cut
}

func (c *conn) touch() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = time.Now()
}

func (c *conn) idleSince() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// watchIdle cuts a connection that was idle for too long.
func (p *Proxy) watchIdle(c *conn) {
	for {
		s, changed := p.now()
		var due <-chan time.Time
		if s.idle > 0 {
			due = time.After(time.Until(c.idleSince().Add(s.idle)))
		}
		select {
		case <-changed:
		case <-c.closed:
			return
		case <-due:
			if time.Since(c.idleSince()) >= s.idle {
				c.close()
				return
			}
		}
	}
}

// close resets both sides.
func (c *conn) close() {
	c.once.Do(func() {
		close(c.closed)
		reset(c.client)
		reset(c.target)
	})
}

// finish closes both sides in order.
func (c *conn) finish() {
	c.once.Do(func() {
		close(c.closed)
		_ = c.client.Close()
		_ = c.target.Close()
	})
}

func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = c.Close()
}
