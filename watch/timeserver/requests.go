package timeserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// keptRequests bounds [Server.Requests]: a demo may run for days.
const keptRequests = 4096

// Request is what a server remembers of one request. It holds no header that
// could be a credential.
type Request struct {
	Time                       time.Time
	Method, Path               string
	Query                      url.Values
	Proto                      string // "HTTP/1.1", "HTTP/2.0"
	Accept, UserAgent          string
	Verb                       string // get, list, watch, create, …
	Group, Resource, Namespace string // of a resource request
	Status                     int    // of the answer, 0 as long as there is none
	Faulty                     bool   // it met a fault
}

// Requests are the requests so far, in order of arrival; of many, the last
// few thousand.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.past)
}

// begin records a request and finds the fault that it has to suffer.
func (s *Server) begin(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.fault = s.takeFault(x.r)
	if len(s.past) == keptRequests {
		n := keptRequests / 4
		s.past = slices.Delete(s.past, 0, n)
		s.first += n
	}
	x.index = s.first + len(s.past)
	s.past = append(s.past, Request{
		Time: time.Now(), Method: x.r.Method, Path: x.r.URL.Path, Query: x.r.URL.Query(), Proto: x.r.Proto,
		Accept: x.r.Header.Get("Accept"), UserAgent: x.r.UserAgent(),
		Verb: x.req.verb, Group: x.req.group, Resource: x.req.resource, Namespace: x.req.namespace,
		Faulty: x.fault != nil,
	})
	s.open[x] = struct{}{}
	x.w = &statusWriter{ResponseWriter: x.w, sent: func(code int) { s.answered(x, code) }}
}

func (s *Server) end(x *exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, x)
}

func (s *Server) answered(x *exchange, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.status = code
	if i := x.index - s.first; i >= 0 {
		s.past[i].Status = code
	}
}

// statusWriter tells which status an answer had, when it is sent.
type statusWriter struct {
	http.ResponseWriter
	sent func(code int)
	done bool
}

func (w *statusWriter) WriteHeader(code int) {
	if !w.done {
		w.done = true
		w.sent(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if !w.done {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// target is what a request is about.
type target struct {
	group, version, resource string
	namespace, name, sub     string
	verb                     string
	inNamespace              bool // the path has a namespace part
}

// parseTarget reads a path as a kube-apiserver does
// (k8s.io/apiserver/pkg/endpoints/request, RequestInfoFactory).
func parseTarget(r *http.Request) target {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	var t target
	switch {
	case parts[0] == "api" && len(parts) >= 2:
		t.version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) >= 3:
		t.group, t.version, parts = parts[1], parts[2], parts[3:]
	default:
		t.verb = strings.ToLower(r.Method)
		return t
	}
	if len(parts) >= 3 && parts[0] == "namespaces" {
		t.namespace, t.inNamespace, parts = parts[1], true, parts[2:]
	}
	for i, p := range []*string{&t.resource, &t.name, &t.sub} {
		if i < len(parts) {
			*p = parts[i]
		}
	}
	if len(parts) > 3 {
		t.sub = strings.Join(parts[2:], "/")
	}
	t.verb = verbOf(r, t.name != "")
	return t
}

func verbOf(r *http.Request, named bool) string {
	switch r.Method {
	case http.MethodGet:
		if w := r.URL.Query().Get("watch"); !named && (w == "true" || w == "1") {
			return "watch"
		}
		if !named {
			return "list"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	case http.MethodDelete:
		if !named {
			return "deletecollection"
		}
	}
	return strings.ToLower(r.Method)
}

func (t target) isResource() bool { return t.version != "" }

// fits reports whether the path has the form of the resource's scope.
func (t target) fits(r Resource) bool {
	switch {
	case t.inNamespace:
		return r.Namespaced
	case t.name != "":
		return !r.Namespaced
	}
	return true
}

func (t target) access() Access {
	return Access{Verb: t.verb, Group: t.group, Resource: t.resource, Namespace: t.namespace, Name: t.name}
}
