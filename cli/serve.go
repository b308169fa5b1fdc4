package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model/clean"
	"rewatch/watch/timeserver"
)

func newServe(_ *flags, s streams) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve TAPE",
		Short: "Serve a recorded cluster to kubectl, k9s and other clients",
		Long: `Serve the cluster that a tape holds as a read-only Kubernetes API: as it was at
one moment (--at, the end of the tape by default), or moving (--speed, from --at
or the start). kubectl get, describe, events and explain, k9s, and controllers
that only read, work against it. What was not recorded is not made up: types that
are not on the tape are unknown, and a Warning says where the recording is known
to be incomplete. The contents of Secrets are not on tapes; fingerprints stand in
their place.

The address is one of loopback unless --listen says otherwise; then TLS is used,
with a certificate made for the purpose, and a token is needed. Both are in the
kubeconfig, a file for its owner only that is removed at the end.`,
		Example: `  rewatch serve incident.rwt --at 14:03:20
  rewatch serve incident.rwt --speed 10 --write-kubeconfig /tmp/past`,
		Args: oneTape("serve them one after the other, or look at all with: rewatch replay A B"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.moving = cmd.Flags().Changed("speed")
			return runServe(cmd.Context(), o, args[0], s)
		},
	}
	cmd.Flags().StringVar(&o.at, "at", "", "The moment: "+momentHelp+" (default the end, with --speed the start)")
	cmd.Flags().Float64Var(&o.speed, "speed", 0, "Move on, this many times as fast as recorded (default not at all)")
	cmd.Flags().StringVar(&o.listen, "listen", "127.0.0.1:0", "Address to listen on; port 0 is a free one")
	cmd.Flags().StringVar(&o.kubeconfig, "write-kubeconfig", "", "Write the kubeconfig to this file, - is stdout (default a temporary file)")
	cmd.Flags().BoolVar(&o.force, "force", false, "Replace the file that --write-kubeconfig names")
	cmd.Flags().StringVar(&o.context, "context", "", "Which of the recorded contexts, if there are several")
	return cmd
}

type serveOptions struct {
	at, listen, kubeconfig, context string
	speed                           float64
	moving, force                   bool
}

func runServe(ctx context.Context, o serveOptions, path string, s streams) error {
	if o.moving && !(o.speed > 0) || math.IsInf(o.speed, 0) {
		return usage("--speed must be a number above 0")
	}
	host, port, err := net.SplitHostPort(o.listen)
	if err != nil || port == "" {
		return usage("--listen %q is no address: it must be host:port, as 127.0.0.1:8080 or [::1]:0", o.listen)
	}
	past, err := loadPast(ctx, o, path, s)
	if err != nil {
		return err
	}
	server, err := startServing(past, host, o)
	if err != nil {
		return err
	}
	defer server.endpoint.Close()
	remove, err := server.writeKubeconfig(o, s)
	if err != nil {
		return err
	}
	defer remove()
	server.announce(s, path, o)
	return server.run(ctx, s, o)
}

// loadPast loads the state that is to be served first.
func loadPast(ctx context.Context, o serveOptions, path string, s streams) (*timeserver.Past, error) {
	t, err := openTape(path) // open until the process ends: a moving past reads on
	if err != nil {
		return nil, err
	}
	t.tellFilter(s)
	info := t.Info()
	if info.Records == 0 {
		return nil, failed("see what survives with: rewatch verify "+path, "%s holds no moment that could be served", path)
	}
	at := info.To
	if o.moving {
		at = info.From
	}
	if o.at != "" {
		if at, err = parseMoment(o.at, info.From, info.To, time.Local); err != nil {
			return nil, err
		}
		if at.Before(info.From) || at.After(info.To) {
			return nil, outside(o.at, info.From, info.To, time.Local) // of then nothing is known
		}
	}
	chosen, err := chooseContext(timeserver.Contexts(t.Tape), o.context, path)
	if err != nil {
		return nil, err
	}
	p := newProgress(s.err, "loading objects of "+path)
	defer p.end()
	past, err := timeserver.LoadPast(ctx, t.Tape, chosen, at, func(bytes int64) { p.set(bytes, 0) })
	switch {
	case errors.Is(err, context.Canceled):
		return nil, failed("", "interrupted")
	case err != nil:
		return nil, unreadable(path, err)
	}
	missing := past.Missing()
	for _, text := range missing[:min(len(missing), 10)] {
		s.tell("rewatch: not served: %s", text)
	}
	if n := len(missing) - 10; n > 0 {
		s.tell("rewatch: not served: %s more that cannot be rebuilt", count(int64(n), "object"))
	}
	if len(info.Damages) > 0 && !t.running() || !past.Whole() {
		s.tell("rewatch: %s is damaged, so objects may be missing; see what survives with: rewatch verify %s", path, path)
	}
	return past, nil
}

