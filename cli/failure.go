package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// failure is an error as the user sees it.
type failure struct {
	msg  string // what happened
	next string // what to do about it
	code int    // of the process
	err  error  // why, nil where nobody asks
}

func (f *failure) Error() string {
	if f.next == "" {
		return f.msg
	}
	return f.msg + "; " + f.next
}

// Unwrap returns why.
func (f *failure) Unwrap() error { return f.err }

// seeHelp is the next step after a mistake in the command line; whoever prints
// it names the command.
const seeHelp = "see: rewatch --help"

// usage is a failure of the command line itself.
func usage(format string, args ...any) *failure {
	return &failure{msg: fmt.Sprintf(format, args...), next: seeHelp, code: 2}
}

// failed is a failure of anything else.
func failed(next, format string, args ...any) *failure {
	return &failure{msg: fmt.Sprintf(format, args...), next: next, code: 1}
}

// errUnavailable is why a server could not be asked that may answer later.
var errUnavailable = errors.New("unavailable")

// unavailable marks a failure of a server that may answer later.
func (f *failure) unavailable() *failure {
	f.err = errUnavailable
	return f
}

// unreachable says why a cluster could not be asked, from what the client
// returned.
func unreachable(c *cluster, err error) *failure {
	server := fmt.Sprintf("%s of context %q", c.server, c.name)
	var (
		dns  *net.DNSError
		cert *tls.CertificateVerificationError
		host x509.HostnameError
	)
	switch {
	case apierrors.IsUnauthorized(err):
		return failed("log in again, then check with: kubectl auth whoami",
			"the server %s does not accept the credentials (401), the token may have expired", server)
	case apierrors.IsForbidden(err):
		return failed("check with: kubectl auth can-i --list", "the server %s refuses even discovery to this user (403)", server)
	case strings.Contains(err.Error(), "getting credentials"):
		return failed("run the credential plugin by hand, or log in again",
			"no credentials for %s: %s", server, oneLine(err))
	case errors.Is(err, syscall.ECONNREFUSED):
		return failed("is it running, and is the address right? kubectl config view --minify",
			"the server %s refuses connections", server).unavailable()
	case errors.As(err, &dns):
		return failed("check the address and the network: kubectl config view --minify",
			"the name of the server %s cannot be resolved", server).unavailable()
	case errors.As(err, &host):
		return failed("name the right one with --tls-server-name", "the certificate of the server %s is for another name: %s", server, oneLine(host))
	case errors.As(err, &cert):
		return failed("name its authority with --certificate-authority FILE", "the certificate of the server %s is not trusted: %s", server, oneLine(cert.Err))
	case errors.Is(err, context.DeadlineExceeded) || isTimeout(err):
		return failed("check the network, or allow more time with --request-timeout",
			"the server %s does not answer", server).unavailable()
	case apierrors.IsServiceUnavailable(err) || apierrors.IsInternalError(err) || apierrors.IsTooManyRequests(err) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF):
		return failed("check with: kubectl version", "cannot use the server %s: %s", server, oneLine(err)).unavailable()
	}
	return failed("check with: kubectl version", "cannot use the server %s: %s", server, oneLine(err))
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// oneLine is an error's text without line breaks, and of a bearable length:
// a proxy's error page can be long.
func oneLine(err error) string {
	const most = 300
	s := strings.Join(strings.Fields(err.Error()), " ")
	if len(s) > most {
		s = s[:most] + "…"
	}
	return s
}
