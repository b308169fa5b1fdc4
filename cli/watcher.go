package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation"

	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch/resolve"
)

// watcher changes what a session watches while it runs: types, namespaces and
// contexts. It asks as the start did, by the same joiner; what is replaced is
// removed once what replaces it is there.
type watcher struct {
	ctx    context.Context // of the session
	j      *joiner
	closed bool   // there are no other contexts
	about  string // what the title ends with, whatever is watched

	changing sync.Mutex // one change at a time

	mu       sync.Mutex // of what follows
	flags    flags
	clusters []*cluster
}

func newWatcher(ctx context.Context, j *joiner, s session) *watcher {
	return &watcher{ctx: ctx, j: j, closed: s.closed, about: s.about, flags: *s.flags, clusters: s.clusters}
}

func (w *watcher) current() []*cluster {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.clusters
}

func (w *watcher) settings() (flags, []*cluster) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flags, w.clusters
}

// Watching implements ui.Watcher.
func (w *watcher) Watching() (out []ui.Watched) {
	for _, c := range w.current() {
		out = append(out, ui.Watched{Context: c.name, Namespaces: c.namespaces})
	}
	return out
}

// change is what the screen is told.
func (w *watcher) change(text string) ui.Change {
	return ui.Change{Title: title(w.current()) + w.about, Text: text}
}

// askAll asks clusters, all at once.
func (w *watcher) askAll(clusters []*cluster, ask func(*cluster) answer) []answer {
	out := make([]answer, len(clusters))
	var all sync.WaitGroup
	for i, c := range clusters {
		all.Go(func() { out[i] = ask(c) })
	}
	all.Wait()
	return out
}

// Add implements ui.Watcher.
func (w *watcher) Add(ctx context.Context, words []string) (ui.Change, error) {
	return w.changeTypes(ctx, words, w.add)
}

// Drop implements ui.Watcher.
func (w *watcher) Drop(ctx context.Context, words []string) (ui.Change, error) {
	return w.changeTypes(ctx, words, func(_ []resolve.Arg, got []answer) (ui.Change, error) {
		dropped := 0
		for _, a := range got {
			if a.err == nil {
				dropped += w.j.drop(a.res)
			}
		}
		if dropped == 0 {
			return ui.Change{}, fmt.Errorf("%s: not watched", strings.Join(words, ","))
		}
		return w.change("no longer watched: " + counted(dropped, "stream")), nil
	})
}

// changeTypes asks the clusters for the types of a text, and does what is to be
// done with them before another change begins.
func (w *watcher) changeTypes(ctx context.Context, words []string, do func([]resolve.Arg, []answer) (ui.Change, error)) (ui.Change, error) {
	args, err := resolve.Parse(words)
	if err != nil {
		return ui.Change{}, err
	}
	w.changing.Lock()
	defer w.changing.Unlock()
	got, err := w.find(ctx, args)
	if err != nil {
		return ui.Change{}, err
	}
	return do(args, got)
}

// add watches what the clusters have of some types.
func (w *watcher) add(args []resolve.Arg, got []answer) (ui.Change, error) {
	w.j.wants(args)
	added := 0
	var about []model.StreamInfo
	var notes []model.Note
	for _, a := range got {
		if a.err != nil {
			continue
		}
		before := w.j.streams(a.c.name)
		for _, t := range a.res.Targets {
			about = append(about, t.StreamInfo)
		}
		w.j.wantsTypes(&a.res)
		if err := w.j.join(a.c, a.res); err != nil {
			return ui.Change{}, err
		}
		for s := range w.j.streams(a.c.name) { // others may have ended
			if _, there := before[s]; !there {
				added++
			}
		}
		notes = append(notes, a.res.Notes...)
	}
	text := "watched already"
	if added > 0 {
		text = "now watched too: " + counted(added, "stream")
	}
	c := w.change(firstNote(text, notes))
	c.About = about
	return c, nil
}

// Remove implements ui.Watcher.
func (w *watcher) Remove(_ context.Context, id model.StreamID) (ui.Change, error) {
	w.changing.Lock()
	defer w.changing.Unlock()
	info, ok := w.j.remove(id)
	if !ok {
		return ui.Change{}, errors.New("this stream is removed already")
	}
	return w.change("no longer watched: " + streamName(info)), nil
}

