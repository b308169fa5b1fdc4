// Package noise tells the changes that say nothing from those that do, by
// rules: renewed leases, heartbeats of nodes, Events that were counted up.
//
// A rule is data, so that a configuration file may hold it and that it can be
// made from a row: see [Like]. It folds a change only if everything that
// changed is named by it; the one path that it does not name makes the change a
// real one. What no rule is about is never folded.
package noise

import (
	"fmt"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// Rule says which changes are noise.
type Rule struct {
	Name string `json:"name"` // for people: "lease renewals"
	// Kind is the kind of the objects, with the group behind a dot or without:
	// Lease.coordination.k8s.io. "" is any.
	Kind string `json:"kind,omitempty"`
	// Namespace and Object, the name, are exact but for *, which stands for any
	// text. "" is any.
	Namespace string `json:"namespace,omitempty"`
	Object    string `json:"object,omitempty"`
	// Paths are those that may change, spelled as in [diff.Change]. * stands for
	// any key, [*] for any element of a list; a path stands for all that is
	// below it as well. Behind a # follows a path in the JSON that the text
	// there holds: then nothing else of that text may change.
	// metadata.generation, resourceVersion and managedFields always may.
	Paths []string `json:"paths,omitempty"`
	// Deleted makes the rule about deletions instead: of objects whose last
	// news is at least this old, as when the server lets Events expire.
	Deleted time.Duration `json:"deleted,omitempty"`
}

// Default returns the rules that rewatch comes with.
func Default() []Rule {
	const leader = `metadata.annotations["control-plane.alpha.kubernetes.io/leader"]#`
	return []Rule{
		{Name: "nothing but bookkeeping"}, // no path: generation, resourceVersion and managedFields only
		{Name: "lease renewals", Kind: "Lease.coordination.k8s.io", Paths: []string{"spec.renewTime"}},
		{Name: "node heartbeats", Kind: "Node", Paths: []string{"status.conditions[*].lastHeartbeatTime"}},
		{Name: "leader elections renewed", Paths: []string{leader + "renewTime"}},
		{Name: "endpoints trigger times", Kind: "EndpointSlice.discovery.k8s.io", Paths: triggerTimes()},
		{Name: "endpoints trigger times", Kind: "Endpoints", Paths: triggerTimes()},
		{Name: "events counted up", Kind: "Event", Paths: []string{"count", "lastTimestamp", "series.count", "series.lastObservedTime",
			"deprecatedCount", "deprecatedLastTimestamp"}},
		{Name: "events expired", Kind: "Event", Deleted: 50 * time.Minute},
	}
}

func triggerTimes() []string {
	return []string{`metadata.annotations["endpoints.kubernetes.io/last-change-trigger-time"]`}
}

// Rules are rules made ready. They may be used from any goroutine.
type Rules struct{ list []rule }

type rule struct {
	Rule
	paths []path
}

// path is one of Rule.Paths, taken apart.
type path struct{ steps, inside []diff.Step }

// Compile checks rules and makes them ready. The error names the rule and what
// is wrong with it.
func Compile(rules []Rule) (*Rules, error) {
	c := &Rules{}
	for i, r := range rules {
		if r.Name == "" {
			return nil, fmt.Errorf("noise rule %d has no name", i+1)
		}
		if r.Deleted < 0 || r.Deleted > 0 && len(r.Paths) > 0 {
			return nil, fmt.Errorf("noise rule %q: deleted is an age, and goes without paths", r.Name)
		}
		x := rule{Rule: r}
		for _, text := range r.Paths {
			p, ok := parsePath(text)
			if !ok {
				return nil, fmt.Errorf("noise rule %q: %q is no path", r.Name, text)
			}
			x.paths = append(x.paths, p)
		}
		c.list = append(c.list, x)
	}
	return c, nil
}

func parsePath(text string) (p path, ok bool) {
	outer, inner := text, ""
	if i := strings.LastIndexByte(text, '#'); i >= 0 && !strings.ContainsAny(text[i:], `"]`) {
		outer, inner = text[:i], text[i+1:]
		if p.inside, ok = diff.Steps(inner); !ok {
			return p, false
		}
	}
	p.steps, ok = diff.Steps(outer)
	return p, ok
}

// Classify returns the rule that folds a row, nil if the row is to be shown.
// old and new are the versions before and after, of a deletion the last one as
// new; change is what diff.Objects found between them. Only rows MODIFIED and
// DELETED are ever folded.
func (c *Rules) Classify(e model.Event, id model.Identity, old, new []byte, change *diff.Result) *Rule {
	deleted := e.Type == model.Deleted
	if !deleted && (e.Type != model.Modified || old == nil || new == nil || change == nil || change.Cut) {
		return nil
	}
	for i := range c.list {
		r := &c.list[i]
		if deleted != (r.Deleted > 0) || !r.isAbout(&id) {
			continue
		}
		if deleted && e.When().Sub(lastNews(new)) >= r.Deleted || !deleted && r.foldsAll(change.Changes) {
			return &r.Rule
		}
	}
	return nil
}

// About reports whether any of the rules is about an object.
func (c *Rules) About(id model.Identity) bool {
	for i := range c.list {
		if c.list[i].isAbout(&id) {
			return true
		}
	}
	return false
}

func (r *rule) isAbout(id *model.Identity) bool {
	if r.Kind != "" && !strings.EqualFold(r.Kind, id.Kind) {
		group, _, _ := strings.Cut(id.APIVersion, "/")
		if !strings.EqualFold(r.Kind, id.Kind+"."+group) {
			return false
		}
	}
	return (r.Namespace == "" || glob(r.Namespace, id.Namespace)) && (r.Object == "" || glob(r.Object, id.Name))
}

// glob compares with a text in which * stands for any.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	rest, ok := strings.CutPrefix(text, parts[0])
	if !ok || last == 0 {
		return ok && rest == ""
	}
	for _, p := range parts[1:last] {
		i := strings.Index(rest, p)
		if i < 0 {
			return false
		}
		rest = rest[i+len(p):]
	}
	return strings.HasSuffix(rest, parts[last])
}

