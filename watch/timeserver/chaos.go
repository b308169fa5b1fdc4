package timeserver

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Disturbance is something that [Chaos] did to the clients of a server.
type Disturbance struct {
	Name string // one word, such as "cut"
	Text string // for people, one line
}

// Chaos makes a server misbehave as servers, proxies and networks do, until
// the context ends: something every 10 to 25 s. It begins with cut
// connections, throttling and an expired history, so that within the first
// minute one sees a reconnect, a wait with a countdown, and a gap; then all
// disturbances follow in random order, each once before any comes again. Each
// is told to report, if that is not nil, as it happens. Nothing is left
// broken at the end.
func Chaos(ctx context.Context, s *Server, e *Endpoint, rng *rand.Rand, report func(Disturbance)) {
	if report == nil {
		report = func(Disturbance) {}
	}
	c := &chaos{s: s, e: e, rng: rng, report: report, second: time.Second}
	c.run(ctx)
}

type chaos struct {
	s      *Server
	e      *Endpoint
	rng    *rand.Rand
	report func(Disturbance)
	second time.Duration // shorter in tests

	mu     sync.Mutex // for rng, and what follows
	silent string     // the resource whose watches are silent now, "" is none
	faults []func()   // remove what was injected
}

// disturbance does its harm and returns when it is over.
type disturbance func(*chaos, context.Context)

// opening is what a user sees first.
var opening = []disturbance{(*chaos).cut, (*chaos).throttle, (*chaos).expire} // never changed

// anything is all that may come, in random order.
var anything = []disturbance{(*chaos).cut, (*chaos).throttle, (*chaos).expire, (*chaos).silence, (*chaos).slowHeaders,
	(*chaos).down, (*chaos).midFrame, (*chaos).html} // never changed

func (c *chaos) run(ctx context.Context) {
	var background sync.WaitGroup
	defer c.mend()
	defer background.Wait()
	todo := slices.Clone(opening)
	for n := 0; c.sleep(ctx, c.pause(n)); n++ {
		if len(todo) == 0 {
			todo = c.shuffled(anything)
		}
		next := todo[0]
		todo = todo[1:]
		done := make(chan struct{})
		background.Go(func() {
			defer close(done)
			next(c, ctx)
		})
		select {
		case <-done:
		case <-time.After(12 * c.second): // silence is too long to wait for
		}
	}
}

// pause is the time before the nth disturbance, in seconds.
func (c *chaos) pause(n int) float64 {
	switch {
	case n == 0:
		return 8
	case n < len(opening):
		return 11
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return 10 + 15*c.rng.Float64()
}

func (c *chaos) shuffled(in []disturbance) []disturbance {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(in)
	c.rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// mend takes back the faults that nobody has met yet.
func (c *chaos) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, remove := range c.faults {
		remove()
	}
}

// sleep waits some seconds; false when it is all over.
func (c *chaos) sleep(ctx context.Context, seconds float64) bool {
	return sleepUntil(ctx, time.Now().Add(time.Duration(seconds*float64(c.second))))
}

func (c *chaos) tell(name, format string, args ...any) {
	c.report(Disturbance{name, fmt.Sprintf(format, args...)})
}

// loud matches the watches that are not meant to be silent.
func (c *chaos) loud(r *http.Request) bool {
	t := parseTarget(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.verb == "watch" && t.resource != c.silent
}

// victim is a resource that is watched now and not silent, "" when none is.
func (c *chaos) victim() string {
	watched := map[string]bool{}
	c.s.mu.Lock()
	for x := range c.s.open {
		if x.req.verb == "watch" {
			watched[x.req.resource] = true
		}
	}
	c.s.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(watched, c.silent)
	var names []string
	for r := range watched {
		names = append(names, r)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names) // the order of a map is no part of rng
	return names[c.rng.IntN(len(names))]
}

// hit injects a fault into the next watch of one resource and cuts the
// present one; false when there is nobody to suffer.
func (c *chaos) hit(f Fault) (resource string, ok bool) {
	resource = c.victim()
	if resource == "" {
		return "", false
	}
	f.Match, f.Times = Watches(resource), 1
	remove := c.s.Inject(f)
	c.mu.Lock()
	c.faults = append(c.faults, remove)
	c.mu.Unlock()
	c.s.Cut(Watches(resource))
	return resource, true
}

func (c *chaos) cut(context.Context) {
	c.tell("cut", "every connection is cut")
	c.s.Cut(c.loud)
}

func (c *chaos) throttle(context.Context) {
	if r, ok := c.hit(Fault{Status: http.StatusTooManyRequests, RetryAfter: 5 * c.second,
		Message: "Too many requests, please try again later."}); ok {
		c.tell("throttle", "%s: 429, Retry-After 5 s", r)
	}
}

// expire keeps one stream out for a while, and forgets what happened in it.
func (c *chaos) expire(ctx context.Context) {
	r := c.victim()
	if r == "" {
		return
	}
	c.tell("expire", "%s: away for 4 s, meanwhile the history is compacted: 410", r)
	remove := c.s.Inject(Fault{Match: Watches(r), Status: http.StatusServiceUnavailable,
		Message: "etcdserver: leader changed"})
	defer remove()
	c.s.Cut(Watches(r))
	c.sleep(ctx, 4)
	c.s.Store().Compact()
}

// silence outlasts the 90 s after which a watch without heartbeats is
// suspicious.
func (c *chaos) silence(ctx context.Context) {
	r := c.victim()
	c.mu.Lock()
	if busy := c.silent != ""; busy || r == "" {
		c.mu.Unlock()
		return
	}
	c.silent = r
	c.mu.Unlock()
	c.tell("silence", "%s: the watch sends nothing more for 110 s, while its connection stays alive", r)
	c.s.Silence(Watches(r))
	c.sleep(ctx, 110)
	c.mu.Lock()
	c.silent = ""
	c.mu.Unlock()
	c.s.Cut(Watches(r))
}

func (c *chaos) slowHeaders(context.Context) {
	if r, ok := c.hit(Fault{HeaderDelay: 6 * c.second}); ok {
		c.tell("slow", "%s: headers held back for 6 s", r)
	}
}

func (c *chaos) down(ctx context.Context) {
	c.mu.Lock()
	busy := c.silent != ""
	c.mu.Unlock()
	if c.e == nil || busy {
		return
	}
	c.tell("down", "the apiserver is down for 8 s: connection refused")
	c.e.Down()
	c.sleep(ctx, 8)
	if err := c.e.Up(); err != nil && ctx.Err() == nil {
		c.tell("down", "the apiserver does not come up again: %v", err)
	}
}

func (c *chaos) midFrame(context.Context) {
	if r, ok := c.hit(Fault{CutMidFrame: true, CutAfterTime: 2 * c.second}); ok {
		c.tell("midframe", "%s: cut in the middle of a frame", r)
	}
}

func (c *chaos) html(context.Context) {
	if r, ok := c.hit(Fault{ContentType: "text/html", Body: []byte("<html><head><title>502 Bad Gateway</title></head>" +
		"<body><center><h1>502 Bad Gateway</h1></center><hr><center>a proxy</center></body></html>\n")}); ok {
		c.tell("html", "%s: a proxy answers with a page of HTML", r)
	}
}