// chooseContext is the recorded context to serve: one at a time, since that is
// what an API server has.
func chooseContext(recorded []string, wanted, path string) (string, error) {
	quoted := make([]string, len(recorded))
	for i, c := range recorded {
		quoted[i] = fmt.Sprintf("%q", c)
	}
	list := strings.Join(quoted, ", ")
	switch {
	case len(recorded) == 0:
		return "", failed("see what it holds with: rewatch info "+path, "%s has no watches that could be served", path)
	case wanted != "" && !slices.Contains(recorded, wanted):
		return "", failed("it has: "+list, "there is no context %q on %s", wanted, path)
	case wanted == "" && len(recorded) > 1:
		return "", failed("choose one with --context: "+list, "%s has several contexts", path)
	case wanted == "":
		return recorded[0], nil
	}
	return wanted, nil
}

// serving is a past being served.
type serving struct {
	past       *timeserver.Past
	endpoint   *timeserver.Endpoint
	url, token string // token is "" on loopback
	kubeconfig string // path
}

func startServing(past *timeserver.Past, host string, o serveOptions) (*serving, error) {
	v := &serving{past: past}
	options := past.Options()
	options.Hosts = []string{"localhost", "127.0.0.1", "::1"}
	e := timeserver.EndpointOptions{Listen: o.listen}
	if loopback(host) {
		options.Hosts = append(options.Hosts, host) // 127.0.0.2, say
	} else {
		v.token = newToken()
		options.Authenticate = timeserver.BearerToken(v.token)
		e.TLS, e.Names = true, ownNames(host)
		options.Hosts = append(options.Hosts, e.Names...)
	}
	var err error
	if v.endpoint, err = timeserver.NewEndpoint(timeserver.NewServer(past.Store(), options), e); err != nil {
		return nil, failed("name another with --listen, or leave it out", "cannot listen on %s: %s", o.listen, oneLine(err))
	}
	v.url = v.endpoint.URL()
	if _, port, err := net.SplitHostPort(v.endpoint.Addr()); err == nil && v.token != "" {
		v.url = "https://" + net.JoinHostPort(e.Names[0], port)
	}
	return v, nil
}

// loopback reports whether a host is this machine only.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// ownNames are the names and addresses under which a server that listens on
// host can be reached, the best first.
func ownNames(host string) []string {
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		return []string{host}
	}
	var names []string
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			names = append(names, n.IP.String())
		}
	}
	if h, err := os.Hostname(); err == nil && h != "" {
		names = append(names, h)
	}
	return append(names, "localhost")
}

// announce says what is being served, and how to look at it.
func (v *serving) announce(s streams, path string, o serveOptions) {
	out := s.out
	if o.kubeconfig == "-" {
		out = s.err // stdout is the kubeconfig
	}
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	if v.token != "" {
		_, _ = fmt.Fprintf(s.err, "token, also in the kubeconfig and shown only now: %s\n", v.token)
	}
	const layout = "2006-01-02 15:04:05.000 MST"
	what := "as it was at " + v.past.Now().Local().Format(layout)
	if o.moving {
		what = fmt.Sprintf("from %s on, %g times as fast", v.past.Now().Local().Format(layout), o.speed)
	}
	p("%s: context %q %s, read-only, on %s", clean.Line(filepath.Base(path)), clean.Line(v.past.Context()), what, v.url)
	p("%s", v.past.Summary())
	p("")
	if o.kubeconfig != "-" {
		p("  export KUBECONFIG=%s", shellQuote(v.kubeconfig))
	}
	p("  kubectl get %s", v.past.Example())
	p("")
	p("Ages that kubectl get shows are as of then; describe and k9s count to now. Ctrl-C ends.")
}

// run serves until ctx ends.
func (v *serving) run(ctx context.Context, s streams, o serveOptions) error {
	var moving sync.WaitGroup
	defer moving.Wait()
	ended := make(chan error, 1)
	if o.moving {
		moving.Go(func() { ended <- v.past.Run(ctx, o.speed) })
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		if err != nil {
			return failed("check the tape with: rewatch verify", "the tape cannot be read on: %s", oneLine(err))
		}
	}
	if ctx.Err() == nil {
		_, _ = fmt.Fprintln(s.err, "rewatch: the end of the tape is reached, and stays served")
	}
	<-ctx.Done()
	return nil
}
