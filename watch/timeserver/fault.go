package timeserver

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// Fault is what a request suffers that it matches. Counts of frames include
// bookmarks; 0 switches that fault off, and a negative count means at once
// after the headers.
type Fault struct {
	// Match picks the requests; nil is any watch. See [Watches], [Lists].
	Match func(*http.Request) bool
	// Times is how many requests suffer; 0 is all, until the fault is removed.
	Times int

	// HeaderDelay is how long the answer's headers are held back.
	HeaderDelay time.Duration
	Hang        bool // no answer ever, while the connection stays alive
	Abort       bool // cut without an answer
	// GoAway tells an HTTP/2 client to use another connection for its next
	// requests (on HTTP/1.1: closes this one after the answer).
	GoAway bool

	// Status answers with an HTTP status and a Status object, which Reason
	// (default: what fits the code), Message and RetryAfter (whole seconds,
	// also as a header) describe. Err, an API error such as [TooLarge], comes
	// before it.
	Status          int
	Reason, Message string
	RetryAfter      time.Duration
	Err             error
	// Body answers 200 with these bytes; ContentType "" is application/json.
	Body        []byte
	ContentType string

	// The rest is for watches. Close ends the response in order. Cut aborts
	// it: a closed connection, or RST_STREAM on HTTP/2; with CutMidFrame in
	// the middle of the next frame. Silent sends nothing more.
	CloseAfter     int
	CloseAfterTime time.Duration
	CutAfter       int
	CutAfterTime   time.Duration
	CutMidFrame    bool
	SilentAfter    int
	// ErrorFrame, a Status in JSON (see [ErrorStatus]), is sent as an ERROR
	// after ErrorAfter frames; then the watch ends. ErrorAfter 0 is at once.
	ErrorFrame []byte
	ErrorAfter int

	NoEndBookmark bool // leave out the initial-events-end bookmark
	NoBookmarks   bool // leave out all bookmarks
	// RV, if not nil, replaces every resourceVersion that is sent, of objects,
	// bookmarks and lists.
	RV         *string
	FrameDelay time.Duration // before each frame
	// Frame, if not nil, gives what is sent in place of a frame: no bytes, a
	// frame twice, another type. See [EncodeFrame].
	Frame func(typ watch.EventType, object []byte) []byte
}

// injected is a fault in force.
type injected struct {
	Fault
	left int
}

// Inject puts a fault in force until it is removed or has hit Times requests.
// Of several that match one request, the first injected hits.
func (s *Server) Inject(f Fault) (remove func()) {
	in := &injected{f, f.Times}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, in)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.drop(in)
	}
}

func (s *Server) drop(in *injected) {
	s.faults = slices.DeleteFunc(s.faults, func(f *injected) bool { return f == in })
}

// takeFault finds the fault that a request suffers. The caller holds mu.
func (s *Server) takeFault(r *http.Request) *Fault {
	for _, in := range s.faults {
		match := in.Match
		if match == nil {
			match = Watches("")
		}
		if !match(r) {
			continue
		}
		if in.left > 0 {
			if in.left--; in.left == 0 {
				s.drop(in)
			}
		}
		return &in.Fault
	}
	return nil
}

// Watches matches the watches of a resource, given as its plural; "" is any.
func Watches(resource string) func(*http.Request) bool { return matches("watch", resource) }

// Lists matches the lists of a resource, given as its plural; "" is any.
func Lists(resource string) func(*http.Request) bool { return matches("list", resource) }

func matches(verb, resource string) func(*http.Request) bool {
	return func(r *http.Request) bool {
		t := parseTarget(r)
		return t.isResource() && t.verb == verb && t.resource != "" && (resource == "" || t.resource == resource)
	}
}

