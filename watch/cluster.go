package watch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"

	"rewatch/model"
)

// ClusterOptions says how to talk to a cluster.
type ClusterOptions struct {
	// QPS and Burst limit lists and discovery, in requests per second; watches
	// are not limited. 0 is the default (50 and 100), a negative QPS no limit.
	QPS   float32
	Burst int
	// HTTP1 gives every stream a connection of its own, for proxies that
	// reset shared HTTP/2 connections.
	HTTP1 bool
}

// Defaults of ClusterOptions.
const (
	defaultQPS   = 50
	defaultBurst = 100
	dialTimeout  = 10 * time.Second
)

// Cluster is one API server, with its transport. It may be used by any number
// of streams and engines.
type Cluster struct {
	name    string
	host    string // host:port
	client  rest.Interface
	http    *http.Client
	params  runtime.ParameterCodec
	limiter flowcontrol.RateLimiter // of lists; nil is no limit

	dialed, open atomic.Int64 // connections, ever and now
	skew         atomic.Int64 // nanoseconds that the server's clock is ahead
	skewKnown    atomic.Bool

	mu     sync.Mutex
	noList map[string]model.Cause // resource path → why WatchList is not tried there
}

// NewCluster prepares the transport for a cluster; it sends nothing. name is
// the kubeconfig context, for people. cfg is not changed.
func NewCluster(name string, cfg *rest.Config, o ClusterOptions) (*Cluster, error) {
	c := &Cluster{name: name, noList: map[string]model.Cause{}}
	cfg = dynamic.ConfigFor(cfg)
	cfg.QPS, cfg.Burst, cfg.RateLimiter = -1, 0, nil // our own limiter, where its queue can be seen
	cfg.Timeout = 0                                  // it would end every watch
	cfg.GroupVersion, cfg.APIPath = nil, "/"
	cfg.WarningHandler, cfg.WarningHandlerWithContext = rest.NoWarnings{}, nil
	if o.HTTP1 {
		cfg.NextProtos = []string{"http/1.1"}
	}
	if cfg.Transport == nil {
		c.ownTransport(cfg)
	}
	// The innermost wrappers: what passes them is what is sent.
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return Guard(tap{next: rt, cluster: c}) })
	var err error
	if c.http, err = rest.HTTPClientFor(cfg); err != nil {
		return nil, fmt.Errorf("context %q: %w", name, err)
	}
	client, err := rest.UnversionedRESTClientForConfigAndClient(cfg, c.http)
	if err != nil {
		return nil, fmt.Errorf("context %q: %w", name, err)
	}
	c.client = client
	c.host = client.Get().URL().Host
	c.params = newParams()
	c.limiter = newLimiter(o)
	return c, nil
}

// ownTransport keeps client-go from sharing this cluster's transport with
// other clients of the process (and plain HTTP from using the global one), so
// that its connections can be counted and closed.
func (c *Cluster) ownTransport(cfg *rest.Config) {
	dial := cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}).DialContext
	}
	cfg.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		c.dialed.Add(1)
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c.open.Add(1)
		return &countedConn{Conn: conn, open: &c.open}, nil
	}
	if cfg.Proxy == nil {
		cfg.Proxy = http.ProxyFromEnvironment
	}
}

// countedConn takes itself off the count once when it is closed.
type countedConn struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// optionsVersion is the version of ListOptions in the parameters of a request.
var optionsVersion = schema.GroupVersion{Version: "v1"}

func newParams() runtime.ParameterCodec {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, optionsVersion)
	return runtime.NewParameterCodec(scheme)
}

func newLimiter(o ClusterOptions) flowcontrol.RateLimiter {
	if o.QPS < 0 {
		return nil
	}
	if o.QPS == 0 {
		o.QPS = defaultQPS
	}
	if o.Burst <= 0 {
		o.Burst = max(defaultBurst, int(o.QPS))
	}
	return flowcontrol.NewTokenBucketRateLimiter(o.QPS, o.Burst)
}

// Name is the kubeconfig context.
func (c *Cluster) Name() string { return c.name }

// Host is the server's host:port.
func (c *Cluster) Host() string { return c.host }

// Connections returns how many connections are open and how many were ever
// dialled. HTTP/2 servers allow about 100 streams on each.
func (c *Cluster) Connections() (open, dialled int64) { return c.open.Load(), c.dialed.Load() }

// Skew is how far the server's clock is ahead of ours, from the Date headers:
// good to about a second. known is false before the first answer.
func (c *Cluster) Skew() (ahead time.Duration, known bool) {
	return time.Duration(c.skew.Load()), c.skewKnown.Load()
}

// sawDate notes the server's clock; Date has whole seconds, so the middle of
// that second is compared with the middle of the request. Slow answers are not
// used: a watch's headers may be held back by a proxy.
func (c *Cluster) sawDate(date, sent, got time.Time) {
	if took := got.Sub(sent); took < time.Second {
		c.skew.Store(int64(date.Add(500 * time.Millisecond).Sub(sent.Add(took / 2))))
		c.skewKnown.Store(true)
	}
}

// Close closes idle connections. Streams in flight are not touched.
func (c *Cluster) Close() { closeIdle(c.http.Transport) }

// avoidWatchList remembers that a resource cannot stream its initial list here.
func (c *Cluster) avoidWatchList(resource string, why model.Cause) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noList[resource] = why
}

func (c *Cluster) watchListAvoided(resource string) (model.Cause, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	why, ok := c.noList[resource]
	return why, ok
}

// quiet returns a context in which client-go logs nothing: its log is standard
// error, which here belongs to the screen.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, klog.Logger{}) }

// path is the URL path of a target's collection.
func (t Target) path() []string {
	var p []string
	if t.Group == "" {
		p = []string{"api", t.Version}
	} else {
		p = []string{"apis", t.Group, t.Version}
	}
	if t.Namespaced && t.Namespace != "" {
		p = append(p, "namespaces", t.Namespace)
	}
	return append(p, t.Resource)
}

// resourceKey names a target's resource within its cluster.
func (t Target) resourceKey() string {
	return strings.Join([]string{t.Group, t.Version, t.Resource}, "/")
}

// discoveryPath is the URL path of the document that lists the target's resource.
func (t Target) discoveryPath() []string {
	t.Namespace, t.Resource = "", ""
	return slices.DeleteFunc(t.path(), func(s string) bool { return s == "" })
}
