package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch"
	"rewatch/watch/resolve"
)

// joiner resolves the clusters, all at once, and adds their streams to the
// engine. One that cannot be asked does not hold up the others: its well-known
// types are added unasked, so that it is on screen as what it is, and it is
// asked again until it answers.
type joiner struct {
	engine  *watch.Engine
	log     *model.Log
	typed   []string // the TYPEs of the command line
	known   string   // advice: which types there are
	options watch.ClusterOptions
	beside  *crew

	mu      sync.Mutex
	request resolve.Request
	without map[typeKey]bool                    // removed by the user
	asking  map[string]context.CancelFunc       // ends asking a context again
	added   map[model.StreamInfo]model.StreamID // by info with ID 0
	first   map[string]model.StreamID           // a stream of each context, to hang notes on
	pending map[string][]model.Note             // notes of contexts without a stream
	noted   map[string]bool
	clients map[string]*watch.Cluster
}

func newJoiner(e *watch.Engine, log *model.Log, s session, beside *crew) *joiner {
	return &joiner{
		engine: e, log: log, request: s.request, typed: s.typed, beside: beside,
		known:   cmp.Or(s.known, "all types: kubectl api-resources"),
		options: watch.ClusterOptions{QPS: s.flags.qps, Burst: s.flags.burst, HTTP1: s.flags.http1},
		without: map[typeKey]bool{}, asking: map[string]context.CancelFunc{},
		added: map[model.StreamInfo]model.StreamID{}, first: map[string]model.StreamID{},
		pending: map[string][]model.Note{}, noted: map[string]bool{}, clients: map[string]*watch.Cluster{},
	}
}

// How long the start waits for the slowest of several clusters once one has
// answered, and how often one that has not is asked again.
const (
	graceForOthers = 2 * time.Second
	askAgainEvery  = 5 * time.Second
)

// answer is what resolving one cluster came to.
type answer struct {
	c   *cluster
	res resolve.Result
	err error
}

// start returns when there is something to show, or with what went wrong. It
// goes on in the background, until ctx ends, for clusters that did not answer.
func (j *joiner) start(ctx context.Context, clusters []*cluster, progress io.Writer) error {
	answers := make(chan answer, len(clusters)) // nobody waits to be read
	for _, c := range clusters {
		j.beside.Go(func() { answers <- j.ask(ctx, c) })
	}
	if isTerminal(progress) {
		patience := time.AfterFunc(time.Second, func() {
			_, _ = fmt.Fprintf(progress, "rewatch: waiting for %s …\n", title(clusters))
		})
		defer patience.Stop()
	}
	got, err := collect(ctx, answers, len(clusters))
	if err != nil {
		return err
	}
	if err := j.verdict(got, clusters); err != nil {
		return err
	}
	for _, c := range clusters {
		i := slices.IndexFunc(got, func(a answer) bool { return a.c == c })
		switch {
		case i < 0:
			j.fallback(ctx, c, "has not answered yet")
		case got[i].err != nil:
			j.fallback(ctx, c, unreachable(c, got[i].err).Error())
		default:
			if err := j.join(c, got[i].res); err != nil {
				return err
			}
		}
	}
	return nil
}

// collect waits for all answers, or a little while after the first good one.
func collect(ctx context.Context, answers <-chan answer, n int) ([]answer, error) {
	var got []answer
	var grace <-chan time.Time
	for len(got) < n {
		select {
		case a := <-answers:
			got = append(got, a)
			if a.err == nil && grace == nil {
				grace = time.After(graceForOthers)
			}
		case <-grace:
			return got, nil
		case <-ctx.Done():
			return got, ctx.Err()
		}
	}
	return got, nil
}

// verdict decides whether the answers give anything to show, and if not, which
// of the reasons to tell.
func (j *joiner) verdict(got []answer, clusters []*cluster) error {
	var failures []*failure
	targets := 0
	unknown := map[string]int{} // type → contexts without it
	for _, a := range got {
		if a.err != nil {
			failures = append(failures, unreachable(a.c, a.err))
			continue
		}
		targets += len(a.res.Targets)
		for _, u := range a.res.Unknown {
			if unknown[u.Arg.Type]++; unknown[u.Arg.Type] == len(clusters) {
				return j.unknownType(u)
			}
		}
	}
	switch {
	case len(failures) == len(clusters):
		return allFailed(failures)
	case targets == 0 && len(got) == len(clusters) && len(failures) == 0:
		return nothingAllowed(got)
	}
	return nil
}

func allFailed(failures []*failure) error {
	all := *failures[0]
	for _, f := range failures[1:] {
		all.msg += ", " + f.msg
	}
	return &all
}

func (j *joiner) unknownType(u *resolve.UnknownTypeError) error {
	next := j.known
	guesses := u.Nearest
	// kubectl's "TYPE NAME" is written TYPE/NAME here, where each word is a
	// type; within a list with commas kubectl takes no names either.
	i := slices.IndexFunc(j.typed, func(s string) bool { return strings.EqualFold(s, u.Arg.Type) })
	if i > 0 && u.Detail == "" && len(guesses) == 0 && !strings.ContainsAny(j.typed[i-1], ",/") {
		guesses = []string{j.typed[i-1] + "/" + j.typed[i]}
	}
	if len(guesses) > 0 {
		next = "did you mean " + strings.Join(guesses, ", ") + "? " + next
	}
	return failed(next, "%v", u)
}

