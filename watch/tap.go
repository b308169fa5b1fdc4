package watch

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// exchange is what the tap saw of one request. The plain fields are written
// before the response is handed up and only read afterwards.
type exchange struct {
	sent       time.Time
	status     int
	proto      string        // "HTTP/2.0"
	header     []string      // of the answer: see keepHeaders
	wait       time.Duration // for the headers
	retryAfter time.Duration
	bytes      atomic.Int64 // of the body, after decompression
	away       stall
}

// exchangeKey is the context key of the exchange of a request.
type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// tap is the wrapper below authentication. It sees bearer tokens on their way
// out and therefore keeps nothing of a request, only parts of the response.
type tap struct {
	next    http.RoundTripper
	cluster *Cluster
}

// RoundTrip implements http.RoundTripper.
func (t tap) RoundTrip(r *http.Request) (*http.Response, error) {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	if x == nil {
		return t.next.RoundTrip(r)
	}
	x.sent = time.Now()
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	x.status, x.proto = resp.StatusCode, resp.Proto
	x.header, x.wait = keepHeaders(resp.Header), time.Since(x.sent)
	if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
		x.retryAfter = min(time.Duration(min(n, 1e6))*time.Second, maxRetryAfter)
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		t.cluster.sawDate(date, x.sent, time.Now())
	}
	resp.Body = &tapBody{ReadCloser: resp.Body, x: x}
	return resp, nil
}

// WrappedRoundTripper lets client-go look through the wrapper.
func (t tap) WrappedRoundTripper() http.RoundTripper { return t.next }

// tapBody counts what is read and how long nobody came to read.
type tapBody struct {
	io.ReadCloser
	x *exchange
}

func (b *tapBody) Read(p []byte) (int, error) {
	b.x.away.back(time.Now())
	n, err := b.ReadCloser.Read(p)
	b.x.bytes.Add(int64(n))
	b.x.away.left(time.Now())
	return n, err
}

// stall measures our own slowness: the time between two reads of a body, in
// which the server could not get rid of its frames. It belongs to the reading
// goroutine.
type stall struct {
	since   time.Time // the end of the last read
	longest time.Duration
	at      time.Time // when the longest one ended
}

// stallWindow is how long a stall is held against us: a server gives up on a
// slow reader within seconds.
const stallWindow = 30 * time.Second

func (s *stall) left(now time.Time) { s.since = now }

func (s *stall) back(now time.Time) {
	if s.since.IsZero() {
		return
	}
	if d := now.Sub(s.since); d >= s.longest || now.Sub(s.at) > stallWindow {
		s.longest, s.at = d, now
	}
}

// recent is the longest stall of the last stallWindow.
func (s *stall) recent(now time.Time) time.Duration {
	if now.Sub(s.at) > stallWindow {
		return 0
	}
	return s.longest
}