// SetNamespaces implements ui.Watcher.
func (w *watcher) SetNamespaces(ctx context.Context, change func(now []string) ([]string, error)) (ui.Change, error) {
	w.changing.Lock()
	defer w.changing.Unlock()
	next, err := otherNamespaces(w.current(), change)
	if err != nil {
		return ui.Change{}, err
	}
	got := w.askAll(next, func(c *cluster) answer { return w.j.ask(ctx, c) })
	if ctx.Err() != nil {
		return ui.Change{}, ctx.Err()
	}
	if refused(got) {
		return ui.Change{}, fmt.Errorf("nothing has changed: this user may list and watch none of the types here in %s; ns with another name, or ask for these rights",
			scopes(next))
	}
	var notes []model.Note
	for _, a := range got {
		if a.err != nil {
			a.res = w.j.spread(a.c.name, a.c.namespaces)
		}
		notes = append(notes, a.res.Notes...)
		if err := w.replace(a); err != nil {
			return ui.Change{}, err
		}
	}
	w.mu.Lock()
	w.clusters = next
	if alike(next) { // so are those of contexts that are watched later
		names := next[0].namespaces
		w.flags.namespaces, w.flags.allNamespaces = names, len(names) == 0
	}
	w.mu.Unlock()
	return w.change(firstNote("watching "+scopes(next), notes)), nil
}

// alike reports whether the same namespaces are watched in all clusters.
func alike(clusters []*cluster) bool {
	return !slices.ContainsFunc(clusters, func(c *cluster) bool { return c.scope() != clusters[0].scope() })
}

// scopes says which namespaces are watched, and where that is not the same in all
// clusters, of which context it is said.
func scopes(clusters []*cluster) string {
	if alike(clusters) {
		return clusters[0].scope()
	}
	var out []string
	for _, c := range clusters {
		out = append(out, c.scope()+" in "+c.name)
	}
	return strings.Join(out, "; ")
}

// otherNamespaces are clusters with what becomes of the namespaces of each.
func otherNamespaces(clusters []*cluster, change func(now []string) ([]string, error)) ([]*cluster, error) {
	var next []*cluster
	for _, c := range clusters {
		names, err := change(c.namespaces)
		if err != nil && len(clusters) > 1 {
			err = fmt.Errorf("%s: %w", c.name, err)
		}
		if err != nil {
			return nil, err
		}
		for _, ns := range names {
			if len(validation.IsDNS1123Label(ns)) > 0 {
				return nil, fmt.Errorf("%q is no name of a namespace: it takes a-z, 0-9 and inner -", ns)
			}
		}
		n := *c
		n.namespaces, n.implied = names, c.implied && slices.Equal(names, c.namespaces)
		next = append(next, &n)
	}
	return next, nil
}

// refused reports whether all clusters have answered that there is nothing to
// watch.
func refused(got []answer) bool {
	return len(got) > 0 && !slices.ContainsFunc(got, func(a answer) bool { return a.err != nil || len(a.res.Targets) > 0 })
}

// replace watches in a context what an answer says and nothing else.
func (w *watcher) replace(a answer) error {
	w.j.stopAsking(a.c.name)
	if err := w.j.join(a.c, a.res); err != nil {
		return err
	}
	wanted := map[model.StreamInfo]bool{}
	for _, t := range a.res.Targets {
		wanted[t.StreamInfo] = true
	}
	w.j.retire(a.c.name, func(s model.StreamInfo) bool { return !wanted[s] })
	if a.err != nil {
		w.j.askLater(w.ctx, a.c)
	}
	return nil
}

// SetContexts implements ui.Watcher.
func (w *watcher) SetContexts(ctx context.Context, names []string) (ui.Change, error) {
	if w.closed {
		return ui.Change{}, errors.New("there are no other contexts here")
	}
	if len(names) == 0 {
		return ui.Change{}, errors.New("one context has to stay; q quits")
	}
	w.changing.Lock()
	defer w.changing.Unlock()
	next, fresh, err := w.choose(names)
	if err != nil {
		return ui.Change{}, err
	}
	got := w.askAll(fresh, func(c *cluster) answer { return w.j.ask(ctx, c) })
	if ctx.Err() != nil {
		return ui.Change{}, ctx.Err()
	}
	if len(fresh) == len(next) { // nothing of what was watched stays
		if err := onScreen(w.j.verdict(got, fresh)); err != nil {
			return ui.Change{}, err
		}
	}
	var notes []model.Note
	for _, a := range got {
		if a.err != nil {
			w.j.fallback(w.ctx, a.c, unreachable(a.c, a.err).Error())
			notes = append(notes, model.Note{Text: unreachable(a.c, a.err).msg})
			continue
		}
		if err := w.j.join(a.c, a.res); err != nil {
			return ui.Change{}, err
		}
		notes = append(notes, a.res.Notes...)
	}
	for _, c := range w.current() {
		if !slices.ContainsFunc(next, func(n *cluster) bool { return n.name == c.name }) {
			w.j.stopAsking(c.name)
			w.j.retire(c.name, func(model.StreamInfo) bool { return true })
			w.j.forgetClient(c.name)
		}
	}
	w.mu.Lock()
	w.clusters = next
	w.mu.Unlock()
	return w.change(firstNote("watching "+strings.Join(names, ", "), notes)), nil
}

