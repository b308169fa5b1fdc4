package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rewatch/watch/resolve"
)

// find asks for types besides those that are watched. It is an error if no
// cluster answers, or if none has one of them.
func (w *watcher) find(ctx context.Context, args []resolve.Arg) ([]answer, error) {
	clusters := w.current()
	got := w.askAll(clusters, func(c *cluster) answer {
		req := w.j.requestFor(c)
		req.Types, req.Also = args, nil
		return w.j.askFor(ctx, c, req)
	})
	if err := unknownToAll(got); err != nil {
		return nil, err
	}
	return got, onScreen(w.j.verdict(got, clusters))
}

// onScreen is an error without the advice for a command line.
func onScreen(err error) error {
	if f := (*failure)(nil); errors.As(err, &f) {
		return errors.New(f.msg)
	}
	return err
}

// unknownToAll is an error for the types that no cluster has which has answered:
// shorter than that of a command line, there is one line for it on a screen.
func unknownToAll(got []answer) error {
	answered := 0
	unknown := map[string]int{}
	for _, a := range got {
		if a.err == nil {
			answered++
		}
		for _, u := range a.res.Unknown {
			unknown[u.Arg.Type]++
		}
	}
	var none []*resolve.UnknownTypeError
	for _, a := range got {
		for _, u := range a.res.Unknown {
			if unknown[u.Arg.Type] == answered {
				none, unknown[u.Arg.Type] = append(none, u), 0 // each once
			}
		}
	}
	switch len(none) {
	case 0:
		return nil
	case 1:
		return errors.New(lacks(none[0]) + meant(none[0], "; did you mean ", "?", "; : lists those there are"))
	}
	var all []string
	for _, u := range none {
		all = append(all, lacks(u)+meant(u, " (did you mean ", "?)", ""))
	}
	return errors.New(strings.Join(all, ", ") + "; nothing has changed")
}

// lacks says what there is not.
func lacks(u *resolve.UnknownTypeError) string {
	if u.Detail != "" {
		return u.Detail
	}
	return fmt.Sprintf("no type %q", u.Arg.Type)
}

// meant are the names that are near, between two texts, or else if none is.
func meant(u *resolve.UnknownTypeError, before, after, none string) string {
	switch {
	case len(u.Nearest) > 0:
		return before + strings.Join(u.Nearest, ", ") + after
	case u.Detail != "":
		return ""
	}
	return none
}
