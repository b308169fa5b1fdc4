package cli

import (
	"rewatch/model/query"
	"rewatch/watch/recorder"
)

// query is what --filter says; nil is every change.
func (o *recordOptions) query() (*query.Query, error) {
	q, err := query.Parse(o.filter)
	switch {
	case err != nil:
		return nil, usage("--filter: %s", oneLine(err))
	case q.Empty():
		return nil, nil
	}
	return q, nil
}

// filtered says in words what a filter did, "" without one.
func filtered(s recorder.Status, filter string) string {
	if filter == "" {
		return ""
	}
	text := count(s.LeftOut, "change") + " left out by the filter"
	if s.Blind > 0 {
		text += ", " + grouped(s.Blind) + " kept unjudged (a larger --memory helps)"
	}
	if s.Problem != "" {
		text += "; for some rows it could not be evaluated: " + s.Problem
	}
	return text
}

// tellFilter says that a tape has only a part of what happened.
func (t *tapeFile) tellFilter(s streams) {
	if filter := t.Info().Filter; filter != "" {
		s.tell("rewatch: %s was recorded with --filter: it has only changes that match %s, and the objects of those", t.path, filter)
	}
}
