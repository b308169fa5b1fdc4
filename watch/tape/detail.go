package tape

import (
	"encoding/json"
	"fmt"
	"time"

	"rewatch/model"
)

// The JSON of what is not an object. Field names are part of the format. Times
// are nanoseconds since the Unix epoch, durations nanoseconds; what is 0 or
// empty is left out.

type streamJSON struct {
	ID         model.StreamID  `json:"id"`
	Context    string          `json:"context,omitempty"`
	Server     string          `json:"server,omitempty"`
	Group      string          `json:"group,omitempty"`
	Version    string          `json:"version,omitempty"`
	Resource   string          `json:"resource"`
	Kind       string          `json:"kind,omitempty"`
	Namespaced bool            `json:"namespaced,omitempty"`
	Namespace  string          `json:"namespace,omitempty"`
	Label      string          `json:"label,omitempty"`
	Field      string          `json:"field,omitempty"`
	Uncached   bool            `json:"uncached,omitempty"`
	Last       *transitionJSON `json:"last,omitempty"`  // its newest step, in checkpoints
	Since      int64           `json:"since,omitempty"` // of that step
}

func (s streamJSON) info() model.StreamInfo {
	return model.StreamInfo{ID: s.ID, Context: s.Context, Server: s.Server, Group: s.Group, Version: s.Version, Resource: s.Resource,
		Kind: s.Kind, Namespaced: s.Namespaced, Namespace: s.Namespace, Label: s.Label, Field: s.Field, Uncached: s.Uncached}
}

func streamOf(i model.StreamInfo) streamJSON {
	return streamJSON{ID: i.ID, Context: i.Context, Server: i.Server, Group: i.Group, Version: i.Version, Resource: i.Resource,
		Kind: i.Kind, Namespaced: i.Namespaced, Namespace: i.Namespace, Label: i.Label, Field: i.Field, Uncached: i.Uncached}
}

type transitionJSON struct {
	From    string      `json:"from"`
	To      string      `json:"to"`
	Cause   model.Cause `json:"cause,omitempty"`
	Text    string      `json:"text,omitempty"`
	Attempt int         `json:"attempt,omitempty"`
	Until   int64       `json:"until,omitempty"`
	AsOf    int64       `json:"asof,omitempty"`
	Status  int         `json:"status,omitempty"`
	Proto   string      `json:"proto,omitempty"`
	RV      string      `json:"rv,omitempty"`
	Bytes   int64       `json:"bytes,omitempty"`
	Frames  int64       `json:"frames,omitempty"`
	Took    int64       `json:"took,omitempty"`
	Total   int64       `json:"total,omitempty"`

	Request *requestJSON `json:"request,omitempty"`
}

func transitionOf(t model.Transition) *transitionJSON {
	return &transitionJSON{From: t.From.String(), To: t.To.String(), Cause: t.Cause, Text: t.Text, Attempt: t.Attempt, Until: nanos(t.Until), AsOf: nanos(t.AsOf),
		Status: t.Status, Proto: t.Proto, RV: t.RV, Bytes: t.Bytes, Frames: t.Frames, Took: int64(t.Took), Total: t.Total, Request: requestOf(t.Request)}
}

func (t *transitionJSON) transition() (model.Transition, error) {
	from, err := stateNamed(t.From)
	if err != nil {
		return model.Transition{}, err
	}
	to, err := stateNamed(t.To)
	return model.Transition{From: from, To: to, Cause: t.Cause, Text: t.Text, Attempt: t.Attempt, Until: instant(t.Until), AsOf: instant(t.AsOf),
		Status: t.Status, Proto: t.Proto, RV: t.RV, Bytes: t.Bytes, Frames: t.Frames, Took: time.Duration(t.Took), Total: t.Total, Request: t.Request.request()}, err
}

// stateNamed is the inverse of State.String.
func stateNamed(name string) (model.State, error) {
	for s := model.Idle; s.String() != "?"; s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, fmt.Errorf("tape: no stream state is named %.40q", name)
}

type gapJSON struct {
	FromRV   string      `json:"from,omitempty"`
	ToRV     string      `json:"to,omitempty"`
	Since    int64       `json:"since,omitempty"`
	Took     int64       `json:"took,omitempty"`
	Cause    model.Cause `json:"cause,omitempty"`
	Text     string      `json:"text,omitempty"`
	Added    int         `json:"added,omitempty"`
	Modified int         `json:"modified,omitempty"`
	Deleted  int         `json:"deleted,omitempty"`
}

func gapOf(g model.Gap) gapJSON {
	return gapJSON{g.FromRV, g.ToRV, nanos(g.Since), int64(g.Took), g.Cause, g.Text, g.Added, g.Modified, g.Deleted}
}

func (g gapJSON) gap() model.Gap {
	return model.Gap{FromRV: g.FromRV, ToRV: g.ToRV, Since: instant(g.Since), Took: time.Duration(g.Took), Cause: g.Cause, Text: g.Text,
		Added: g.Added, Modified: g.Modified, Deleted: g.Deleted}
}

type noteJSON struct {
	Cause model.Cause `json:"cause,omitempty"`
	Text  string      `json:"text,omitempty"`
}

// lostJSON: n frames of the stream between two resourceVersions.
type lostJSON struct {
	N    int64  `json:"n"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

func (l lostJSON) gap() model.Gap {
	return model.Gap{FromRV: l.From, ToRV: l.To, Cause: CauseLost,
		Text: fmt.Sprintf("the recorder lost %d frames: it could not keep up", l.N)}
}

type identityJSON struct {
	Context    string `json:"context,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	UID        string `json:"uid,omitempty"`
}

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func instant(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// appendJSON appends a value of the types above, which always have a JSON.
func appendJSON(dst []byte, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // a bug: these types have no cycles, functions or NaNs
	}
	return append(dst, b...)
}

// detail reads what a record that is no frame says.
func (r *Reader) detail(e *Entry, s *StreamState) error {
	switch l := &r.line; l.what {
	case "transition":
		var j transitionJSON
		if err := json.Unmarshal(l.detail, &j); err != nil {
			return err
		}
		t, err := j.transition()
		if e.Type, e.Detail = model.StreamChange, t; !t.Bare() {
			s.Last, s.Since = t, e.Time
		}
		if t.Removes() {
			r.leave(s.ID)
		}
		return err
	case "gap":
		var j gapJSON
		err := json.Unmarshal(l.detail, &j)
		e.Type, e.Detail = model.GapFound, j.gap()
		return err
	case "lost":
		var j lostJSON
		err := json.Unmarshal(l.detail, &j)
		e.Type, e.Detail, e.Lost = model.GapFound, j.gap(), j.N
		return err
	default:
		var j noteJSON
		err := json.Unmarshal(l.detail, &j)
		e.Type, e.Detail = model.Noted, model.Note(j)
		return err
	}
}
