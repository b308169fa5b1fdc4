package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Request is one HTTP request of a stream, as far as it has come when a step
// tells of it: several steps may tell of the same one, each more of it. What
// leaves with a request is not in it but for its URL; of the answer it has the
// headers that say how the request fared. Texts of the server are bounded and
// not yet sanitised.
type Request struct {
	Number int64     // from 1 in its stream, in the order of sending
	Verb   string    // one of the verbs below
	Path   string    // "/api/v1/namespaces/shop/pods", without what stands before the API on the server
	Query  string    // the parameters as they were sent, but for a continue token, of which only the beginning is kept
	Sent   time.Time // zero before it left
	Status int       // of HTTP; 0 before the headers came
	Proto  string    // "HTTP/2.0"
	Header []string  // of the answer, "Audit-Id: 7e3c…"
	Wait   time.Duration
	Took   time.Duration // until now, or until its end; Wait is the part of it until the headers
	Bytes  int64         // of the body, unpacked
	Frames int64         // of a watch; items of a list
	Ended  bool
	Cause  Cause  // why it ended; none where it was read to its end in order
	Text   string // how it ended, for people
}

// Verbs of requests.
const (
	VerbList      = "list"
	VerbWatch     = "watch"
	VerbWatchList = "watch-list" // a watch that begins with the present state
	VerbDiscovery = "discovery"
)

// String says everything, for comparing and for tests.
func (r *Request) String() string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("{#%d %s %s?%s sent %d: %d %s %q wait %d took %d bytes %d frames %d ended %v %s %q}", r.Number, r.Verb, r.Path, r.Query,
		r.Sent.UnixNano(), r.Status, r.Proto, r.Header, r.Wait, r.Took, r.Bytes, r.Frames, r.Ended, r.Cause, r.Text)
}

// URL is the path with its parameters.
func (r *Request) URL() string {
	if r.Query == "" {
		return r.Path
	}
	return r.Path + "?" + r.Query
}

// Get returns the first value of a header, "" if there is none.
func (r *Request) Get(name string) string {
	for _, h := range r.Header {
		if n, v, ok := strings.Cut(h, ": "); ok && strings.EqualFold(n, name) {
			return v
		}
	}
	return ""
}

// Skew is how far the server's clock was ahead of ours, good to about a second:
// its Date has whole seconds, so the middle of that one is compared with the
// middle of the wait. Headers that came late tell nothing.
func (r *Request) Skew() (ahead time.Duration, known bool) {
	date, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", r.Get("Date"))
	if err != nil || r.Wait > time.Second {
		return 0, false
	}
	return date.Add(500 * time.Millisecond).Sub(r.Sent.Add(r.Wait / 2)), true
}

// equal reports whether two tell the same.
func (r *Request) equal(o *Request) bool {
	if r == nil || o == nil {
		return r == o
	}
	a, b := *r, *o
	sent := a.Sent.Equal(b.Sent) && slices.Equal(a.Header, b.Header)
	a.Sent, b.Sent, a.Header, b.Header = time.Time{}, time.Time{}, nil, nil
	return sent && a.String() == b.String()
}

// Bare reports whether a step only tells of a request and changes nothing.
func (t Transition) Bare() bool {
	return t.From == t.To && t.Request != nil && t.Cause == CauseNone && t.Text == "" && t.Total == 0
}

// Equal reports whether two steps are the same: == also asks whether what they
// tell of their requests lies in the same place.
func (t Transition) Equal(o Transition) bool {
	same := t.Request.equal(o.Request)
	t.Request, o.Request = nil, nil
	return same && t == o
}

// memory is what a request takes in a log, in bytes.
func (r *Request) memory() int64 {
	n := len(r.Path) + len(r.Query) + len(r.Text)
	for _, h := range r.Header {
		n += len(h) + 16
	}
	return 256 + rounded(n)
}

// detailMemory is what a detail takes in a log, in bytes.
func detailMemory(d any) int64 {
	const detail = 320
	if t, ok := d.(Transition); ok && t.Request != nil {
		return detail + t.Request.memory()
	}
	return detail
}
