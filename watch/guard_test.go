package watch

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
)

// nothing is a transport that counts what would have been sent.
type nothing struct{ sent int }

func (n *nothing) RoundTrip(r *http.Request) (*http.Response, error) {
	n.sent++
	return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
}

// closing notes that a request's body was closed.
type closing struct {
	*strings.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestGuardLetsOnlyReadsOut(t *testing.T) {
	const review = "http://c/prefix/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
	for _, c := range []struct {
		method, url, upgrade string
		allowed              bool
	}{
		{"GET", "http://c/api/v1/pods", "", true},
		{"GET", "http://c/api/v1/pods?watch=true", "", true},
		{"POST", review, "", true},
		{"POST", review + "?dryRun=All", "", true},
		{"GET", "http://c/api/v1/namespaces/a/pods/b/exec?command=sh", "websocket", false},
		{"POST", "http://c/api/v1/namespaces/a/pods", "", false},
		{"POST", "http://c/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "", false},
		{"POST", "http://c/apis/authorization.k8s.io/v1/subjectaccessreviews", "", false},
		{"PUT", review, "", false},
		{"PUT", "http://c/api/v1/namespaces/a/pods/b", "", false},
		{"PATCH", "http://c/api/v1/namespaces/a/pods/b", "", false},
		{"DELETE", "http://c/api/v1/namespaces/a/pods/b", "", false},
		{"DELETE", "http://c/api/v1/pods", "", false},
		{"CONNECT", "http://c/api/v1/nodes/a/proxy", "", false},
		{"HEAD", "http://c/", "", false},
		{"get", "http://c/", "", false},
	} {
		n := &nothing{}
		body := &closing{Reader: strings.NewReader("x")}
		r, err := http.NewRequest(c.method, c.url, body)
		if err != nil {
			t.Fatal(err)
		}
		if c.upgrade != "" {
			r.Header.Set("Upgrade", c.upgrade)
		}
		resp, err := Guard(n).RoundTrip(r)
		if resp != nil {
			_ = resp.Body.Close()
		}
		if (err == nil) != c.allowed || (n.sent == 1) != c.allowed {
			t.Errorf("%s %s: sent %d, error %v", c.method, c.url, n.sent, err)
		}
		if !c.allowed && !body.closed {
			t.Errorf("%s %s: the body was left open", c.method, c.url)
		}
	}
}

// TestClusterCannotWrite tries it with the real client, so that the guard is
// known to be in its transport.
func TestClusterCannotWrite(t *testing.T) {
	defer noLeaks(t, goleak.IgnoreCurrent())
	sent := 0
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent++
		w.Header().Set("Content-Type", "application/json")
	}))
	defer h.Close()
	c, err := NewCluster("test", &rest.Config{Host: h.URL, BearerToken: "SENTINEL"}, ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, verb := range []string{"POST", "PUT", "PATCH", "DELETE"} {
		_, err := c.client.Verb(verb).AbsPath("/api/v1/namespaces/shop/pods/a").Body([]byte("{}")).DoRaw(t.Context())
		if err == nil || !strings.Contains(err.Error(), "rewatch only reads") || strings.Contains(err.Error(), "SENTINEL") {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if sent != 0 {
		t.Fatalf("%d requests left the process", sent)
	}
	if _, err := c.client.Get().AbsPath("/version").DoRaw(t.Context()); err != nil || sent != 1 {
		t.Errorf("a read: %v, %d", err, sent)
	}
}

func TestClusterKeepsItsOwnTransport(t *testing.T) {
	cfg := &rest.Config{Host: "https://c.test:6443", TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	a, err := NewCluster("a", cfg, ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Host() != "c.test:6443" || a.Name() != "a" || cfg.Dial != nil || cfg.QPS != 0 || cfg.WrapTransport != nil {
		t.Errorf("host %q; the caller's config was changed: %+v", a.Host(), cfg)
	}
	b, err := NewCluster("b", &rest.Config{Host: "http://c.test"}, ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for rt := http.RoundTripper(b.http.Transport); rt != nil; {
		if rt == http.DefaultTransport {
			t.Error("plain HTTP uses the transport of the whole process")
		}
		w, ok := rt.(interface{ WrappedRoundTripper() http.RoundTripper })
		if !ok {
			break
		}
		rt = w.WrappedRoundTripper()
	}
}
