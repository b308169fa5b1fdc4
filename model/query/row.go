package query

import (
	"strings"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/diff"
)

// row is the row that is judged, with what was found out about it: its bytes
// are read, compared and put into words only where a term asks for that.
type row struct {
	log   *model.Log
	e     model.Event
	found map[*leaf]*findings // nil without a cache
	wider map[*leaf][]*findings

	now, before buffer
	change      *diff.Result
	managers    []string
	asked       bool   // who made the change
	text        string // of the change, in lower case
	hasText     bool
	cel         celRow

	problem  string
	problems int
	overruns int
}

// buffer holds one version of an object.
type buffer struct {
	raw       []byte
	asked, ok bool
}

func newRow(l *model.Log, q *Query, c *Cache) row {
	r := row{log: l}
	if c == nil {
		return r
	}
	r.found, r.wider = map[*leaf]*findings{}, map[*leaf][]*findings{}
	for _, x := range q.leaves {
		if !x.deep() {
			continue
		}
		if word, ok := strings.CutPrefix(x.key, wordKey); ok {
			r.wider[x] = c.within(word)
		}
		r.found[x] = c.term(x.key)
	}
	return r
}

// set makes e the row at hand.
func (r *row) set(e model.Event) {
	r.forget()
	r.e = e
	r.hasText, r.change, r.asked = false, nil, false
	r.cel.reset()
}

// forget is for a row that is judged without its bytes.
func (r *row) forget() { r.now.asked, r.before.asked = false, false }

// loaded reports whether bytes were read for the row at hand.
func (r *row) loaded() bool { return r.now.asked || r.before.asked }

// known says what is known of a deep term without bytes, and without regard to
// the identity of the object.
func (r *row) known(l *leaf) verdict {
	e := &r.e
	switch l.field {
	case pathField:
		if e.Type != model.Modified {
			return no
		}
	case managerField:
		if !e.Type.IsObject() || e.Has(model.Synthetic) {
			return no
		}
	case words:
		if !e.Type.IsObject() && e.Detail == nil {
			return no
		}
	}
	for _, f := range r.wider[l] {
		if f.at(e.Seq) == no {
			return no
		}
	}
	return r.found[l].at(e.Seq)
}

// holds judges a deep term by the bytes of the row.
func (r *row) holds(l *leaf) bool {
	var holds bool
	failed := r.problems
	switch l.field {
	case pathField:
		holds = r.hasPath(l)
	case managerField:
		holds = r.hasManager(l)
	case celField:
		holds = r.evaluate(l.cel)
	default:
		holds = r.hasWords(l)
	}
	if r.problems == failed { // otherwise the next matcher has to tell of it as well
		r.found[l].put(r.e.Seq, holds)
	}
	return holds
}

// object returns the version that the row brought, nil if it has left the log
// or the row is not about an object.
func (r *row) object() []byte { return r.load(&r.now, r.e.Version) }

// old returns the version before.
func (r *row) old() []byte { return r.load(&r.before, r.e.Version-1) }

func (r *row) load(b *buffer, version uint32) []byte {
	if !b.asked {
		b.asked, b.ok = true, false
		if r.e.Type.IsObject() && version != 0 {
			b.raw, b.ok = r.log.AppendBytes(b.raw[:0], r.e.Object, version)
		}
	}
	if !b.ok {
		return nil
	}
	return b.raw
}

// compare returns what changed.
func (r *row) compare() *diff.Result {
	if r.change != nil {
		return r.change
	}
	r.change = &diff.Result{}
	if now, old := r.object(), r.old(); r.e.Type == model.Modified && now != nil && old != nil {
		*r.change = diff.Objects(old, now)
	}
	return r.change
}

// who returns the managers that likely made the change, the most likely first.
func (r *row) who() []string {
	if r.asked {
		return r.managers
	}
	r.asked, r.managers = true, nil
	switch now := r.object(); {
	case now == nil || r.e.Has(model.Synthetic): // what came in between cannot be known
	case r.e.Type == model.Added:
		r.managers = diff.Creator(now)
	case r.e.Type == model.Modified && r.old() != nil:
		r.managers = blame.Managers(*r.compare(), r.old(), now)
	}
	return r.managers
}

func (r *row) hasManager(l *leaf) bool { return matchAny(l.any, r.who()...) }

func (r *row) hasPath(l *leaf) bool {
	for i := range r.compare().Changes {
		for _, p := range l.any {
			if pathMatches(p, &r.change.Changes[i]) {
				return true
			}
		}
	}
	return false
}

// hasWords looks for a word in what the row says.
func (r *row) hasWords(l *leaf) bool {
	if !r.hasText {
		r.text, r.hasText = strings.ToLower(r.says()), true
	}
	for _, p := range l.any {
		// In lower case both, as regular expressions have no regard to case.
		if p.match(r.text, r.text) {
			return true
		}
	}
	return false
}

// says is the text of a row: of a change the line that a screen shows of it,
// the paths that have changed, and who likely did it; of other rows their own
// text.
func (r *row) says() string {
	switch d := r.e.Detail.(type) {
	case model.Note:
		return d.Text + "\n" + string(d.Cause)
	case model.Transition:
		return d.Text + "\n" + string(d.Cause) + "\n" + d.To.String()
	case model.Gap:
		return d.Text + "\n" + string(d.Cause)
	}
	now := r.object()
	if now == nil {
		return ""
	}
	kind := r.log.Identity(r.e.Object).Kind
	if r.e.Type == model.Deleted {
		return diff.Summary(kind, now, nil, 0)
	}
	var parts []string
	switch {
	case r.e.Type == model.Added:
		parts = append(parts, diff.Summary(kind, nil, now, 0))
	case r.old() == nil:
		return ""
	default:
		change := r.compare()
		parts = append(parts, diff.Describe(kind, *change, r.old(), now, 0))
		for _, c := range change.Changes {
			parts = append(parts, c.Path)
		}
	}
	return strings.Join(append(parts, r.who()...), "\n")
}
