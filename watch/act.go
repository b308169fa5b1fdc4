package watch

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
)

// attempt sends the request that is due and reads it to its end.
func (s *stream) attempt(ctx context.Context) verdict {
	if up, next, ok := s.gate.enter(s, time.Now()); !ok {
		text := "the host does not answer; another stream probes it"
		if up == nil {
			text = "the host does not answer"
		}
		return verdict{do: waiting, up: up, until: next, failure: failure{cause: model.CauseHostDown, text: text}}
	}
	_, avoid := s.c.watchListAvoided(s.t.resourceKey())
	switch {
	case s.vanished:
		return s.lookAgain(ctx)
	case s.polling:
		return s.poll(ctx)
	case s.resume() != "":
		if s.peek(ctx); s.resume() == "" {
			return verdict{do: goOn}
		}
		return s.watchFrom(ctx)
	case !s.listOnly && !avoid, !s.t.mayList():
		return s.watchList(ctx)
	}
	if v := s.list(ctx); v.do != goOn {
		return v
	}
	return s.watchFrom(ctx)
}

// lookAgain asks discovery whether the resource is served again.
func (s *stream) lookAgain(ctx context.Context) verdict {
	s.tellPast()
	f := s.newFlight(ctx, reqDiscovery)
	r := s.c.client.Get().AbsPath(s.t.discoveryPath()...).MaxRetries(0)
	f.address(s.t.discoveryPath(), r)
	s.sending(f)
	interrupted := s.take(f)
	defer s.end(f)
	if interrupted {
		f.outcome(errInterrupt)
		return s.judge(f, errInterrupt)
	}
	raw, err := r.DoRaw(quiet(withExchange(f.ctx, f.x)))
	if err != nil {
		return s.judge(f, err)
	}
	s.gate.answered()
	var served metav1.APIResourceList
	if err := json.Unmarshal(raw, &served); err == nil {
		for _, r := range served.APIResources {
			if r.Name == s.t.Resource {
				s.vanished = false
				f.how.text = "the resource is served again"
				s.back.reset()
				return verdict{do: goOn, flight: f}
			}
		}
	}
	return verdict{do: vanished, flight: f, failure: failure{cause: model.CauseNotFound, text: "not served: discovery does not have it", status: f.x.status}}
}

// act publishes a verdict and does what it calls for.
func (s *stream) act(ctx context.Context, v verdict) {
	v = s.plan(v)
	switch v.do {
	case goOn, interrupted:
	case rotated:
		s.to(model.Rotating, v)
	case resume:
		s.to(model.Connecting, v)
	case fallBack:
		s.say(v)
	case retry:
		if v.yielded {
			s.to(model.Backoff, v) // attempt finds the gate closed and waits there
			return
		}
		s.rest(ctx, model.Backoff, v)
	case waiting:
		s.waitForHost(ctx, v)
	case expired:
		s.rest(ctx, model.Expired, v)
	case denied:
		s.rest(ctx, model.Denied, v)
	case vanished:
		s.rest(ctx, model.Gone, v)
	case polled:
		s.rest(ctx, model.Polling, v)
		s.watchAgain()
	case stopped:
		s.to(model.Stopped, v)
		s.wait(ctx, -1, nil)
		s.listOnly, s.distrusted, s.noInitial = !s.t.mayWatch(), false, false // what the user repaired is not known
	}
}

// rest publishes a state and stays in it until it is time for the next attempt.
func (s *stream) rest(ctx context.Context, state model.State, v verdict) {
	s.to(state, v)
	if d := time.Until(v.until); d > 0 {
		s.wait(ctx, d, nil)
	}
}

// plan counts the failure and sets when the next attempt is due.
func (s *stream) plan(v verdict) verdict {
	now := time.Now()
	switch v.do {
	case retry:
		d := s.back.fail(now, v.retryAfter)
		v.until = now.Add(d)
		if v.unreached || v.unanswered {
			next, probing := s.gate.down(s, now, d, !v.unreached)
			v.until, v.yielded = next, !probing
		}
	case resume:
		s.back.fail(now, 0)
	case expired:
		// A 410 says nothing of the failures before it. But a server that
		// expires every fresh list is not asked at its own pace.
		if s.expiries == 0 {
			s.back.reset()
		}
		s.expiries++
		v.until = now.Add(s.back.fail(now, v.retryAfter))
	case denied, vanished:
		s.back.fail(now, 0)
		slow := min(s.e.o.Timings.SlowBase<<min(s.slow, 10), s.e.o.Timings.Slow)
		s.slow++
		v.until = now.Add(max(v.retryAfter, slow-s.jitter(slow/4)))
	}
	v.attempt = s.back.n
	return v
}

// waitForHost waits for the prober of a dead host.
func (s *stream) waitForHost(ctx context.Context, v verdict) {
	if s.now() != model.Backoff || v.up != nil {
		s.to(model.Backoff, v)
	}
	d := time.Duration(-1)
	if v.up == nil {
		d = max(time.Until(v.until), 0)
	}
	s.wait(ctx, d, v.up)
	if v.up != nil && s.gate.probing() == nil {
		s.wait(ctx, s.jitter(s.e.o.Timings.MinLife/4), nil) // not all at once
	}
}

// watchAgain lets the user's retry try a watch that was refused.
func (s *stream) watchAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.retry && s.t.mayWatch() {
		s.polling = false
	}
}

// say publishes a change of method, which is no change of state where a sync
// is under way.
func (s *stream) say(v verdict) {
	state := s.now()
	switch state {
	case model.Connecting, model.Syncing, model.Relisting:
	default:
		state = model.Connecting
	}
	s.to(state, v)
}
