package timeserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"rewatch/model"
	"rewatch/model/clean"
)

// Coverage is what is known of what somebody asks for: nil, warnings that go
// with the answer, or an API error where nothing is known, since an empty
// answer would be a lie.
type Coverage func(Access) (warnings []string, err error)

// warn adds the warnings to an answer, which kubectl prints.
func (x *exchange) warn(warnings []string) {
	for _, w := range warnings {
		if h, err := utilnet.NewWarningHeader(299, "-", clean.Line(w)); err == nil {
			x.w.Header().Add("Warning", h)
		}
	}
}

// ShutdownGrace is how long before the end of a recording its watches may have
// been stopped without being out of date.
const ShutdownGrace = 5 * time.Second

// coverage is the [Coverage] of this past at this moment.
func (p *Past) coverage(a Access) (warnings []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := Resource{Group: a.Group, Resource: a.Resource}
	t := p.types[r.Key()]
	if t == nil && r.Key() == p.mirror {
		t = p.types[p.mirrored]
	}
	if t == nil {
		if r.Key() == "namespaces" {
			return []string{"namespaces were not recorded: these are the ones that what was recorded is in"}, nil
		}
		return nil, p.unknown(a, a.Resource+" were not recorded")
	}
	of, scopes := p.asked(t, a.Namespace)
	if len(of) == 0 {
		return nil, p.unknown(a, fmt.Sprintf("%s were recorded only in %s", a.Resource, namespaceList(scopes)))
	}
	if text := p.removedText(of); text != "" {
		return nil, p.unknown(a, text)
	}
	empty := p.store.count(t.Key()) == 0
	if empty && !slices.ContainsFunc(of, p.begun) {
		return nil, p.unknown(a, fmt.Sprintf("the recording of %s begins later than %s", a.Resource, p.now.UTC().Format(time.RFC3339)))
	}
	if len(scopes) > 0 && a.Namespace == "" {
		warnings = append(warnings, fmt.Sprintf("%s were recorded only in %s", a.Resource, namespaceList(scopes)))
	}
	if w := selectorWarning(a.Resource, of); w != "" {
		warnings = append(warnings, w)
	}
	for _, s := range of {
		w := p.stateWarning(s)
		if w == "" {
			w = p.gapWarning(s)
		}
		if w != "" && empty && s.last.To == model.Denied {
			return nil, p.unknown(a, w)
		}
		if w != "" {
			warnings = append(warnings, w)
		}
	}
	if p.lost {
		warnings = append(warnings, "the recorder lost frames of this tape: objects may be older than they were")
	}
	if !p.whole {
		warnings = append(warnings, "the tape is damaged before this moment: objects may be missing")
	}
	return slices.Compact(warnings), nil
}

// begun reports whether a stream had begun: one that tells its steps has told
// one by then.
func (p *Past) begun(s *pastStream) bool { return s.declared && !(p.steps && s.since.IsZero()) }

func (p *Past) unknown(a Access, why string) error {
	return apierrors.NewForbidden(Resource{Group: a.Group, Resource: a.Resource}.groupResource(), a.Name,
		errors.New(clean.Line(why+", so nothing is known of what you ask for")))
}

// asked are the streams that an answer about a namespace, or about all, comes
// from. scopes are the namespaces that were watched, if that was not all.
func (p *Past) asked(t *pastType, namespace string) (of []*pastStream, scopes []string) {
	everywhere := false
	for _, s := range p.watched(t) {
		everywhere = everywhere || s.Namespace == ""
		if s.Namespace == "" || namespace == "" || s.Namespace == namespace {
			of = append(of, s)
		}
		scopes = append(scopes, s.Namespace)
	}
	if everywhere {
		return of, nil
	}
	slices.Sort(scopes)
	return of, slices.Compact(scopes)
}

func namespaceList(names []string) string {
	if len(names) == 1 {
		return "namespace " + names[0]
	}
	return "namespaces " + strings.Join(names, ", ")
}

// selectorWarning says that a selection was recorded, if each of the streams
// has one.
func selectorWarning(resource string, of []*pastStream) string {
	var selections []string
	for _, s := range of {
		switch {
		case s.Label == "" && s.Field == "":
			return ""
		case s.Field == "":
			selections = append(selections, s.Label)
		default:
			selections = append(selections, strings.Trim(s.Label+" "+s.Field, " "))
		}
	}
	slices.Sort(selections)
	return fmt.Sprintf("%s were recorded only where they match %s", resource, strings.Join(slices.Compact(selections), " or "))
}

// stateWarning says why a stream may not have been up to date.
func (p *Past) stateWarning(s *pastStream) string {
	in, step := s.where(), s.last
	switch {
	case s.since.IsZero(): // a capture, or before its first step
		if p.steps {
			return fmt.Sprintf("the watch of %s%s had not begun", s.Resource, in)
		}
		return ""
	case step.To.Fresh() || step.To == model.Rotating || step.To == model.Polling:
		return ""
	case step.To == model.Stopped && step.Cause == model.CauseShutdown && p.now.Sub(s.since) < ShutdownGrace:
		return ""
	case step.To == model.Connecting && (step.From == model.Rotating || step.From.Fresh()):
		return ""
	case step.To == model.Denied:
		return fmt.Sprintf("whoever recorded was not allowed to watch %s%s", s.Resource, in)
	}
	text := ""
	if step.Text != "" {
		text = " (" + step.Text + ")"
	}
	return fmt.Sprintf("the watch of %s%s was in state %s%s since %s: these objects may be older than they were", s.Resource, in,
		step.To, text, step.Onset(s.since).UTC().Format(clockLayout))
}

// clockLayout is for moments near the one that is served.
const clockLayout = "15:04:05Z"

// where are words for the namespace that a stream is of.
func (s *pastStream) where() string {
	if s.Namespace == "" {
		return ""
	}
	return " in namespace " + s.Namespace
}

// covered reports whether an access is one that the server can answer.
func (s *Server) covered(a Access) error {
	if s.o.Coverage == nil {
		return nil
	}
	_, err := s.o.Coverage(a)
	return err
}
