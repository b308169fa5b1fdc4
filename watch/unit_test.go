package watch

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/timeserver"
)

func TestMachineIsClosed(t *testing.T) {
	// Every state can be left for STOPPED, and every state is some state's next.
	targets := map[model.State]bool{}
	for from, next := range transitions {
		if !legal(from, model.Stopped) {
			t.Errorf("no way from %v to STOPPED", from)
		}
		seen := map[model.State]bool{}
		for _, to := range next {
			if seen[to] {
				t.Errorf("%v → %v stands twice", from, to)
			}
			seen[to], targets[to] = true, true
			if _, ok := transitions[to]; !ok {
				t.Errorf("%v → %v leads out of the table", from, to)
			}
		}
	}
	for s := model.Idle; s <= model.Polling; s++ {
		if _, ok := transitions[s]; !ok || s != model.Idle && !targets[s] {
			t.Errorf("the state %v is not in the table", s)
		}
	}
	for _, bad := range [][2]model.State{{model.Paused, model.Live}, {model.Backoff, model.Live}, {model.Idle, model.Live},
		{model.Stopped, model.Live}, {model.Quiet, model.Overdue}} {
		if legal(bad[0], bad[1]) {
			t.Errorf("%v → %v is allowed", bad[0], bad[1])
		}
	}
}

func TestBackoff(t *testing.T) {
	timings := Timings{}.withDefaults()
	b := backoff{t: &timings, rand: func() float64 { return 1 }}
	now := time.Unix(0, 0)
	want := []time.Duration{100, 200, 400, 800, 1600, 3200, 5000, 5000}
	for i, w := range want {
		if d := b.fail(now, 0); d != w*time.Millisecond {
			t.Errorf("wait %d is %v", i, d)
		}
	}
	if d := b.fail(now.Add(59*time.Second), 0); d != 5*time.Second {
		t.Errorf("before a minute: %v", d)
	}
	if d := b.fail(now.Add(time.Minute), 0); d != 30*time.Second {
		t.Errorf("after a minute: %v", d)
	}
	if d := b.fail(now.Add(time.Minute), 90*time.Second); d != 120*time.Second {
		t.Errorf("with Retry-After: %v", d)
	}
	b.lived(9 * time.Second)
	if b.n == 0 {
		t.Error("nine seconds of life are not health")
	}
	b.lived(10 * time.Second)
	if d := b.fail(now.Add(time.Hour), 0); d != 100*time.Millisecond {
		t.Errorf("after health: %v", d)
	}
	b.rand = func() float64 { return 0 }
	if d := b.fail(now, 3*time.Second); d != 3*time.Second {
		t.Errorf("Retry-After is a floor: %v", d)
	}
}

func TestClassify(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	dial := func(err error) error {
		return &url.Error{Op: "Get", URL: "https://secret.host/", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	generic := func(code int, body string) error {
		return apierrors.NewGenericServerResponse(code, "GET", pods, "", body, 0, true)
	}
	for _, c := range []struct {
		err       error
		cause     model.Cause
		text      string
		unreached bool
	}{
		{dial(syscall.ECONNREFUSED), model.CauseRefused, "connection refused", true},
		{dial(&net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}), model.CauseDNS, "no such host", true},
		{dial(errors.New("i/o timeout")), model.CauseNetwork, "timeout", true},
		{dial(syscall.EHOSTUNREACH), model.CauseNetwork, "no route to the host", true},
		{&url.Error{Err: io.EOF}, model.CauseCut, "EOF", false},
		{io.ErrUnexpectedEOF, model.CauseCut, "unexpected EOF", false},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, model.CauseCut, "reset by peer", false},
		{&url.Error{Err: x509.UnknownAuthorityError{}}, model.CauseTLS, "certificate not trusted: it is signed by an unknown authority", false},
		{&url.Error{Err: x509.CertificateInvalidError{Reason: x509.Expired}}, model.CauseTLS, "certificate not trusted: it has expired", false},
		{errors.New("net/http: TLS handshake timeout"), model.CauseNetwork, "timeout", false},
		{errors.New("http2: client connection lost"), model.CausePing, "link dead", false},
		{errors.New("stream error: stream ID 7; ENHANCE_YOUR_CALM; received from peer"), model.CauseStreamReset, "ENHANCE_YOUR_CALM", false},
		{errors.New("http2: server sent GOAWAY and closed the connection; LastStreamID=3"), model.CauseGoAway, "GOAWAY", false},
		{&jsonscan.SyntaxError{Excerpt: "<html>\n\x1b[2J"}, model.CauseGarbage, "<html>", false},
		{apierrors.NewResourceExpired("too old"), model.CauseExpired, "410 too old", false},
		{apierrors.NewForbidden(pods, "", errors.New("no")), model.CauseForbidden, "403", false},
		{apierrors.NewTooManyRequests("storage is (re)initializing", 3), model.CauseInitialising, "429", false},
		{apierrors.NewTooManyRequests("busy", 3), model.CauseThrottled, "429 busy", false},
		{timeserver.TooLarge(9, 3), model.CauseTooLarge, "504", false},
		{apierrors.NewTimeoutError("slow", 1), model.CauseServerError, "504 Timeout: slow", false},
		{generic(405, "x"), model.CauseNotWatchable, "405", false},
		{generic(404, "404 page not found"), model.CauseNotFound, "page not found", false},
		{generic(503, "no endpoints"), model.CauseServerError, "no endpoints", false},
		{generic(500, "conversion webhook failed"), model.CauseServerError, "conversion webhook failed", false},
		{apierrors.NewInvalid(schema.GroupKind{}, "", nil), model.CauseInvalid, "422", false},
		{apierrors.NewBadRequest("unable to parse requirement"), model.CauseInvalid, "unable to parse", false},
		{apierrors.NewUnauthorized("who"), model.CauseUnauthorized, "401", false},
		{&apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: `strconv.ParseUint: parsing "x"`}}, model.CauseInvalid, "strconv", false},
		{errors.New("something else"), model.CauseNetwork, "something else", false},
	} {
		f := classify(fmt.Errorf("while reading: %w", c.err), false)
		if f.cause != c.cause || !strings.Contains(f.text, c.text) || f.unreached != c.unreached {
			t.Errorf("%v: %+v", c.err, f)
		}
		if strings.ContainsAny(f.text, "\n\x1b") || strings.Contains(f.text, "secret.host") || len(f.text) > textLimit+10 {
			t.Errorf("text %q", f.text)
		}
	}
}

