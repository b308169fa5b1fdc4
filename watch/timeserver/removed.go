package timeserver

import (
	"fmt"
	"slices"
	"strings"

	"rewatch/model"
)

// A watch that its user removed is no longer known of: what it had seen stays,
// so that nobody is told of deletions that did not happen, but is not answered
// with. Where the same is watched anew, its first list tells what is left.

// removed reports whether the user has removed the watch.
func (s *pastStream) removed() bool { return s.last.Removes() }

// stepped does what a step of a stream means for the objects.
func (p *Past) stepped(s *pastStream, step model.Transition) {
	if s.typ == nil || s.typ.holders == nil {
		return
	}
	switch {
	case step.Removes():
		for _, by := range s.typ.holders {
			delete(by, s.ID)
		}
	case step.From == model.Syncing && step.To.Fresh():
		for key, by := range s.typ.holders {
			namespace, name, found := strings.Cut(key, "/")
			if !found {
				namespace, name = "", key
			}
			if len(by) == 0 && (s.Namespace == "" || s.Namespace == namespace) {
				p.remove(s, nil, model.Identity{Namespace: namespace, Name: name})
			}
		}
	}
}

// watched are the streams of a type that count. Where some were removed, those
// are the ones that had begun and were not; if there is none of these, the
// removed ones.
func (p *Past) watched(t *pastType) []*pastStream {
	if !slices.ContainsFunc(t.streams, (*pastStream).removed) {
		return t.streams
	}
	var of, removed []*pastStream
	for _, s := range t.streams {
		switch {
		case s.removed():
			removed = append(removed, s)
		case p.begun(s):
			of = append(of, s)
		}
	}
	if len(of) == 0 {
		return removed
	}
	return of
}

// removedText says that nothing has been watched any more of what is asked for,
// "" if that is not so.
func (p *Past) removedText(of []*pastStream) string {
	for _, s := range of {
		if !s.removed() {
			return ""
		}
	}
	s := of[0]
	return fmt.Sprintf("the watch of %s%s was removed by its user at %s", s.Resource, s.where(), s.since.UTC().Format(clockLayout))
}
