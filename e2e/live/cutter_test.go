package live

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// link is a TCP relay between rewatch and the API server that can be cut: the
// server goes on, and only rewatch is blind.
type link struct {
	cfg    *rest.Config
	target string

	mu       sync.Mutex
	addr     string
	listener net.Listener
	conns    map[net.Conn]bool
}

// cutter puts a link in front of the server of cfg.
func cutter(t *testing.T, cfg *rest.Config) *link {
	t.Helper()
	u, err := url.Parse(cfg.Host)
	if err != nil {
		t.Fatal(err)
	}
	l := &link{cfg: rest.CopyConfig(cfg), target: u.Host, addr: "127.0.0.1:0", conns: map[net.Conn]bool{}}
	l.up()
	u.Host = l.addr
	l.cfg.Host = u.String()
	t.Cleanup(l.down)
	return l
}

func (l *link) up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	listener, err := net.Listen("tcp", l.addr)
	if err != nil {
		panic(err)
	}
	l.listener, l.addr = listener, listener.Addr().String()
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			go l.relay(in)
		}
	}()
}

func (l *link) relay(in net.Conn) {
	out, err := net.Dial("tcp", l.target)
	if err != nil {
		_ = in.Close()
		return
	}
	l.mu.Lock()
	l.conns[in], l.conns[out] = true, true
	l.mu.Unlock()
	go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
	_, _ = io.Copy(in, out)
	_ = in.Close()
}

// down refuses new connections and resets the open ones.
func (l *link) down() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.listener.Close()
	for c := range l.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
	l.conns = map[net.Conn]bool{}
}
