package timeserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// EndpointOptions choose how an [Endpoint] speaks.
type EndpointOptions struct {
	TLS   bool // with a certificate of its own, see [Endpoint.CA]
	HTTP1 bool // no HTTP/2
	// Listen is host:port; "" is a free port of 127.0.0.1. A port 0 is a free
	// one.
	Listen string
	// Names are names and addresses that the certificate is for, beside those
	// of loopback.
	Names []string
}

// Endpoint is a port, on loopback unless told otherwise, where a handler is served, and which can go
// down and come up again like an apiserver that is restarted. Without TLS it
// speaks HTTP/1.1, and HTTP/2 with those who begin with it (prior knowledge).
type Endpoint struct {
	handler http.Handler
	o       EndpointOptions
	addr    string
	cert    tls.Certificate
	ca      []byte

	mu     sync.Mutex
	server *http.Server // nil while down
	closed bool
	conns  map[net.Conn]struct{}
	done   sync.WaitGroup
}

// Start serves a server on a free port of 127.0.0.1 until the context ends or
// stop is called, whichever comes first. stop returns when every request has
// ended.
func Start(ctx context.Context, s *Server) (url string, stop func(), err error) {
	e, err := NewEndpoint(s, EndpointOptions{})
	if err != nil {
		return "", nil, err
	}
	unhook := context.AfterFunc(ctx, e.Close)
	return e.URL(), func() { unhook(); e.Close() }, nil
}

const anyPort = "127.0.0.1:0"

// NewEndpoint serves a handler on the port that the options name.
func NewEndpoint(h http.Handler, o EndpointOptions) (*Endpoint, error) {
	e := &Endpoint{handler: h, o: o, addr: o.Listen, conns: map[net.Conn]struct{}{}}
	if e.addr == "" {
		e.addr = anyPort
	}
	if o.TLS {
		var err error
		if e.cert, e.ca, err = selfSigned(o.Names); err != nil {
			return nil, err
		}
	}
	return e, e.Up()
}

// URL is the address, such as http://127.0.0.1:34567. It stays the same.
func (e *Endpoint) URL() string {
	if e.o.TLS {
		return "https://" + e.addr
	}
	return "http://" + e.addr
}

// Addr is the host and port that it listens on.
func (e *Endpoint) Addr() string { return e.addr }

// CA is the PEM of the certificate to trust, nil without TLS.
func (e *Endpoint) CA() []byte { return e.ca }

// Up opens the port again after [Endpoint.Down]. After [Endpoint.Close] it is
// an error.
func (e *Endpoint) Up() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.server != nil {
		return nil
	}
	if e.closed {
		return net.ErrClosed
	}
	l, err := net.Listen("tcp", e.addr)
	if err != nil {
		return err
	}
	if strings.HasSuffix(e.addr, ":0") { // written once: URL needs no lock
		e.addr = l.Addr().String()
	}
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetHTTP2(!e.o.HTTP1)
	p.SetUnencryptedHTTP2(!e.o.HTTP1)
	srv := &http.Server{Handler: e.handler, Protocols: &p, ConnState: e.track, ReadHeaderTimeout: 30 * time.Second,
		ErrorLog: log.New(io.Discard, "", 0)} // faults are meant to look like errors
	if e.o.TLS {
		srv.TLSConfig = &tls.Config{Certificates: []tls.Certificate{e.cert}}
	}
	e.server = srv
	e.done.Go(func() {
		if e.o.TLS {
			_ = srv.ServeTLS(l, "", "")
		} else {
			_ = srv.Serve(l)
		}
	})
	return nil
}

// track keeps the open connections, so that they can be cut, and those that
// HTTP/2 took over as well.
func (e *Endpoint) track(c net.Conn, state http.ConnState) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch state {
	case http.StateNew:
		e.conns[c] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(e.conns, c)
	}
}

// Down closes the port and cuts every connection: the next ones are refused.
func (e *Endpoint) Down() {
	e.mu.Lock()
	srv := e.server
	e.server = nil
	e.mu.Unlock()
	if srv != nil {
		_ = srv.Close()
	}
	e.CutAll()
}

// CutAll closes every connection with a TCP reset. New ones are welcome.
func (e *Endpoint) CutAll() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.conns {
		reset(c)
	}
}

func reset(c net.Conn) {
	raw := c
	if t, ok := c.(*tls.Conn); ok {
		raw = t.NetConn()
	}
	if t, ok := raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = raw.Close()
}

// Conns is the number of open connections.
func (e *Endpoint) Conns() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.conns)
}

// Close is [Endpoint.Down] for good; it returns when every request has ended.
func (e *Endpoint) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.Down()
	e.done.Wait()
	for e.Conns() > 0 { // their goroutines are about to end
		time.Sleep(time.Millisecond)
	}
}

func selfSigned(names []string) (cert tls.Certificate, caPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return cert, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "rewatch"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(30 * 24 * time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}, DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true,
	}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, n)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return cert, nil, errors.Join(errors.New("self-signed certificate"), err)
	}
	caPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, caPEM, nil
}
