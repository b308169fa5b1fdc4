package watch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/jsonscan"
)

// failure is what went wrong with a request: the cause for code, the text for
// people, and what the server said about it.
type failure struct {
	cause      model.Cause
	text       string
	raw        string        // how the libraries put it, where text is plainer
	status     int           // HTTP status or the code of an ERROR frame, 0 without one
	retryAfter time.Duration // least time to wait, as the server asked
	unreached  bool          // the host could not be reached at all
	unanswered bool          // it was reached, and gave no answer
}

// The reasons for which the engine itself ends a request; they travel as the
// cause of its context.
var (
	errDeadline  = errors.New("the watch outlived its own timeout: nothing came, not even its end")
	errNoEndMark = errors.New("the server did not mark the end of the initial list")
	errSilent    = errors.New("the list stopped arriving")
	errInterrupt = errors.New("interrupted") // pause, sleep, retry: see stream.control
)

// textLimit bounds what is quoted of a server, in bytes.
const textLimit = 300

// maxRetryAfter bounds what a server can make us wait.
const maxRetryAfter = time.Hour

// quote makes one short, safe line of what a server said.
func quote(s string) string {
	s = clean.Line(strings.Join(strings.Fields(s), " "))
	if len(s) > textLimit {
		s = strings.ToValidUTF8(s[:textLimit], "") + "…"
	}
	return s
}

// classify tells errors of sending a request and of reading its answer apart.
// Clean ends (io.EOF) are not errors and not judged here.
// With hide set nothing is quoted that may be the content of an object.
func classify(err error, hide bool) failure {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return classifyStatus(status.Status(), hide)
	}
	var syntax *jsonscan.SyntaxError
	if errors.As(err, &syntax) {
		return failure{cause: model.CauseGarbage, text: "not JSON" + excerpt(syntax.Excerpt, hide)}
	}
	if f, ok := classifyHTTP2(err.Error()); ok {
		return f
	}
	return classifyNet(err)
}

// classifyHTTP2 knows the errors of HTTP/2 by their words: the ping timeout has
// no type, and the types of the others depend on which of two HTTP/2
// implementations the transport was built with.
func classifyHTTP2(msg string) (failure, bool) {
	has := func(s string) bool { return strings.Contains(msg, s) }
	switch {
	case has("http2: server sent GOAWAY"):
		return failure{cause: model.CauseGoAway, text: "the server closes this connection (GOAWAY): a new one is opened"}, true
	case has("http2: client connection lost"), has("http2: timeout awaiting response headers"):
		return failure{cause: model.CausePing, text: "link dead: HTTP/2 ping not answered"}, true
	case has("stream error: stream ID"):
		return failure{cause: model.CauseStreamReset, text: "HTTP/2 stream reset: " + streamCode(msg)}, true
	}
	return failure{}, false
}

// streamCode is the part of "stream error: stream ID 5; INTERNAL_ERROR; received
// from peer" that says why.
func streamCode(msg string) string {
	_, msg, _ = strings.Cut(msg, "stream error: stream ID")
	if _, after, ok := strings.Cut(msg, "; "); ok {
		msg = after
	}
	return quote(msg)
}

func classifyNet(err error) failure {
	var (
		dns      *net.DNSError
		op       *net.OpError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		alert    tls.AlertError
	)
	text := quote(innermost(err))
	words := plainWords(err, text)
	switch dialing := errors.As(err, &op) && op.Op == "dial"; {
	case errors.As(err, &dns):
		return failure{cause: model.CauseDNS, text: words, raw: text, unreached: true}
	case errors.Is(err, syscall.ECONNREFUSED), dialing && strings.Contains(text, "refused"):
		return failure{cause: model.CauseRefused, text: "connection refused", raw: text, unreached: true}
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid),
		errors.As(err, &verify), errors.As(err, &record), errors.As(err, &alert):
		return failure{cause: model.CauseTLS, text: words, raw: text}
	case dialing:
		return failure{cause: model.CauseNetwork, text: words, raw: text, unreached: true}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE), strings.Contains(text, "connection reset"), errors.Is(err, io.ErrClosedPipe),
		errors.Is(err, net.ErrClosed), strings.Contains(text, "forcibly closed"):
		return failure{cause: model.CauseCut, text: "connection cut: " + text}
	case errors.Is(err, context.DeadlineExceeded):
		return failure{cause: model.CauseDeadline, text: words, raw: text}
	}
	return failure{cause: model.CauseNetwork, text: words, raw: text}
}

