package ui

import (
	"context"

	"rewatch/model"
)

// Watcher is what the screen can ask about the streams that there are: more of
// them, fewer, others. The methods with a context may take as long as a cluster
// takes to answer; the screen calls them outside of its event loop, one at a
// time. Their errors are for people, one line each.
type Watcher interface {
	// Types lists what the clusters serve. With an error it may be a part of that.
	Types(ctx context.Context) ([]TypeChoice, error)
	// Namespaces lists those of the clusters, as far as this user may see them.
	Namespaces(ctx context.Context) ([]string, error)
	// Contexts lists those of the kubeconfig.
	Contexts(ctx context.Context) ([]string, error)
	// Watching is what is watched now.
	Watching() []Watched

	// Add watches further types, TYPE or TYPE/NAME as on the command line.
	Add(ctx context.Context, words []string) (Change, error)
	// Drop stops watching types, written in the same way.
	Drop(ctx context.Context, words []string) (Change, error)
	// Remove stops watching one stream.
	Remove(ctx context.Context, id model.StreamID) (Change, error)
	// SetNamespaces watches other namespaces in each context: what becomes of
	// those that it has, none being all.
	SetNamespaces(ctx context.Context, change func(now []string) ([]string, error)) (Change, error)
	// SetContexts watches these contexts instead.
	SetContexts(ctx context.Context, names []string) (Change, error)
}

// Watched is what is watched of a context: each has namespaces of its own.
type Watched struct {
	Context    string
	Namespaces []string // none is all
}

// TypeChoice is a type that can be watched.
type TypeChoice struct {
	Name  string   // as it is typed
	Short []string // other names
	Kind  string
}

// Change is what has become of a wish.
type Change struct {
	Title string // what is watched now, for the header
	Text  string // in a few words
	// About are the streams that were asked for, those that were there before
	// included.
	About []model.StreamInfo
}