// What the libraries said stays, for the protocol; the words of all else have
// neither their names nor an address.
func TestPlainWordsKeepWhatTheLibrariesSaid(t *testing.T) {
	addr := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 6443}
	f := classify(&url.Error{Op: "Get", URL: "https://x/", Err: &net.OpError{Op: "dial", Net: "tcp", Addr: addr, Err: os.ErrDeadlineExceeded}}, false).after(6 * time.Second)
	if f.text != "timeout after 6s" {
		t.Errorf("%q", f.text)
	}
	for took, want := range map[time.Duration]string{0: "timeout", 49 * time.Millisecond: "timeout", 60 * time.Millisecond: "timeout after 100ms"} {
		if got := (failure{text: timedOut}).after(took); got.text != want {
			t.Errorf("after %s: %q", took, got.text)
		}
	}
	if cause, text := f.told(); cause != model.CauseNetwork || text != "timeout after 6s (dial tcp 127.0.0.1:6443: i/o timeout)" {
		t.Errorf("%s, %q", cause, text)
	}
}

func TestVersionKey(t *testing.T) {
	for _, rv := range []string{"", "0"} {
		if versionKey(rv) != 0 || resumable(rv) {
			t.Errorf("%q", rv)
		}
	}
	if versionKey("18446744073709551615") == versionKey("18446744073709551614") || versionKey("a") == versionKey("b") || versionKey("7") != 7 {
		t.Error("versions collide")
	}
}

func TestFieldsMayChange(t *testing.T) {
	for selector, want := range map[string]bool{"": false, "metadata.name=a": false, "metadata.name=a,metadata.namespace==b": false,
		"status.phase=Running": true, "metadata.name=a,spec.nodeName!=b": true} {
		if fieldsMayChange(selector) != want {
			t.Errorf("%q", selector)
		}
	}
}

func TestFault_56_ClockSkew(t *testing.T) {
	c := &Cluster{}
	sent := time.Unix(1000, 0)
	c.sawDate(time.Unix(1060, 0), sent, sent.Add(time.Minute))
	if _, known := c.Skew(); known {
		t.Error("an answer that took a minute says nothing about the clock")
	}
	c.sawDate(time.Unix(1060, 0), sent, sent.Add(10*time.Millisecond))
	if d, known := c.Skew(); !known || d < 59*time.Second || d > 61*time.Second {
		t.Errorf("skew %v", d)
	}
}

func TestFault_23_ResourceVersionWentBack(t *testing.T) {
	served(t, timeserver.Options{}, rigOptions{}, func(r *rig, s *timeserver.Server) {
		for range 20 {
			put(s, "pods", "a")
		}
		r.reach(time.Second, model.Live)
		r.same(time.Second, s, "pods")
		s.Store().Restore(105)
		s.CloseAll() // first: a deletion that still arrives gives a position that is good
		del(s, "pods", "b")
		r.until(12*time.Minute, "the gap", func() bool { return len(r.gaps()) > 0 })
		if g := r.gaps()[0]; !strings.Contains(g.Text, "went back") {
			t.Errorf("gap %+v", g)
		}
		r.same(time.Second, s, "pods")
		r.reach(time.Second, model.Live)
	})
}

func TestSleepWatch(t *testing.T) {
	wall, running := time.Unix(1000, 0), time.Duration(0)
	w := newSleepWatch(func() (time.Time, time.Duration) { return wall, running })
	wall, running = wall.Add(time.Minute), running+time.Minute
	if d := w.look(); d != 0 {
		t.Errorf("awake: %v", d)
	}
	wall, running = wall.Add(time.Hour), running+time.Second
	if d := w.look(); d != time.Hour-time.Second {
		t.Errorf("slept: %v", d)
	}
	wall = wall.Add(-time.Hour)
	if d := w.look(); d != 0 {
		t.Errorf("set back: %v", d)
	}
	if wall, running := systemClock()(); wall.IsZero() || running < 0 || !strings.Contains(time.Now().String(), "m=") || strings.Contains(wall.String(), "m=") {
		t.Error("the wall clock has a monotonic part")
	}
}
