package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch"
)

// Request says what to watch in one cluster.
type Request struct {
	Types      []Arg    // empty is [Default]
	Also       []Arg    // besides
	Namespaces []string // empty is all
	Label      string   // selectors, given to every stream
	Field      string
	Context    string // copied into the targets
	Server     string
}

// Result is what a request comes to.
type Result struct {
	Targets []watch.Target
	Notes   []model.Note // what is left out, refused or incomplete, one line each
	Unknown []*UnknownTypeError
	// Denied counts the types that this user may not list or watch, of those
	// left out and those kept.
	Denied int
}

// UnknownTypeError says that a server does not serve a type, or serves it in a
// way that nothing can be watched.
type UnknownTypeError struct {
	Arg     Arg
	Context string
	Nearest []string // names it may have been meant for, the nearest first
	Detail  string   // what else is known, may be empty
}

// Error is one line.
func (e *UnknownTypeError) Error() string {
	msg := fmt.Sprintf("the server of context %q has no type %q", e.Context, e.Arg.Type)
	if e.Context == "" {
		msg = fmt.Sprintf("the server has no type %q", e.Arg.Type)
	}
	if e.Detail != "" {
		msg += ": " + e.Detail
	}
	return msg
}

// Resolve asks the server of cfg. The error is a failure to reach it or to be
// let in; what is merely missing or refused is in the Result. Everything it
// sends is a GET, of discovery or of namespaces, or a SelfSubjectAccessReview.
func Resolve(ctx context.Context, cfg *rest.Config, req Request) (Result, error) {
	catalog, notes, err := discover(ctx, cfg)
	if err != nil {
		return Result{}, err
	}
	client, err := newClient(cfg)
	if err != nil {
		return Result{}, err
	}
	res := Result{Notes: notes}
	cs := catalog.candidates(req, &res)
	missing := make(chan []model.Note, 1)
	go func() { missing <- missingNamespaces(ctx, client.RESTClient(), req.Namespaces) }()
	kept, refusals, denied := permit(ctx, reviews{client.SelfSubjectAccessReviews()}, cs)
	res.Notes = append(res.Notes, <-missing...)
	res.Notes = append(res.Notes, refusals...)
	res.Denied = denied
	for _, c := range kept {
		res.Targets = append(res.Targets, c.target)
	}
	return res, nil
}

// Fallback answers a request from the built-in catalog, for a server that
// cannot be asked yet. Types that it does not know are in Unknown; nothing is
// checked for permission.
func Fallback(req Request) Result {
	var res Result
	for _, c := range Builtin().candidates(req, &res) {
		res.Targets = append(res.Targets, c.target)
	}
	return res
}

// discover reads the catalog, and notes the API groups that could not be read.
func discover(ctx context.Context, cfg *rest.Config) (*Catalog, []model.Note, error) {
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, nil, err
	}
	groups, lists, err := client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && (!partial || len(lists) == 0) {
		return nil, nil, unwrapGroup(failed, err)
	}
	return newCatalog(groups, lists), failedNotes(failed), nil
}

// unwrapGroup returns the failure of one group where all failed, since it
// tells more than the summary.
func unwrapGroup(failed map[schema.GroupVersion]error, err error) error {
	for _, e := range failed {
		return e
	}
	return err
}

func failedNotes(failed map[schema.GroupVersion]error) []model.Note {
	var notes []model.Note
	for gv, err := range failed {
		notes = append(notes, model.Note{Cause: model.CauseServerError,
			Text: fmt.Sprintf("the API group %s could not be read, its types are missing: %v", gv, err)})
	}
	slices.SortFunc(notes, func(a, b model.Note) int { return strings.Compare(a.Text, b.Text) })
	return notes
}

// candidate is a target on its way, before permissions.
type candidate struct {
	target   watch.Target
	name     string // of the one object asked for, "" is all
	explicit bool   // named by the user, not of the default set
}

// candidates finds the types and spreads them over the namespaces, without
// repetitions. What it cannot find goes to res.
func (c *Catalog) candidates(req Request, res *Result) []candidate {
	args, usual := req.Types, 0
	if len(args) == 0 {
		args = Default()
		usual = len(args)
	}
	var out []candidate
	seen := map[model.StreamInfo]bool{}
	for i, arg := range slices.Concat(args, req.Also) {
		explicit := i >= usual
		found := c.find(arg.Type)
		if err := c.unusable(arg, found, req.Context); err != nil {
			if !explicit {
				res.Notes = append(res.Notes, model.Note{Cause: model.CauseNotFound,
					Text: fmt.Sprintf("left out, the server has no type %s", arg.Type)})
				continue
			}
			res.Unknown = append(res.Unknown, err)
			continue
		}
		for _, e := range found {
			for _, t := range e.targets(req, arg.Name) {
				if !seen[t.StreamInfo] {
					seen[t.StreamInfo] = true
					out = append(out, candidate{target: t, name: arg.Name, explicit: explicit})
				}
			}
		}
	}
	return dropCovered(out, res)
}

// unusable says why an argument gives no target, nil if it gives some.
func (c *Catalog) unusable(arg Arg, found []entry, context string) *UnknownTypeError {
	if len(found) == 0 {
		return &UnknownTypeError{Arg: arg, Context: context, Nearest: c.nearest(arg.Type, 3)}
	}
	if e := found[0]; !e.canList && !e.canWatch {
		return &UnknownTypeError{Arg: arg, Context: context,
			Detail: e.name() + " can be neither listed nor watched"}
	}
	return nil
}

// targets spreads a type over the namespaces asked for; a cluster-scoped type
// is always one target.
func (e entry) targets(req Request, name string) []watch.Target {
	info := model.StreamInfo{
		Context: req.Context, Server: req.Server, Group: e.group, Version: e.version, Resource: e.resource,
		Kind: e.kind, Namespaced: e.namespaced, Label: req.Label, Field: req.Field, Uncached: e.uncached(),
	}
	if name != "" {
		sel := fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
		info.Field = strings.TrimSuffix(sel+","+req.Field, ",")
	}
	namespaces := req.Namespaces
	if len(namespaces) == 0 || !e.namespaced {
		namespaces = []string{""}
	}
	var out []watch.Target
	for _, ns := range namespaces {
		info.Namespace = ns
		out = append(out, watch.Target{StreamInfo: info, CanList: e.canList, CanWatch: e.canWatch})
	}
	return out
}

// dropCovered leaves out single objects of a type that is watched whole: each
// change would be there twice.
func dropCovered(cs []candidate, res *Result) []candidate {
	whole := map[model.StreamInfo]bool{}
	for _, c := range cs {
		if c.name == "" {
			whole[c.target.StreamInfo] = true
		}
	}
	return slices.DeleteFunc(cs, func(c candidate) bool {
		info := c.target.StreamInfo
		_, rest, _ := strings.Cut(info.Field, ",")
		info.Field = rest
		if c.name == "" || !whole[info] {
			return false
		}
		res.Notes = append(res.Notes, model.Note{
			Text: fmt.Sprintf("%s/%s is among the %s watched anyway", info.Name(), c.name, info.Name())})
		return true
	})
}
