package watch

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
)

// keptHeaders are the headers of an answer that say how the request fared. All
// others stay where they are, those of the request above all.
var keptHeaders = [...]string{"Audit-Id", "Content-Type", "Date", "Retry-After", "Server", "Via", "Warning",
	"X-Kubernetes-Pf-Flowschema-Uid", "X-Kubernetes-Pf-Prioritylevel-Uid"}

// maxHeaders bounds how often one header is kept: a server may repeat it.
const maxHeaders = 8

func keepHeaders(h http.Header) (kept []string) {
	for _, name := range keptHeaders {
		values := h.Values(name)
		for _, v := range values[:min(len(values), maxHeaders)] {
			kept = append(kept, name+": "+quote(v))
		}
	}
	return kept
}

// tokenShown is how much of a continue token is kept, in bytes: enough to tell
// two of them apart, and not what it holds.
const tokenShown = 12

// address is the path of a request below the server's own, and its parameters.
func (f *flight) address(path []string, r *rest.Request) {
	f.path = "/" + strings.Join(path, "/")
	parts := strings.Split(r.URL().RawQuery, "&")
	for i, p := range parts {
		if token, ok := strings.CutPrefix(p, "continue="); ok {
			if plain, err := url.QueryUnescape(token); err == nil && len(plain) > tokenShown {
				parts[i] = "continue=" + url.QueryEscape(plain[:tokenShown]+"…")
			}
		}
	}
	f.query = strings.Join(parts, "&")
}

// name is the verb of a request as the log tells it.
func (k kind) name() string {
	switch k {
	case reqWatch:
		return model.VerbWatch
	case reqWatchList:
		return model.VerbWatchList
	case reqDiscovery:
		return model.VerbDiscovery
	}
	return model.VerbList
}

// request is what a step tells of its request: of the one that the verdict is
// about, the open one, the one that is about to leave, or the one that ended
// without a step of its own. s.mu is held.
func (s *stream) tell(v verdict) *model.Request {
	f := cmp.Or(v.flight, s.flight, v.next, s.past)
	if f == nil || f.kind == reqQueued {
		return nil
	}
	if f == s.past {
		s.past = nil
	}
	r := &model.Request{Number: f.number, Verb: f.kind.name(), Path: f.path, Query: f.query, Sent: f.start,
		Bytes: f.x.bytes.Load(), Frames: f.frames.Load(), Ended: f.ended}
	if f != v.next {
		r.Took = time.Since(f.start)
	}
	if f.ended {
		r.Took = f.took
		if r.Cause, r.Text = f.how.told(); r.Text == "" {
			r.Cause, r.Text = v.told()
		}
	}
	if f.ended || f.opened.Load() { // the tap has written by now
		r.Status, r.Proto, r.Header, r.Wait = f.x.status, f.x.proto, f.x.header, f.x.wait
		if !f.x.sent.IsZero() {
			r.Sent = f.x.sent
		}
	}
	return r
}

// tellPast gives a request that ended without a step one that changes nothing.
func (s *stream) tellPast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.past != nil {
		s.toLocked(s.state, verdict{})
	}
}

// outcome says how a request ended of which no verdict will: it is called with
// the cause of its context before that is cancelled in order.
func (f *flight) outcome(why error) {
	switch {
	case f.how.text != "":
	case errors.Is(why, errInterrupt):
		f.how = failure{cause: model.CauseUser, text: "given up by rewatch: paused, retried or woken"}
	case errors.Is(why, context.Canceled):
		f.how = failure{cause: model.CauseShutdown, text: "given up by rewatch: the stream was ended"}
	}
}