// lastNews is when an Event was last seen, of other objects when they were
// created. An object that says neither has news now.
func lastNews(object []byte) time.Time {
	var newest time.Time
	for _, path := range [][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"deprecatedLastTimestamp"}, {"eventTime"}, {"metadata", "creationTimestamp"}} {
		s, err := jsonscan.Unquote(jsonscan.Get(object, path...))
		if err != nil {
			continue
		}
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil && t.After(newest) {
			newest = t
		}
	}
	if newest.IsZero() {
		return time.Unix(1<<40, 0)
	}
	return newest
}

func (r *rule) foldsAll(changes []diff.Change) bool {
	some := false
	for i := range changes {
		if changes[i].Path == "metadata.generation" {
			continue
		}
		if !r.folds(&changes[i]) {
			return false
		}
		some = true
	}
	return some || len(r.Paths) == 0 // the rule about nothing is for changes of nothing
}

// folds reports whether a change is at one of the paths, or brings or takes a
// value in which there is nothing else.
func (r *rule) folds(c *diff.Change) bool {
	steps, ok := diff.Steps(c.Path)
	if !ok {
		return false
	}
	for _, p := range r.paths {
		if !covers(p.steps, steps) {
			continue
		}
		if p.inside == nil || len(p.steps) == len(steps) && foldsInside(p.inside, c) {
			return true
		}
	}
	switch c.Op {
	case diff.Add:
		return r.foldsValue(steps, []byte(c.New))
	case diff.Remove:
		return r.foldsValue(steps, []byte(c.Old))
	}
	return false
}

// covers reports whether a pattern is the beginning of a path, or all of it.
func covers(pattern, steps []diff.Step) bool {
	if len(pattern) > len(steps) {
		return false
	}
	for i, p := range pattern {
		s := steps[i]
		same := p == s || p.Key == "*" && s.Label == "" || p.Label == "*" && s.Label != ""
		if !same {
			return false
		}
	}
	return true
}

// foldsInside reports whether nothing but a path has changed of the JSON within
// a text.
func foldsInside(inside []diff.Step, c *diff.Change) bool {
	r, ok := diff.Inside(*c)
	if !ok || r.Cut || len(r.Changes) == 0 {
		return false
	}
	for _, x := range r.Changes {
		if steps, ok := diff.Steps(x.Path); !ok || !covers(inside, steps) {
			return false
		}
	}
	return true
}

// foldsValue reports whether all members of an object, at some depth, are at
// the paths: an annotation may come as all annotations that there are.
func (r *rule) foldsValue(steps []diff.Step, v []byte) bool {
	members, err := jsonscan.AppendMembers(nil, v)
	if err != nil || len(members) == 0 || len(steps) > 10 {
		return false
	}
	for _, m := range members {
		at := append(steps[:len(steps):len(steps)], diff.Step{Key: m.Key})
		found := false
		for _, p := range r.paths {
			found = found || p.inside == nil && covers(p.steps, at)
		}
		if !found && !r.foldsValue(at, m.Of(v)) {
			return false
		}
	}
	return true
}

// Like makes a rule that folds changes like one: of objects of the same type,
// in which nothing changes but the same paths, of any elements where lists have
// no keys. ok is false if there is nothing to go by.
func Like(id model.Identity, change diff.Result) (r Rule, ok bool) {
	r = Rule{Kind: id.Kind}
	if group, _, found := strings.Cut(id.APIVersion, "/"); found {
		r.Kind += "." + group
	}
	for _, c := range change.Changes {
		if c.Path == "metadata.generation" {
			continue
		}
		steps, ok := diff.Steps(c.Path)
		if !ok {
			return Rule{}, false
		}
		p := pattern(steps)
		if len(r.Paths) == 0 || r.Paths[len(r.Paths)-1] != p {
			r.Paths = append(r.Paths, p)
		}
	}
	r.Name = "like " + id.Kind + " " + id.Name
	return r, len(r.Paths) > 0 && !change.Cut
}

// pattern spells a path with any index for an index.
func pattern(steps []diff.Step) string {
	var b []byte
	for _, s := range steps {
		switch {
		case s.Label == "order":
		case s.Label == "":
			b = diff.AppendKey(b, s.Key)
		case strings.Trim(s.Label, "0123456789") == "":
			b = append(b, "[*]"...)
		default:
			b = append(append(append(b, '['), s.Label...), ']')
		}
	}
	return string(b)
}
