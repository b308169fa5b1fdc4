package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/ui"
	"rewatch/watch"
	"rewatch/watch/resolve"
)

// session is one run of log, engine and screen over some clusters.
type session struct {
	flags    *flags
	clusters []*cluster
	request  resolve.Request
	typed    []string // the TYPEs of the command line
	known    string   // advice: which types there are; "" is how to ask the cluster
	streams  streams
	title    string
	about    string            // what the title ends with, whatever is watched
	news     <-chan model.Note // to show as they come; nil for none
	closed   bool              // there are no other contexts to choose
}

// runLive is the root command.
func runLive(ctx context.Context, f *flags, args []string, s streams) error {
	defer redirectLogs(f.logFile)() // reading the kubeconfig may log already
	session, err := f.session(args, s)
	if err != nil {
		return err
	}
	session.title = title(session.clusters)
	return session.run(ctx)
}

// session is what the flags and the TYPEs of a command line ask for.
func (f *flags) session(args []string, s streams) (session, error) {
	req, err := f.request(args)
	if err != nil {
		return session{}, err
	}
	clusters, err := f.clusters()
	return session{flags: f, clusters: clusters, request: req, typed: args, streams: s}, err
}

// title names the clusters and namespaces, for the header. Where the scopes
// differ, each context is followed by its own.
func title(clusters []*cluster) string {
	var names, both []string
	same := true
	for _, c := range clusters {
		names = append(names, c.name)
		both = append(both, c.name+" "+c.scope())
		same = same && c.scope() == clusters[0].scope()
	}
	if !same {
		return strings.Join(both, ", ")
	}
	return strings.Join(names, ",") + "  " + clusters[0].scope()
}

// stopTimeout bounds the wait for the engine at the end: quitting takes at
// most 200 ms, whatever state a connection is in.
const stopTimeout = 150 * time.Millisecond

// run opens the watches and shows them until the user, a signal or a closed
// pipe ends it.
func (s session) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	redactor, redaction, err := s.flags.redactor()
	if err != nil {
		return err
	}
	log := model.NewLog(model.Options{Budget: s.flags.memory.bytes, Redactor: redactor})
	tapes := &deck{log: log, name: s.clusters[0].name, redaction: redaction}
	if s.flags.record != "" {
		if err := tapes.start(ctx, s.flags.record, false, false); err != nil {
			return err
		}
	}
	engine := watch.NewEngine(log, watch.Options{})
	beside := &crew{end: cancel}
	j := newJoiner(engine, log, s, beside)
	if err := j.start(ctx, s.clusters, s.streams.err); err != nil {
		tapes.discard()
		if ctx.Err() != nil {
			return nil // interrupted while connecting
		}
		return err
	}
	beside.Go(func() { engine.Run(ctx) })
	beside.Go(func() { s.showNews(ctx, log) })

	err = s.show(ctx, log, engine, tapes, newWatcher(ctx, j, s))
	cancel()
	crash := beside.wait(stopTimeout, s.streams.err)
	told, failure := tapes.close()
	if told != "" {
		_, _ = fmt.Fprintf(s.streams.err, "rewatch: %s\n", clean.Line(told))
	}
	return cmp.Or(crash, err, failure)
}

// showNews puts the news into the log, on the first stream: notes belong to one.
func (s session) showNews(ctx context.Context, log *model.Log) {
	for {
		select {
		case n := <-s.news:
			log.Append(model.Record{Time: time.Now(), Type: model.Noted, Detail: n})
		case <-ctx.Done():
			return
		}
	}
}

// show runs the interface, or prints lines where there is no terminal.
func (s session) show(ctx context.Context, log *model.Log, engine *watch.Engine, tapes *deck, chooser *watcher) error {
	if s.flags.plain {
		return inSentences(newPrinter(log, s.streams, len(s.clusters) > 1), s.flags.zone).run(ctx)
	}
	if ok, _ := s.streams.canvas(); !ok {
		s.streams.explainLines("ctrl+c")
		p := newPrinter(log, s.streams, len(s.clusters) > 1)
		return p.run(ctx)
	}
	// Unhandled it would end the process with the terminal still raw. Elsewhere
	// it keeps its use, to print where every goroutine is.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGQUIT)
	defer stop()
	ctx, stop = s.streams.onCanvas(ctx)
	defer stop()
	ctx, jobs := withJobs(ctx, s.streams.in)
	enoughProcs()
	save, file := noiseFile()
	err := ui.Run(ctx, ui.Options{Log: log, SaveNoise: save, NoiseFile: file, Controls: engine, Watcher: chooser, Recorder: tapes, Server: chooser.j, Title: s.title, Theme: s.flags.theme.value, Look: s.flags.look(), Location: s.flags.zone, Rows: s.flags.rows, Noise: s.flags.noise,
		Environ: os.Environ(), Files: world{ctx}, Jobs: jobs, Keys: s.flags.keys, Input: s.streams.in, Output: s.streams.out})
	return interfaceEnded(err, "rewatch …")
}

// interfaceEnded tells how the interface of a command ended. A terminal that is
// gone, which may come before the screen is up, is an end as any other.
func interfaceEnded(err error, command string) error {
	if err == nil || errors.Is(err, syscall.EIO) {
		return nil
	}
	return failed("print lines instead with: "+command+" | cat", "the interface failed: %s", oneLine(err))
}

// isTerminal reports whether a stream is one.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}
