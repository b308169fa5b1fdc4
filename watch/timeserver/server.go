package timeserver

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/watch/timeserver/table"
)

// Options of a [Server]. The zero value behaves like a kube-apiserver 1.37
// with its defaults that allows everybody to read everything.
type Options struct {
	// BookmarkEvery is the interval of periodic bookmarks; 0 means 60 s.
	BookmarkEvery time.Duration
	// Still sends bookmarks also where nothing has moved since the watch began.
	// In a cluster something always does, and a watch that hears nothing is
	// taken for broken; a recorded moment stands.
	Still bool
	// TooLargeWait is how long a request for a resourceVersion in the future
	// waits for it before it is answered 504; 0 means 3 s.
	TooLargeWait time.Duration
	// WatchTimeout is the life of a watch that asks for no timeoutSeconds;
	// 0 means 30 to 60 minutes at random.
	WatchTimeout time.Duration
	// WatchBuffer is how many changes a reader may be behind, and SlowGrace
	// for how long, before its watch is cut; 0 means 1000 changes and 1 s.
	WatchBuffer int
	SlowGrace   time.Duration
	// ExpiredStatus answers a watch from an expired resourceVersion with HTTP
	// status 410; otherwise it is a 200 and an ERROR frame. Servers do both.
	ExpiredStatus bool
	// NoWatchList refuses sendInitialEvents with 422, as servers do on which
	// that feature is off.
	NoWatchList bool
	// Allow says who may do what: the answer to SelfSubjectAccessReviews, and
	// a 403 for requests. nil allows get, list and watch of everything.
	Allow func(Access) bool
	// Authenticate reports whether a request comes from a known user; the
	// others are answered 401. nil knows everybody.
	Authenticate func(*http.Request) bool
	// Hosts are the names and addresses, without port, that a request's Host
	// may name, as a protection against web pages that point a name of their
	// own at this server. Empty is any.
	Hosts []string
	// Coverage says what is known of what a request asks for; nil knows
	// everything.
	Coverage Coverage
	// ReadOnly says to who wants to write why that cannot be; nil is a general
	// text.
	ReadOnly func() string
	// Version is the gitVersion that /version answers; "" is the one whose
	// answers are given here.
	Version string
	// Now is the moment that ages in tables are relative to; nil is time.Now.
	Now func() time.Time
}

// apiVersion is the one of Kubernetes whose answers are given here.
const apiVersion = "v1.37.2"

// Access is what somebody wants to do.
type Access struct {
	Verb            string // get, list, watch, …
	Group, Resource string
	Namespace, Name string // "" is all
}

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.BookmarkEvery, time.Minute)
	def(&o.TooLargeWait, 3*time.Second)
	def(&o.SlowGrace, time.Second)
	if o.WatchBuffer == 0 {
		o.WatchBuffer = 1000
	}
	if o.Version == "" {
		o.Version = apiVersion
	}
	if o.ReadOnly == nil {
		o.ReadOnly = func() string { return "rewatch serves the past read-only" }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Allow == nil {
		o.Allow = func(a Access) bool { return a.Verb == "get" || a.Verb == "list" || a.Verb == "watch" }
	}
	return o
}

// Server serves a [Store] over HTTP. It is an http.Handler; [Start] and
// [NewEndpoint] give it a port on loopback.
type Server struct {
	store    *Store
	o        Options
	printers table.Builtins

	mu     sync.Mutex
	faults []*injected
	open   map[*exchange]struct{}
	past   []Request
	first  int // index of past[0] among all requests ever

	definitions map[definitionOf]*definition // those looked at so far; nil where they are none
}

// NewServer makes a server over a store.
func NewServer(store *Store, o Options) *Server {
	return &Server{store: store, o: o.withDefaults(), printers: table.NewBuiltins(), open: map[*exchange]struct{}{},
		definitions: map[definitionOf]*definition{}}
}

// Store is what the server serves.
func (s *Server) Store() *Store { return s.store }

// exchange is one request on its way.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request // its context ends when the exchange is cut
	req    target
	fault  *Fault // nil without one
	cancel context.CancelCauseFunc
	index  int // among all requests ever
	status int // that was written
	silent atomic.Bool
}

var errCut = errors.New("cut by the server")

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	x := &exchange{w: w, cancel: cancel, req: parseTarget(r)}
	x.r = r.WithContext(ctx)
	s.begin(x)
	defer s.end(x)
	w.Header().Set("Audit-Id", newUID())
	w.Header().Set("Cache-Control", "no-cache, private")
	if x.fault != nil && !x.suffer() {
		return
	}
	err := s.serve(x)
	if context.Cause(ctx) == errCut {
		abort()
	}
	if err != nil {
		x.fail(err)
	}
}

