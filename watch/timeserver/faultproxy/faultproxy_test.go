package faultproxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
	return l.Addr().String()
}

type client struct {
	net.Conn
	br *bufio.Reader
}

func start(t *testing.T) *Proxy {
	t.Helper()
	p, err := New(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func dial(t *testing.T, p *Proxy) client {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return client{c, bufio.NewReader(c)}
}

func (c client) say(s string) error {
	_, err := io.WriteString(c, s+"\n")
	return err
}

// patience is for what comes: a busy machine may take its time.
const patience = 3 * time.Minute

func (c client) hear(d time.Duration) (string, error) {
	_ = c.SetReadDeadline(time.Now().Add(d))
	return c.br.ReadString('\n')
}

func (c client) wantEcho(t *testing.T, s string) {
	t.Helper()
	if err := c.say(s); err != nil {
		t.Fatal(err)
	}
	if got, err := c.hear(patience); err != nil || got != s+"\n" {
		t.Fatalf("got %q, %v; want %q", got, err, s)
	}
}

func TestBlackholeHoldsAndDelivers(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	c.wantEcho(t, "hello")
	p.Blackhole(true)
	if err := c.say("anyone"); err != nil {
		t.Fatal(err)
	}
	if got, err := c.hear(50 * time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("heard %q, %v through a blackhole", got, err)
	}
	if dial(t, p); p.Conns() < 1 {
		t.Error("the connection did not stay open")
	}
	p.Blackhole(false)
	if got, err := c.hear(patience); err != nil || got != "anyone\n" {
		t.Errorf("after the blackhole: %q, %v", got, err)
	}
}

func TestCutAllResets(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	c.wantEcho(t, "hello")
	p.CutAll()
	if _, err := c.hear(patience); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("err = %v, want a reset", err)
	}
	dial(t, p).wantEcho(t, "again")
}

func TestDownRefusesAndUpIsTheSamePort(t *testing.T) {
	p := start(t)
	addr := p.Addr()
	p.Down()
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Fatal("connected while down")
	}
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	if p.Addr() != addr {
		t.Errorf("moved to %s", p.Addr())
	}
	dial(t, p).wantEcho(t, "back")
}

func TestCutAfterBytes(t *testing.T) {
	p := start(t)
	p.CutAfter(8)
	c := dial(t, p)
	c.wantEcho(t, "12345")
	if err := c.say("6789"); err != nil {
		t.Fatal(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	if rest, err := io.ReadAll(c.br); string(rest) != "67" || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("rest %q, %v; want the two bytes up to the limit", rest, err)
	}
}

func TestIdleTimeout(t *testing.T) {
	p := start(t)
	var c client
	for idle := 40 * time.Millisecond; ; idle *= 4 { // until the machine is quick enough for an echo
		p.IdleTimeout(idle)
		c = dial(t, p)
		_ = c.say("busy")
		if got, err := c.hear(patience); err == nil && got == "busy\n" {
			break
		} else if idle > patience {
			t.Fatalf("got %q, %v", got, err)
		}
	}
	if _, err := c.hear(patience); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("err = %v, want the connection cut", err)
	}
}

func TestDelay(t *testing.T) {
	p := start(t)
	c := dial(t, p)
	p.Delay(30 * time.Millisecond)
	begun := time.Now()
	c.wantEcho(t, "slowly")
	if d := time.Since(begun); d < 60*time.Millisecond {
		t.Errorf("echoed after %v, want twice the delay", d)
	}
}
