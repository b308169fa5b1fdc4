package timeserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Options are those of a [Server] of this past. Its version says that it is a
// recording, since a tape does not know that of the cluster.
func (p *Past) Options() Options {
	return Options{
		Version:  apiVersion + "+rewatch-recording",
		Now:      p.Now,
		Still:    true,
		Coverage: p.coverage,
		ReadOnly: func() string {
			return fmt.Sprintf("this is a recording of %q at %s; it can only be read", p.context, p.Now().UTC().Format("2006-01-02T15:04:05Z"))
		},
	}
}

// sorted are the recorded types, by what is usual first, then by key.
func (p *Past) sorted() []*pastType {
	var out []*pastType
	for _, t := range p.types {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *pastType) int { return cmp.Compare(a.Key(), b.Key()) })
	return out
}

// Whole is whether the tape had all that leads to the moment being served: if
// not, it is damaged there, and objects may be missing or older.
func (p *Past) Whole() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.whole
}

// Summary says in one line which types are served, and how many objects of
// each.
func (p *Past) Summary() string {
	var parts []string
	n := 0
	for _, t := range p.sorted() {
		count := p.store.count(t.Key())
		n += count
		parts = append(parts, fmt.Sprintf("%s %d", t.Key(), count))
	}
	objects := "objects"
	if n == 1 {
		objects = "object"
	}
	return fmt.Sprintf("%d %s: %s", n, objects, strings.Join(parts, ", "))
}

// Namespace is the only namespace that was watched, "" if there are several or
// all.
func (p *Past) Namespace() string {
	only := ""
	for _, s := range p.streams {
		if !s.Namespaced {
			continue
		}
		if s.Namespace == "" || only != "" && only != s.Namespace {
			return ""
		}
		only = s.Namespace
	}
	return only
}

// Example is what kubectl get could be asked for.
func (p *Past) Example() string {
	name := "pods"
	if all := p.sorted(); p.types[name] == nil && len(all) > 0 {
		name = all[0].Key()
	}
	if t := p.types[name]; t != nil && t.Namespaced && p.Namespace() == "" {
		return name + " -A"
	}
	return name
}