// abort ends a response in the rudest way: HTTP/1.1 closes the connection
// without the last chunk, HTTP/2 sends RST_STREAM.
func abort() { panic(http.ErrAbortHandler) }

// serve answers a request that no fault has answered. The error is for
// answers that have not begun.
func (s *Server) serve(x *exchange) error {
	if !s.welcome(x.r) {
		return statusError(http.StatusForbidden, metav1.StatusReasonForbidden,
			"rewatch answers only to its own address, and not to web pages")
	}
	if s.o.Authenticate != nil && !s.o.Authenticate(x.r) {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	if review := reviews[x.req.group+"/"+x.req.version+"/"+x.req.resource]; review != nil {
		return review(s, x)
	}
	switch {
	case !x.req.isResource() || x.req.resource == "":
		return s.serveOther(x)
	}
	t := s.store.lookup(x.req.group, x.req.version, x.req.resource)
	if t == nil || !x.req.fits(t.Resource) {
		return x.notServed()
	}
	if absent := s.absent(x, t); absent != nil {
		return absent
	}
	if x.req.verb != "get" && x.req.verb != "list" && x.req.verb != "watch" {
		return s.readOnly(t.Resource, x.req.verb)
	}
	if a := x.req.access(); !s.o.Allow(a) {
		return forbidden(a)
	}
	if s.o.Coverage != nil {
		warnings, err := s.o.Coverage(x.req.access())
		if err != nil {
			return err
		}
		x.warn(warnings)
	}
	if x.req.sub != "" {
		return x.notServed() // no status, no scale: the past has none
	}
	form, err := s.represent(x, t)
	if err != nil {
		return err
	}
	switch x.req.verb {
	case "watch":
		return s.watch(x, t, form)
	case "list":
		return s.list(x, t, form)
	}
	o := s.store.get(t, x.req.namespace, x.req.name)
	if o == nil {
		return apierrors.NewNotFound(t.groupResource(), x.req.name)
	}
	x.json(http.StatusOK, form.object(o.raw))
	return nil
}

// absent answers for what a recording cannot have: logs, shells, ports.
func (s *Server) absent(x *exchange, t *shelf) error {
	what, _, _ := strings.Cut(x.req.sub, "/")
	no := map[string]string{"log": "logs of", "exec": "processes in", "attach": "processes in", "portforward": "ports of", "proxy": "ports of"}[what]
	if no == "" {
		return nil
	}
	message := fmt.Sprintf("%s, and there are no %s %s %q", s.o.ReadOnly(), no, t.singular(), x.req.name)
	if what == "log" {
		return statusError(http.StatusNotFound, metav1.StatusReasonNotFound, message)
	}
	return statusError(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, message)
}

// welcome reports whether a request names this server, and no web page sent
// it.
func (s *Server) welcome(r *http.Request) bool {
	if len(s.o.Hosts) == 0 {
		return true
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return slices.Contains(s.o.Hosts, strings.Trim(host, "[]")) && r.Header.Get("Origin") == ""
}

// BearerToken knows those who send a token.
func BearerToken(token string) func(*http.Request) bool {
	want := []byte("Bearer " + token)
	return func(r *http.Request) bool {
		return subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) == 1
	}
}

// CloseAll cuts every request that is being answered, in the middle of
// whatever it is sending.
func (s *Server) CloseAll() { s.Cut(func(*http.Request) bool { return true }) }

// Cut is [Server.CloseAll] for the requests that match.
func (s *Server) Cut(match func(*http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range s.open {
		if !match(x.r) {
			continue
		}
		x.cancel(errCut)
		// A write that waits for a slow reader would not notice.
		_ = http.NewResponseController(x.w).SetWriteDeadline(time.Unix(1, 0))
	}
}

// Silence makes the open watches that match send nothing more, while their
// connections stay alive; it returns how many there are.
func (s *Server) Silence(match func(*http.Request) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for x := range s.open {
		if x.req.verb == "watch" && match(x.r) {
			x.silent.Store(true)
			n++
		}
	}
	return n
}

// OpenWatches is how many watches are being served now.
func (s *Server) OpenWatches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for x := range s.open {
		if x.req.verb == "watch" {
			n++
		}
	}
	return n
}
