package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/query"
	"rewatch/watch/export"
	"rewatch/watch/player"
	"rewatch/watch/resolve"
)

// tailTape reads tapes, in the order of their times.
func tailTape(ctx context.Context, f *flags, p plan, args []string, s streams) error {
	req, err := f.request(args)
	if err != nil {
		return err
	}
	if len(args) == 0 { // everything, whatever is watched by default
		req.Types = nil
	}
	if f.selector != "" || f.fieldSelector != "" {
		return usage("selectors are for servers; of a tape, --filter selects")
	}
	sources, names, closeAll, err := openSources(p.from)
	defer closeAll()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	behind := &backlog{}
	play := player.New(sources, player.Options{Log: model.Options{Budget: p.memory}, Speed: math.Inf(1), Hold: behind.full})
	beside := &crew{end: cancel}
	beside.Go(func() { play.Run(ctx) })
	err = followTape(ctx, play, behind, func(t *tailer) error {
		from, to := player.Span(sources)
		if p.timeout > 0 {
			t.deadline = from.Add(p.timeout)
		}
		for i := range sources {
			if filter := sources[i].Tape.Info().Filter; filter != "" {
				t.doubt(names[i] + " has only what matched when it was recorded: " + filter)
			}
		}
		if t.chosen, err = newSelection(t.log, play.Streams(), req.Types, f); err != nil {
			return err
		}
		t.begin(export.LinesHead{From: from, To: to, Tape: strings.Join(names, " ")})
		return nil
	}, p, s)
	cancel()
	if crash := beside.wait(stopTimeout, s.err); crash != nil {
		return crash
	}
	return err
}

// openSources opens tapes to be played. closeAll is never nil.
func openSources(paths []string) (sources []player.Source, names []string, closeAll func(), err error) {
	var open []*tapeFile
	closeAll = func() {
		for _, t := range open {
			_ = t.Close()
		}
	}
	if err := notTwice(paths); err != nil {
		return nil, nil, closeAll, err
	}
	for _, path := range paths {
		t, err := openTape(path)
		if err != nil {
			return nil, nil, closeAll, err
		}
		open = append(open, t)
		if t.Info().Records == 0 {
			return nil, nil, closeAll, failed("record for longer, or try: rewatch info "+path, "%s has no events", path)
		}
		sources = append(sources, player.Source{Name: filepath.Base(path), Tape: t.Tape})
		names = append(names, filepath.Base(path))
	}
	return sources, names, closeAll, nil
}

// backlog holds a player back while rows wait to be read.
type backlog struct {
	log  atomic.Pointer[model.Log]
	read atomic.Uint64
}

// full reports whether enough rows wait.
func (b *backlog) full() bool {
	log := b.log.Load()
	return log != nil && uint64(log.Snapshot().End())-b.read.Load() > aheadOfLines
}

// followTape reads what a player plays, to its end. ready is called when the log
// is there.
func followTape(ctx context.Context, play *player.Player, behind *backlog, ready func(*tailer) error, p plan, s streams) error {
	for play.Playback().Seeking { // to where it begins
		select {
		case <-play.Changed():
		case <-ctx.Done():
			return newTailer(play.Log(), p, s, false).unanswered("interrupted")
		}
	}
	if b := play.Playback(); b.Text != "" && !b.AtEnd {
		return failed("check it with: rewatch verify FILE", "cannot play: %s", b.Text)
	}
	contexts := map[string]bool{}
	for _, x := range play.Streams() {
		contexts[x.Context] = true
	}
	t := newTailer(play.Log(), p, s, len(contexts) > 1)
	ended := make(chan struct{})
	t.ended, t.progress = ended, &behind.read
	if err := ready(t); err != nil {
		return err
	}
	t.damaged = func() bool { return play.Playback().Damaged }
	behind.log.Store(t.log)
	go func() {
		defer close(ended)
		for !play.Playback().AtEnd {
			select {
			case <-play.Changed():
			case <-ctx.Done():
				return
			}
		}
	}()
	err := t.run(ctx)
	if b := play.Playback(); b.AtEnd && b.Text != "" {
		_, _ = fmt.Fprintf(s.err, "%s %-8s %s\n", stamp(b.Now), "NOTE", clean.Line(b.Text))
	}
	return err
}

