package cli

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"rewatch/model/near"
)

// cluster is one context to watch.
type cluster struct {
	name       string // the context; "in-cluster" in a pod
	server     string // host:port
	cfg        *rest.Config
	namespaces []string // empty is all
	// implied is set when the namespace is the context's and nobody asked.
	implied bool
	timeout time.Duration // for one request that is no watch
}

// requestTimeout is how long a server may take to answer discovery, unless
// --request-timeout says otherwise.
const requestTimeout = 15 * time.Second

// inCluster is the name of the context in a pod without kubeconfig.
const inCluster = "in-cluster"

// clusters reads the kubeconfig for every context asked for.
func (f *flags) clusters() ([]*cluster, error) {
	raw, err := f.loader("").RawConfig()
	if err != nil {
		return nil, failed("check the file, or name another with --kubeconfig", "cannot read the kubeconfig: %s", oneLine(err))
	}
	if err := f.checkContexts(raw); err != nil {
		return nil, err
	}
	names := f.contexts
	if len(names) == 0 {
		names = []string{""}
	}
	var out []*cluster
	for _, name := range names {
		c, err := f.cluster(name, raw)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(out, func(o *cluster) bool { return o.name == c.name }) {
			out = append(out, c)
		}
	}
	return out, nil
}

// loader reads the kubeconfig as kubectl does, for one context; "" is the
// current one.
func (f *flags) loader(context string) clientcmd.ClientConfig {
	f.kube.Context = &context // copied by the loader, so the next call changes nothing
	defer func() { f.kube.Context = nil }()
	return f.kube.ToRawKubeConfigLoader()
}

// checkContexts finds, without contacting anybody, that there is nothing to
// contact.
func (f *flags) checkContexts(raw clientcmdapi.Config) error {
	all := slices.Sorted(maps.Keys(raw.Contexts))
	for _, name := range f.contexts {
		if _, ok := raw.Contexts[name]; !ok {
			return f.wrongContext(name, all)
		}
	}
	if len(f.contexts) > 0 || *f.kube.APIServer != "" || *f.kube.ClusterName != "" {
		return nil
	}
	if raw.CurrentContext != "" {
		if _, ok := raw.Contexts[raw.CurrentContext]; !ok {
			return f.wrongContext(raw.CurrentContext, all)
		}
		return nil
	}
	if os.Getenv("KUBERNETES_MASTER") != "" || inPod() {
		return nil
	}
	if len(all) > 0 {
		return failed("choose one with --context: "+strings.Join(all, ", "), "the kubeconfig has no current context")
	}
	looked := ""
	if files := os.Getenv("KUBECONFIG"); files != "" {
		looked = " at " + files + ", where $KUBECONFIG points"
	}
	return failed("name a kubeconfig with --kubeconfig or $KUBECONFIG, or try: rewatch demo",
		"no kubeconfig found%s, and this is no pod of a cluster", looked)
}

func (f *flags) wrongContext(name string, all []string) error {
	if len(all) == 0 {
		return failed("name a kubeconfig with --kubeconfig or $KUBECONFIG, or try: rewatch demo",
			"there is no context %q: the kubeconfig has none", name)
	}
	msg := fmt.Sprintf("there is no context %q", name)
	if meant := near.Names(name, all, 1); len(meant) > 0 {
		msg += fmt.Sprintf(" (did you mean %q?)", meant[0])
	}
	return failed("the kubeconfig has: "+strings.Join(all, ", "), "%s", msg)
}

func (f *flags) cluster(context string, raw clientcmdapi.Config) (*cluster, error) {
	loader := f.loader(context)
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, failed("check the kubeconfig: kubectl config view", "context %q cannot be used: %s",
			cmp.Or(context, raw.CurrentContext), oneLine(err))
	}
	cfg = rest.CopyConfig(cfg)
	cfg.UserAgent = "rewatch/" + version()
	cfg.QPS, cfg.Burst = f.qps, f.burst
	c := &cluster{name: cmp.Or(context, raw.CurrentContext), server: hostPort(cfg), cfg: cfg,
		timeout: cmp.Or(cfg.Timeout, requestTimeout)}
	cfg.Timeout = 0 // it would end watches
	fromPod := len(raw.Contexts) == 0 && *f.kube.APIServer == "" && inPod()
	switch {
	case fromPod:
		c.name = inCluster
	case c.name == "":
		c.name = c.server
	}
	switch {
	case f.allNamespaces:
	case len(f.namespaces) > 0:
		c.namespaces = f.namespaces
	default:
		c.setImplied(loader, raw, fromPod)
	}
	return c, nil
}

// setImplied takes the namespace that the context, or the pod, sets. "default"
// by default is kubectl's idea; it would show an explorer nothing.
func (c *cluster) setImplied(loader clientcmd.ClientConfig, raw clientcmdapi.Config, fromPod bool) {
	ns := ""
	if kctx := raw.Contexts[c.name]; kctx != nil {
		ns = kctx.Namespace
	}
	if fromPod {
		ns, _, _ = loader.Namespace()
	}
	if ns != "" {
		c.namespaces, c.implied = []string{ns}, true
	}
}

// scope says in a few words which namespaces are watched.
func (c *cluster) scope() string {
	if len(c.namespaces) == 0 {
		return "all namespaces"
	}
	return strings.Join(c.namespaces, ",")
}

// contextNames lists the contexts of the kubeconfig, for completion.
func (f *flags) contextNames() []string {
	raw, err := f.loader("").RawConfig()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(raw.Contexts))
}

// inPod reports whether this process runs in a pod that has a service account.
func inPod() bool {
	_, err := rest.InClusterConfig()
	return err == nil
}

// hostPort is the address of the server, with the default port filled in.
func hostPort(cfg *rest.Config) string {
	u, _, err := rest.DefaultServerUrlFor(cfg)
	if err != nil {
		return cfg.Host
	}
	if u.Port() != "" {
		return u.Host
	}
	port := "443"
	if u.Scheme == "http" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}