// nothingAllowed is for the default set: types named by the user stay.
func nothingAllowed(got []answer) error {
	denied := 0
	scopes := map[string]bool{}
	for _, a := range got {
		denied += a.res.Denied
		scopes[a.c.scope()] = true
	}
	if denied == 0 {
		return failed("name one, from: kubectl api-resources", "the server has none of the usual types")
	}
	return failed("name a namespace with -n, or a type that you may watch, from: kubectl auth can-i --list",
		"nothing to watch: this user may list and watch none of the usual types (%s)",
		strings.Join(slices.Sorted(maps.Keys(scopes)), ", "))
}

// ask resolves one cluster, within its request timeout.
func (j *joiner) ask(ctx context.Context, c *cluster) answer {
	return j.askFor(ctx, c, j.requestFor(c))
}

func (j *joiner) askFor(ctx context.Context, c *cluster, req resolve.Request) answer {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	res, err := resolve.Resolve(ctx, j.config(c), req)
	return answer{c, res, err}
}

// config is for requests that are answered at once.
func (j *joiner) config(c *cluster) *rest.Config {
	cfg := rest.CopyConfig(c.cfg)
	cfg.Timeout = c.timeout
	cfg.WarningHandler = rest.NoWarnings{} // the streams will tell
	cfg.Wrap(watch.Guard)
	if j.options.HTTP1 {
		cfg.NextProtos = []string{"http/1.1"}
	}
	return cfg
}

func (j *joiner) requestFor(c *cluster) resolve.Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	req := j.request
	req.Context, req.Server, req.Namespaces = c.name, c.server, c.namespaces
	return req
}

// fallback shows the well-known types of a cluster that cannot be asked, and
// asks it again until it answers.
func (j *joiner) fallback(ctx context.Context, c *cluster, why string) {
	res := resolve.Fallback(j.requestFor(c))
	res.Unknown = nil // perhaps known to the server
	res.Notes = append(res.Notes, model.Note{Cause: model.CauseNetwork,
		Text: fmt.Sprintf("context %s: %s; asking again every %v", c.name, why, askAgainEvery)})
	if err := j.join(c, res); err != nil {
		j.note(c.name, model.Note{Text: err.Error()})
		return
	}
	j.askLater(ctx, c)
}

// askLater asks a cluster again until it answers, instead of one of the same
// context that is asked already.
func (j *joiner) askLater(ctx context.Context, c *cluster) {
	j.stopAsking(c.name)
	ctx, cancel := context.WithCancel(ctx)
	j.mu.Lock()
	j.asking[c.name] = cancel
	j.mu.Unlock()
	j.beside.Go(func() {
		defer cancel()
		j.askAgain(ctx, c)
	})
}

func (j *joiner) stopAsking(context string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if cancel := j.asking[context]; cancel != nil {
		cancel()
		delete(j.asking, context)
	}
}

func (j *joiner) askAgain(ctx context.Context, c *cluster) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(askAgainEvery/2 + rand.N(askAgainEvery)):
		}
		a := j.ask(ctx, c)
		if a.err != nil || ctx.Err() != nil {
			continue
		}
		if err := j.join(c, a.res); err != nil {
			j.note(c.name, model.Note{Text: err.Error()})
		}
		j.note(c.name, model.Note{Text: fmt.Sprintf("context %s answers", c.name)})
		return
	}
}

// join adds what is new of a result.
func (j *joiner) join(c *cluster, res resolve.Result) error {
	client, err := j.client(c)
	if err != nil {
		return failed("check the kubeconfig: kubectl config view", "context %q cannot be used: %s", c.name, oneLine(err))
	}
	j.mu.Lock()
	for _, t := range res.Targets {
		if _, ok := j.added[t.StreamInfo]; !ok && !j.without[typeOf(t.StreamInfo)] {
			id := j.engine.Add(client, t)
			j.added[t.StreamInfo] = id
			if _, ok := j.first[c.name]; !ok {
				j.first[c.name] = id
			}
		}
	}
	j.mu.Unlock()
	if c.implied && len(res.Targets) > 0 {
		j.note(c.name, model.Note{Text: fmt.Sprintf("namespace %s, as context %s says; -A watches all", c.scope(), c.name)})
	}
	for _, u := range res.Unknown {
		j.note(c.name, model.Note{Cause: model.CauseNotFound, Text: u.Error()})
	}
	for _, n := range res.Notes {
		j.note(c.name, n)
	}
	return nil
}

func (j *joiner) client(c *cluster) (*watch.Cluster, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if client, ok := j.clients[c.name]; ok {
		return client, nil
	}
	cfg := rest.CopyConfig(c.cfg)
	cfg.Wrap(warningTap(func(text string) { j.note(c.name, model.Note{Text: "the server warns: " + text}) }))
	client, err := watch.NewCluster(c.name, cfg, j.options)
	if err == nil {
		j.clients[c.name] = client
	}
	return client, err
}

// note puts a note into the log, once. Notes belong to streams: those of a
// context without any hang on another's, and name the context themselves.
func (j *joiner) note(context string, n model.Note) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.noted[context+"\x00"+n.Text] {
		return
	}
	j.noted[context+"\x00"+n.Text] = true
	j.pending[context] = append(j.pending[context], n)
	for ctx, notes := range j.pending {
		id, ok := j.first[ctx]
		if !ok {
			if len(j.first) == 0 {
				continue
			}
			for _, other := range j.first {
				id = other
			}
			for i := range notes {
				notes[i].Text = ctx + ": " + notes[i].Text
			}
		}
		for _, n := range notes {
			j.log.Append(model.Record{Time: time.Now(), Stream: id, Type: model.Noted, Detail: n})
		}
		delete(j.pending, ctx)
	}
}
