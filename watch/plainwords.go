package watch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"rewatch/model"
)

// plainWords says what is wrong with a connection as people do: without
// addresses, which are known, and without names of libraries. What it does not
// know stays as it is.
func plainWords(err error, text string) string {
	var (
		dns      *net.DNSError
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		verify   *tls.CertificateVerificationError
		record   tls.RecordHeaderError
		slow     interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "no such host: " + quote(dns.Name)
	case errors.As(err, &dns):
		return "the name of the host cannot be looked up: " + quote(dns.Name)
	case errors.As(err, &unknown):
		return "certificate not trusted: it is signed by an unknown authority"
	case errors.As(err, &hostname):
		return "certificate not trusted: it is for another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "certificate not trusted: it has expired or is not yet valid"
	case errors.As(err, &invalid), errors.As(err, &verify):
		return "certificate not trusted: " + text
	case errors.As(err, &record):
		return "the server does not speak TLS"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH), strings.Contains(text, "no route to host"),
		strings.Contains(text, "network is unreachable"):
		return "no route to the host"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &slow) && slow.Timeout(),
		strings.HasSuffix(text, "timeout"):
		return timedOut
	}
	for _, library := range []string{"net/http: ", "http: ", "tls: ", "remote error: "} {
		text = strings.TrimPrefix(text, library)
	}
	return text
}

// timedOut is how an answer that did not come in time is called; after how long
// is added where that is known.
const timedOut = "timeout"

// after completes the words of a failure with how long it took.
func (f failure) after(d time.Duration) failure {
	if f.text == timedOut {
		unit := time.Second
		if d < 10*time.Second {
			unit = 100 * time.Millisecond
		}
		if d = d.Round(unit); d > 0 {
			f.text += " after " + d.String()
		}
	}
	return f
}

// told is how a request ended, for who reads its protocol: in plain words, and
// as the libraries put it.
func (f failure) told() (model.Cause, string) {
	if f.raw == "" || strings.Contains(f.text, f.raw) {
		return f.cause, f.text
	}
	return f.cause, f.text + " (" + f.raw + ")"
}