// selection is which rows of a tape TYPE, -n and --context ask for.
type selection struct {
	log        *model.Log
	streams    []bool         // by number: what it watches is asked for
	objects    *query.Matcher // nil is all
	namespaces []string       // nil is all
}

// newSelection is nil where everything is asked for.
func newSelection(log *model.Log, streams []model.StreamInfo, types []resolve.Arg, f *flags) (*selection, error) {
	if len(types) == 0 && len(f.namespaces) == 0 && len(f.contexts) == 0 {
		return nil, nil
	}
	c := &selection{log: log, namespaces: f.namespaces, streams: make([]bool, len(streams))}
	var terms []string
	kinds := make([]*query.Matcher, len(types))
	for i, a := range types {
		q, err := query.Parse(kindTerm(a.Type))
		if err != nil {
			return nil, usage("%s: %s", a, oneLine(err))
		}
		kinds[i] = q.Compile(log, query.Options{})
		term := q.String()
		if a.Name != "" {
			term += fmt.Sprintf(" name:=%s", a.Name)
		}
		terms = append(terms, "("+term+")")
	}
	if len(terms) > 0 {
		q, err := query.Parse(strings.Join(terms, " OR "))
		if err != nil {
			return nil, usage("%s: %s", strings.Join(terms, " "), oneLine(err))
		}
		c.objects = q.Compile(log, query.Options{})
	}
	found := make([]bool, len(types))
	var has []string
	for i, s := range streams {
		if !slices.Contains(has, s.Name()) {
			has = append(has, s.Name())
		}
		in := len(types) == 0
		for k, m := range kinds {
			if m.Holds(model.Event{Type: model.StreamChange, Stream: s.ID}) {
				found[k], in = true, true
			}
		}
		c.streams[i] = in && (len(f.contexts) == 0 || slices.Contains(f.contexts, s.Context)) &&
			(len(f.namespaces) == 0 || s.Namespace == "" || slices.Contains(f.namespaces, s.Namespace))
	}
	for k, a := range types {
		if !found[k] {
			return nil, failed("it has "+strings.Join(has, ", "), "the tape has no %s", a.Type)
		}
	}
	if !slices.Contains(c.streams, true) {
		return nil, failed("see what it has with: rewatch info TAPE", "the tape has nothing of these namespaces and contexts")
	}
	return c, nil
}

// categoryAll is what kubectl's category "all" has of the built-in types.
const categoryAll = "pods,services,replicationcontrollers,daemonsets.apps,deployments.apps,replicasets.apps,statefulsets.apps," +
	"jobs.batch,cronjobs.batch,horizontalpodautoscalers.autoscaling"

var versionPart = regexp.MustCompile(`\.v[0-9]+((alpha|beta)[0-9]+)?(\.|$)`)

// kindTerm is the term of a query for a type, without a version: a tape has one
// of each type.
func kindTerm(typ string) string {
	if typ == "all" {
		return "kind:" + categoryAll
	}
	return fmt.Sprintf("kind:%q", versionPart.ReplaceAllString(typ, "$3"))
}

// stream reports whether what a stream watches is asked for.
func (c *selection) stream(id model.StreamID) bool {
	return int(id) < len(c.streams) && c.streams[id]
}

// has reports whether a row is asked for.
func (c *selection) has(e model.Event) bool {
	if !c.stream(e.Stream) {
		return false
	}
	if !e.Type.IsObject() {
		return true
	}
	if len(c.namespaces) > 0 {
		if ns := c.log.Identity(e.Object).Namespace; ns != "" && !slices.Contains(c.namespaces, ns) {
			return false
		}
	}
	return c.objects == nil || c.objects.Holds(e)
}