// innermost is the message of an error without the URL that net/http puts
// around it: the stream is known, the host too.
func innermost(err error) string {
	for {
		u := errors.Unwrap(err)
		if u == nil || u.Error() == "" {
			return err.Error()
		}
		if op, ok := err.(*net.OpError); ok {
			return op.Error()
		}
		err = u
	}
}

// excerpt is what to show of bytes that make no sense.
func excerpt(s string, hide bool) string {
	if hide {
		return ""
	}
	return ": " + quote(s[:min(len(s), 120)])
}

// statusOf decodes the object of an ERROR frame. One that is no Status is an
// error without a code.
func statusOf(object []byte, hide bool) metav1.Status {
	var st metav1.Status
	if json.Unmarshal(object, &st) != nil || st.Kind != "Status" {
		return metav1.Status{Message: "an ERROR frame without a Status" + excerpt(string(object), hide)}
	}
	return st
}

// classifyStatus judges a Status, whether it came as the answer to a request
// or in an ERROR frame.
func classifyStatus(st metav1.Status, hide bool) failure {
	f := failure{status: int(st.Code), text: statusText(st, hide)}
	if st.Details != nil {
		f.retryAfter = min(max(time.Duration(st.Details.RetryAfterSeconds)*time.Second, 0), maxRetryAfter)
	}
	switch {
	case st.Code == http.StatusGone, st.Reason == metav1.StatusReasonExpired, st.Reason == metav1.StatusReasonGone:
		f.cause = model.CauseExpired
	case st.Code == http.StatusTooManyRequests:
		f.cause = model.CauseThrottled
		if strings.Contains(st.Message, "initializing") {
			f.cause = model.CauseInitialising
		}
	case isTooLarge(st):
		f.cause = model.CauseTooLarge
	case st.Code == http.StatusUnauthorized:
		f.cause = model.CauseUnauthorized
	case st.Code == http.StatusForbidden:
		f.cause = model.CauseForbidden
	case st.Code == http.StatusNotFound:
		f.cause = model.CauseNotFound
	case st.Code == http.StatusMethodNotAllowed:
		f.cause = model.CauseNotWatchable
	case st.Code == http.StatusBadRequest, st.Code == http.StatusUnprocessableEntity, badVersion(st):
		f.cause = model.CauseInvalid
	default:
		f.cause = model.CauseServerError
	}
	return f
}

// isTooLarge knows "too large resource version": the server has not got that
// far yet. Old servers give it no cause type, hence the message.
func isTooLarge(st metav1.Status) bool {
	return st.Reason == metav1.StatusReasonTimeout && (strings.Contains(st.Message, "Too large resource version") ||
		apierrors.HasStatusCause(&apierrors.StatusError{ErrStatus: st}, metav1.CauseTypeResourceVersionTooLarge))
}

// badVersion knows the answer to a resourceVersion that is no number: 500
// without a reason. Retrying it is of no use.
func badVersion(st metav1.Status) bool {
	return st.Code == http.StatusInternalServerError && st.Reason == metav1.StatusReasonUnknown &&
		(strings.Contains(st.Message, "strconv") || strings.Contains(st.Message, "resource version") ||
			strings.Contains(st.Message, "resourceVersion"))
}

// statusText is what to show of a Status: its code and the server's words.
func statusText(st metav1.Status, hide bool) string {
	msg := st.Message
	if st.Details != nil {
		for _, c := range st.Details.Causes {
			switch {
			case c.Type != metav1.CauseTypeUnexpectedServerResponse: // the body was no Status
			case hide:
				msg = http.StatusText(int(st.Code))
			case c.Message != "unknown" && !strings.Contains(msg, c.Message):
				msg += ": " + c.Message
			}
		}
	}
	if st.Code == 0 {
		return quote(msg)
	}
	return quote(fmt.Sprintf("%d %s", st.Code, msg))
}
