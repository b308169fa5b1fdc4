package timeserver

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestChaos watches two resources with a stubborn client while every kind of
// disturbance comes at least once.
func TestChaos(t *testing.T) {
	s, e := serve(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	for _, path := range []string{"/api/v1/pods", "/api/v1/nodes", "/apis/apps/v1/deployments"} {
		wg.Go(func() {
			for ctx.Err() == nil {
				req, _ := http.NewRequestWithContext(ctx, "GET", e.URL()+path+"?watch=true", nil)
				if res, err := http.DefaultClient.Do(req); err == nil {
					buf := make([]byte, 4096)
					for err == nil {
						_, err = res.Body.Read(buf)
					}
					res.Body.Close()
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	seen := make(chan string, 100)
	c := &chaos{s: s, e: e, rng: rand.New(rand.NewPCG(1, 2)), second: 2 * time.Millisecond,
		report: func(d Disturbance) { seen <- d.Name }}
	wg.Go(func() { c.run(ctx) })
	var order []string
	all := []string{"cut", "throttle", "expire", "silence", "slow", "down", "midframe", "html"}
	eventually(t, "every disturbance came", func() bool {
		select {
		case name := <-seen:
			order = append(order, name)
		default:
		}
		return !slices.ContainsFunc(all, func(n string) bool { return !slices.Contains(order, n) })
	})
	if !slices.Equal(order[:3], all[:3]) {
		t.Errorf("began with %v", order[:3])
	}
	go func() {
		for range seen {
		}
	}()
	cancel()
	wg.Wait()
	close(seen)
	if err := e.Up(); err != nil {
		t.Error(err)
	}
	if res, err := http.Get(e.URL() + "/api/v1/pods?watch=true&timeoutSeconds=1"); err != nil || res.StatusCode != 200 {
		t.Errorf("left broken: %v", err)
	} else {
		res.Body.Close()
	}
}
