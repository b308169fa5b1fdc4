package cli

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch/resolve"
	"rewatch/watch/timeserver"
)

func newDemo(f *flags, s streams) *cobra.Command {
	o := demoOptions{speed: pace{1}}
	cmd := &cobra.Command{
		Use:   "demo [TYPE]...",
		Short: "Replay a recorded cluster: no cluster needed",
		Long: `Replay the tape that comes with rewatch: three minutes of a small cluster, with a
rollout, a fight between two managers, nodes that do not answer and an apiserver
that restarts. All keys of a replay work: ? shows them.

With --chaos the cluster is watched live: this process serves it over HTTP on the
loopback interface, again and again, and the server misbehaves as servers do.`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: completeTypes,
		RunE: func(cmd *cobra.Command, args []string) error { return runDemo(cmd.Context(), f, o, args, s) },
	}
	cmd.Flags().Var(&o.speed, "speed", "How many times faster than recorded; max does not wait")
	cmd.Flags().BoolVar(&o.tour, "tour", false, "Lead through the screen in short steps")
	cmd.Flags().BoolVar(&o.chaos, "chaos", false, "Watch a server that misbehaves as servers do: cut connections, 410, 429, silence, slow headers")
	return cmd
}

type demoOptions struct {
	speed pace
	chaos bool
	tour  bool
}

// demoHeartbeat is the interval of the demo server's bookmarks. A real one
// takes a minute, which is long to wait for who wants to see a heartbeat.
const demoHeartbeat = 10 * time.Second

// demoWindow is how many changes per resource the demo's server keeps: at the
// recorded pace more than a minute of the busiest one, about what a
// kube-apiserver does. More would only be memory beside --memory.
const demoWindow = 256

func runDemo(ctx context.Context, f *flags, o demoOptions, args []string, s streams) error {
	if o.chaos && math.IsInf(o.speed.times, 0) {
		return usage("--speed max is for replays; with --chaos it must be a number above 0")
	}
	if o.tour && (o.chaos || f.plain || !isTerminal(s.out)) {
		return usage("--tour leads through the screen of a replay: it needs a terminal, and neither --chaos nor --plain")
	}
	defer redirectLogs(f.logFile)()
	types, err := resolve.Parse(args)
	if err != nil {
		return usage("%v", err)
	}
	if !o.chaos {
		return replayDemo(ctx, f, o, types, s)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d, err := startDemo(ctx, o)
	switch {
	case errors.Is(err, context.Canceled):
		return nil // interrupted while starting
	case err != nil:
		return failed("", "the demo cannot start: %s", oneLine(err))
	}
	defer d.stop(cancel)
	session := session{
		flags: f, clusters: []*cluster{d.cluster}, request: resolve.Request{Types: types}, typed: args,
		title: "demo" + chaosWords, about: chaosWords, streams: s, news: d.disturbances, closed: true,
	}
	if len(types) == 0 {
		session.request.Types = d.types
	}
	var names []string
	for _, t := range d.types {
		names = append(names, t.String())
	}
	session.known = "the demo has: " + strings.Join(names, ", ")
	return session.run(ctx)
}

// chaosWords say in the title what the demo is.
const chaosWords = "  a recorded cluster, with chaos"

// demo is a recorded cluster being served.
type demo struct {
	cluster      *cluster
	types        []resolve.Arg // all that the recording has
	endpoint     *timeserver.Endpoint
	disturbances chan model.Note // nil without chaos
	playing      sync.WaitGroup
}

func startDemo(ctx context.Context, o demoOptions) (*demo, error) {
	history, err := timeserver.Demo(ctx)
	if err != nil {
		return nil, err
	}
	player := timeserver.NewPlayer(history)
	player.Speed, player.Loop = o.speed.times, true
	if err := player.Load(); err != nil {
		return nil, err
	}
	player.Store.SetWindow(demoWindow)
	server := timeserver.NewServer(player.Store, timeserver.Options{BookmarkEvery: demoHeartbeat})
	d := &demo{}
	if d.endpoint, err = timeserver.NewEndpoint(server, timeserver.EndpointOptions{}); err != nil {
		return nil, err
	}
	cfg := &rest.Config{Host: d.endpoint.URL(), UserAgent: "rewatch/" + version(), QPS: -1}
	d.cluster = &cluster{name: "demo", server: hostPort(cfg), cfg: cfg, timeout: requestTimeout}
	d.types = demoTypes(history)
	d.playing.Go(func() { _ = player.Run(ctx) }) // it returns no error
	if o.chaos {
		d.disturbances = make(chan model.Note, 16)
		d.playing.Go(func() { d.disturb(ctx, server) })
	}
	return d, nil
}

// demoTypes are all types of a recording, the usual ones first.
func demoTypes(h *timeserver.History) []resolve.Arg {
	var all []resolve.Arg
	for _, r := range h.Resources() {
		all = append(all, resolve.Arg{Type: r.Key()})
	}
	usual := resolve.Default()
	rank := func(a resolve.Arg) int {
		if i := slices.Index(usual, a); i >= 0 {
			return i
		}
		return len(usual)
	}
	slices.SortStableFunc(all, func(a, b resolve.Arg) int { return rank(a) - rank(b) })
	return all
}

// disturb breaks the server until ctx ends. What nobody takes note of in time
// is not told.
func (d *demo) disturb(ctx context.Context, server *timeserver.Server) {
	rng := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	timeserver.Chaos(ctx, server, d.endpoint, rng, func(x timeserver.Disturbance) {
		select {
		case d.disturbances <- model.Note{Text: "chaos: " + x.Text}:
		default:
		}
	})
}

// stop ends the server; what takes long is left to the end of the process.
func (d *demo) stop(cancel context.CancelFunc) {
	cancel()
	done := make(chan struct{})
	go func() { defer close(done); d.endpoint.Close(); d.playing.Wait() }()
	select {
	case <-done:
	case <-time.After(stopTimeout):
	}
}
