package watch

import (
	"fmt"
	"net/http"
	"strings"
)

// reviewPath ends the one URL that rewatch may POST to: asking what this user
// may do. It changes nothing.
const reviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

// Guard wraps a transport so that only reading requests leave the process:
// GET (get, list, watch, discovery) and the POST of a SelfSubjectAccessReview.
// Everything else fails before it is sent. Use it on every rest.Config that
// talks to a cluster: cfg.Wrap(watch.Guard). NewCluster applies it by itself.
func Guard(next http.RoundTripper) http.RoundTripper { return guard{next} }

type guard struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := readOnly(r); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it, even on errors
		}
		return nil, err
	}
	return g.next.RoundTrip(r)
}

// WrappedRoundTripper lets client-go look through the wrapper.
func (g guard) WrappedRoundTripper() http.RoundTripper { return g.next }

func readOnly(r *http.Request) error {
	switch {
	case r.Method == http.MethodGet && r.Header.Get("Upgrade") == "":
		return nil
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, reviewPath):
		return nil
	}
	return fmt.Errorf("rewatch only reads: refused to send %s %s", r.Method, r.URL.Path)
}

// closeIdle closes the idle connections of the innermost transport that has
// any, so that no goroutine of it outlives the engine.
func closeIdle(rt http.RoundTripper) {
	for rt != nil {
		if c, ok := rt.(interface{ CloseIdleConnections() }); ok {
			c.CloseIdleConnections()
		}
		w, ok := rt.(interface{ WrappedRoundTripper() http.RoundTripper })
		if !ok {
			return
		}
		rt = w.WrappedRoundTripper()
	}
}