// suffer does what a fault does before the answer; it reports whether the
// request is to be answered still.
func (x *exchange) suffer() bool {
	f := x.fault
	if f.HeaderDelay > 0 && !x.sleep(f.HeaderDelay) {
		return false
	}
	switch {
	case f.Hang:
		x.hang()
		return false
	case f.Abort:
		abort()
	case f.GoAway:
		x.w.Header().Set("Connection", "close")
	}
	switch {
	case f.Err != nil:
		x.fail(f.Err)
	case f.Status != 0:
		x.fail(f.statusError())
	case f.Body != nil:
		ct := f.ContentType
		if ct == "" {
			ct = "application/json"
		}
		x.w.Header().Set("Content-Type", ct)
		_, _ = x.w.Write(f.Body)
	default:
		return true
	}
	return false
}

// sleep waits, and reports whether the request is still there.
func (x *exchange) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.r.Context().Done():
		x.hang()
		return false
	}
}

// hang holds the request until the client leaves or the server cuts it.
func (x *exchange) hang() {
	ctx := x.r.Context()
	<-ctx.Done()
	if errors.Is(context.Cause(ctx), errCut) {
		abort()
	}
}

func (f *Fault) statusError() error {
	reason := metav1.StatusReason(f.Reason)
	if reason == "" {
		reason = reasons[f.Status]
	}
	message := f.Message
	if message == "" {
		message = http.StatusText(f.Status)
	}
	st := metav1.Status{Status: metav1.StatusFailure, Code: int32(f.Status), Reason: reason, Message: message}
	if f.RetryAfter > 0 {
		st.Details = &metav1.StatusDetails{RetryAfterSeconds: int32((f.RetryAfter + time.Second - 1) / time.Second)}
	}
	return &apierrors.StatusError{ErrStatus: st}
}

var reasons = map[int]metav1.StatusReason{ // never changed
	http.StatusBadRequest:          metav1.StatusReasonBadRequest,
	http.StatusUnauthorized:        metav1.StatusReasonUnauthorized,
	http.StatusForbidden:           metav1.StatusReasonForbidden,
	http.StatusNotFound:            metav1.StatusReasonNotFound,
	http.StatusMethodNotAllowed:    metav1.StatusReasonMethodNotAllowed,
	http.StatusGone:                metav1.StatusReasonExpired,
	http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
	http.StatusTooManyRequests:     metav1.StatusReasonTooManyRequests,
	http.StatusInternalServerError: metav1.StatusReasonInternalError,
	http.StatusServiceUnavailable:  metav1.StatusReasonServiceUnavailable,
	http.StatusGatewayTimeout:      metav1.StatusReasonTimeout,
}

// alterPage does to a list what the fault does to the objects of a watch.
func (f *Fault) alterPage(p *page) {
	if f == nil || f.RV == nil {
		return
	}
	p.rv = *f.RV
	for i, o := range p.objects {
		c := *o
		c.raw, _ = stampRV(o.raw, *f.RV)
		p.objects[i] = &c
	}
}

// ErrorStatus is the JSON of a Status, for Fault.ErrorFrame.
func ErrorStatus(code int, reason, message string) []byte {
	f := Fault{Status: code, Reason: reason, Message: message}
	return mustJSON(statusOf(f.statusError()))
}

// ExpiredStatus is the Status of a 410 with the words of a kube-apiserver.
func ExpiredStatus(rv, oldest int64) []byte { return mustJSON(statusOf(tooOld(rv, oldest))) }

// Initialising is the fault of a server whose watch cache is not ready.
func Initialising(retryAfter time.Duration) Fault {
	return Fault{Status: http.StatusTooManyRequests, RetryAfter: retryAfter, Message: "storage is (re)initializing"}
}

// EncodeFrame is one frame as it goes over the wire.
func EncodeFrame(typ watch.EventType, object []byte) []byte {
	b := make([]byte, 0, len(object)+40)
	b = append(b, `{"type":`...)
	b = strconv.AppendQuote(b, string(typ))
	b = append(b, `,"object":`...)
	b = append(b, object...)
	return append(b, "}\n"...)
}