// choose returns the clusters of some contexts; fresh are those that were not
// watched before. The kubeconfig is read without w.mu, which the screen waits for.
func (w *watcher) choose(names []string) (next, fresh []*cluster, err error) {
	flags, clusters := w.settings()
	for _, name := range names {
		i := slices.IndexFunc(clusters, func(c *cluster) bool { return c.name == name })
		if i >= 0 {
			next = append(next, clusters[i])
			continue
		}
		flags.contexts = []string{name}
		found, err := flags.clusters()
		if err != nil {
			return nil, nil, err
		}
		next, fresh = append(next, found...), append(fresh, found...)
	}
	return next, fresh, nil
}

// Types implements ui.Watcher.
func (w *watcher) Types(ctx context.Context) ([]ui.TypeChoice, error) {
	return merged(w, func(c *cluster) ([]ui.TypeChoice, error) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		found, err := resolve.Choices(ctx, w.j.config(c))
		var out []ui.TypeChoice
		for _, f := range found {
			out = append(out, ui.TypeChoice{Name: f.Name, Short: f.ShortNames, Kind: f.Kind})
		}
		return out, err
	}, func(t ui.TypeChoice) string { return t.Name })
}

// HasNamespace tells the screen whether a namespace in which nothing is exists.
func (w *watcher) HasNamespace(ctx context.Context, name, namespace string) (bool, error) {
	for _, c := range w.current() {
		if c.name == name {
			ctx, cancel := context.WithTimeout(ctx, c.timeout)
			defer cancel()
			return resolve.HasNamespace(ctx, w.j.config(c), namespace)
		}
	}
	return false, errors.New("there is no context " + name)
}

// Namespaces implements ui.Watcher.
func (w *watcher) Namespaces(ctx context.Context) ([]string, error) {
	return merged(w, func(c *cluster) ([]string, error) {
		ctx, cancel := context.WithTimeout(ctx, c.timeout)
		defer cancel()
		names, err := resolve.Namespaces(ctx, w.j.config(c))
		return append(names, c.namespaces...), err
	}, func(s string) string { return s })
}

// merged asks all clusters and returns each thing once; with an error what the
// others have told.
func merged[T any](w *watcher, ask func(*cluster) ([]T, error), key func(T) string) ([]T, error) {
	clusters := w.current()
	got, errs := make([][]T, len(clusters)), make([]error, len(clusters))
	var all sync.WaitGroup
	for i, c := range clusters {
		all.Go(func() { got[i], errs[i] = ask(c) })
	}
	all.Wait()
	seen := map[string]bool{}
	var out []T
	for i := range got {
		for _, x := range got[i] {
			if !seen[key(x)] {
				seen[key(x)] = true
				out = append(out, x)
			}
		}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return out, onScreen(unreachable(clusters[i], errs[i]))
	}
	return out, nil
}

// Contexts implements ui.Watcher.
func (w *watcher) Contexts(context.Context) ([]string, error) {
	flags, clusters := w.settings()
	names := map[string]bool{}
	for _, c := range clusters {
		names[c.name] = true
	}
	if !w.closed {
		for _, name := range flags.contextNames() {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// firstNote adds to a text what should be known of the change at once; all
// notes are in the timeline.
func firstNote(text string, notes []model.Note) string {
	if len(notes) == 0 {
		return text
	}
	text += "; " + notes[0].Text
	if len(notes) > 1 {
		text += fmt.Sprintf(" (and %d more in the timeline)", len(notes)-1)
	}
	return text
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprint(n, " ", what)
}

// streamName is resource[.group][ in namespace].
func streamName(s model.StreamInfo) string {
	name := cmp.Or(s.Name(), "?")
	if s.Namespace != "" {
		name += " in " + s.Namespace
	}
	return name
}
