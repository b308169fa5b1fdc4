package capture

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/jsonscan"
	"rewatch/model/redact"
)

// known is an object that exists, as far as the frames of its stream tell.
type known struct {
	id  model.Identity
	rv  string
	sum uint64 // of its text
	in  int    // number of the newest state that had it, 0 for none
}

// outage is what is known of a watch between its end and the state after it.
type outage struct {
	since   time.Time // the newest frame before it: what came later may be missing
	rv      string    // the position at its end
	cause   model.Cause
	adrift  bool // frames came, and no state before them
	overlap bool // the state that comes has an object that was known before
	names   map[[2]string]uint64

	added, modified, deleted int // that the state which comes has otherwise
}

// noList is what the steps and gaps of a stream say whose state was not asked
// for again.
const noList = "the capture has no list after it: which objects exist is not known"

// failed is what an ERROR frame does to a stream: it ends the watch. Where it says
// that the history is gone, only a list tells the state again.
func (im *importer) failed(s *stream, f frame) error {
	if s.lost == nil {
		s.lost = &outage{since: s.heard, rv: s.rv}
		if s.heard.IsZero() {
			s.lost.since = f.when
		}
	}
	o := s.lost
	o.adrift, o.overlap, o.names, s.again = false, false, nil, nil
	s.states++
	code, _ := strconv.Atoi(string(jsonscan.Find(f.object, "code")))
	reason, _ := jsonscan.Unquote(jsonscan.Find(f.object, "reason"))
	said := strings.TrimSpace(strconv.Itoa(code) + " " + s.said(f.object))
	t := model.Transition{To: model.Backoff, Cause: model.CauseServerError, Text: "the watch ended with an error: " + said, Attempt: 1, Status: code, RV: s.rv}
	if code == http.StatusGone || reason == "Expired" || reason == "Gone" {
		t.To, t.Cause, t.RV, t.Text = model.Expired, model.CauseExpired, "", "history expired: "+said
	}
	o.cause = t.Cause
	return im.enter(s, f.when, t)
}

// said is what an ERROR frame says, on one short line; nothing of a watch of
// Secrets, since it may quote one.
func (s *stream) said(object []byte) string {
	const limit = 300
	if s.info.Secrecy() != redact.Nothing {
		return ""
	}
	text, _ := jsonscan.Unquote(jsonscan.Find(object, "message"))
	if text = clean.Line(strings.Join(strings.Fields(text), " ")); len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}

// relisted takes a frame of a watch that was lost. Objects that are ADDED then are
// the state that a list or a new watch tells: if a bookmark ends it, or, where a
// recorder asked for none, if something in it was known before. Otherwise they
// may have been created.
func (im *importer) relisted(s *stream, r *model.Record, f frame, m jsonscan.Meta) error {
	o := s.lost
	old := s.live[im.key(m)]
	added := r.Type == model.Added
	switch {
	case s.mixed: // what a list lacks may be another watch's
		return im.adrift(s, f, m)
	case m.InitialEventsEnd && r.Type == model.Bookmark: // see ended
		return nil
	case s.state == model.Backoff && (!added || old == nil):
		s.lost = nil // it was resumed where it ended
		return im.to(s, f.when, model.Live, "changes follow")
	case added && s.state == model.Relisting:
		if added = !created(f.object).After(s.since.Add(settled)); !added && o.overlap {
			return im.replaced(s, f.when, "")
		}
	case s.state == model.Relisting && o.overlap:
		return im.replaced(s, f.when, "")
	}
	if !added {
		return im.adrift(s, f, m)
	}
	if s.state != model.Relisting && (!o.adrift || old != nil) {
		if err := im.relist(s, f.when); err != nil {
			return err
		}
	}
	if s.state != model.Relisting {
		return nil
	}
	return im.compare(s, r, f, m, old)
}

// relist begins a state after an outage.
func (im *importer) relist(s *stream, when time.Time) error {
	o := s.lost
	s.since, o.adrift, o.overlap = when, false, len(s.live) == 0
	o.names = make(map[[2]string]uint64, len(s.live))
	for key, k := range s.live {
		o.names[[2]string{k.id.Namespace, k.id.Name}] = key
	}
	return im.enter(s, when, model.Transition{To: model.Relisting, Cause: o.cause})
}

// compare marks an object of a state after an outage by what is otherwise than
// it was known.
func (im *importer) compare(s *stream, r *model.Record, f frame, m jsonscan.Meta, old *known) error {
	o := s.lost
	switch {
	case old != nil && old.rv == m.ResourceVersion && old.sum == im.sum64(f.object):
		o.overlap = true
		r.Flags |= model.Replayed
	case old != nil:
		o.overlap = true
		o.modified++
		r.Type, r.Flags = model.Modified, r.Flags|model.Synthetic
		r.Reverted = older(m.ResourceVersion, old.rv)
	case !s.complete:
		r.Flags |= model.Initial
	default:
		o.added++
		r.Flags |= model.Synthetic
		name := [2]string{m.Namespace, m.Name}
		if held, ok := o.names[name]; ok && s.live[held] != nil {
			r.Flags |= model.Recreated
			return im.bury(s, o, f.when, held)
		}
	}
	return nil
}

// older reports whether one resourceVersion is less than another, as far as they
// are numbers.
func older(rv, than string) bool {
	a, errA := strconv.ParseUint(rv, 10, 64)
	b, errB := strconv.ParseUint(than, 10, 64)
	return errA == nil && errB == nil && a < b
}

// bury appends the deletion of an object that a state did not have.
func (im *importer) bury(s *stream, o *outage, when time.Time, key uint64) error {
	k := s.live[key]
	delete(s.live, key)
	o.deleted++
	return im.w.Append(model.Record{Time: when, Stream: s.info.ID, Type: model.Deleted, Flags: model.Synthetic, Identity: k.id, RV: k.rv})
}

// replaced ends a state after an outage: what it did not have is gone.
func (im *importer) replaced(s *stream, when time.Time, rv string) error {
	o := s.lost
	s.lost = nil
	if err := im.buryUnseen(s, o, when); err != nil {
		return err
	}
	if s.complete {
		if err := im.gap(s, when, o, rv); err != nil {
			return err
		}
	}
	s.rv = rv
	return im.enter(s, when, model.Transition{To: model.Live, RV: rv, Text: "the state after the outage is complete"})
}

// buryUnseen buries what the newest state did not have, in order of the names.
func (im *importer) buryUnseen(s *stream, o *outage, when time.Time) error {
	var gone []uint64
	for key, k := range s.live {
		if k.in != s.states {
			gone = append(gone, key)
		}
	}
	slices.SortFunc(gone, func(a, b uint64) int {
		x, y := s.live[a].id, s.live[b].id
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name), cmp.Compare(x.UID, y.UID))
	})
	for _, key := range gone {
		if err := im.bury(s, o, when, key); err != nil {
			return err
		}
	}
	return nil
}

// gap says that changes may be missing. A state at the very position that was
// known last proves that there were none.
func (im *importer) gap(s *stream, when time.Time, o *outage, rv string) error {
	found := o.added + o.modified + o.deleted
	if found == 0 && rv == o.rv && rv != "" && !o.adrift {
		return nil
	}
	g := model.Gap{FromRV: o.rv, ToRV: rv, Since: o.since, Took: when.Sub(o.since), Cause: o.cause,
		Added: o.added, Modified: o.modified, Deleted: o.deleted, Text: fmt.Sprintf("history lost; objects that differ in the new list: %d", found)}
	if o.adrift {
		g.Text = "history lost; " + noList
	}
	im.sum.Gaps++
	return im.w.Append(model.Record{Time: when, Stream: s.info.ID, Type: model.GapFound, Detail: g})
}

// adrift notes that a frame came after an outage and no state before it.
func (im *importer) adrift(s *stream, f frame, m jsonscan.Meta) error {
	o := s.lost
	s.states++ // what came before it was no state
	if o.adrift {
		return nil
	}
	*o = outage{since: o.since, rv: o.rv, cause: o.cause, adrift: true}
	if err := im.enter(s, f.when, model.Transition{To: model.Expired, Cause: o.cause, Text: noList}); err != nil {
		return err
	}
	return im.gap(s, f.when, o, m.ResourceVersion)
}

// ended takes the bookmark that ends a state.
func (im *importer) ended(s *stream, when time.Time, rv string) error {
	switch {
	case s.lost != nil && s.mixed:
		return nil
	case s.lost != nil:
		return im.replaced(s, when, rv)
	case s.state == model.Live: // it is another watch's, if this one has a state
		s.mixed = s.mixed || len(s.live) > 0
		return nil
	case s.again != nil && !s.mixed:
		if err := im.reopened(s, when, rv); err != nil {
			return err
		}
	}
	s.rv, s.again = rv, nil
	return im.to(s, when, model.Live, "the initial state is complete")
}

// reopen begins a state that comes again though nothing tells of an outage.
func (im *importer) reopen(s *stream) {
	s.states++
	s.again = &outage{since: s.heard, rv: s.rv}
}

// count counts an object of a state that comes again, if it is otherwise than old.
func (o *outage) count(m jsonscan.Meta, old *known) {
	switch {
	case o == nil:
	case old == nil:
		o.added++
	case old.rv != m.ResourceVersion:
		o.modified++
	}
}

// reopened ends it. Only what is otherwise than it was known tells that somebody
// did not watch.
func (im *importer) reopened(s *stream, when time.Time, rv string) error {
	if err := im.buryUnseen(s, s.again, when); err != nil || s.again.added+s.again.modified+s.again.deleted == 0 {
		return err
	}
	return im.gap(s, when, s.again, rv)
}

// keep takes down what a frame tells of what exists.
func (im *importer) keep(s *stream, r *model.Record, f frame, m jsonscan.Meta) {
	s.heard = f.when
	initial := f.typ == "ADDED" && (s.state == model.Syncing || s.state == model.Relisting) // in no order
	if r.Type != 0 && !initial && m.ResourceVersion != "" {
		s.rv = strings.Clone(m.ResourceVersion)
	}
	switch key := im.key(m); f.typ {
	case "ADDED", "MODIFIED":
		k := s.live[key]
		if k == nil {
			k = &known{id: s.identity(m)}
			s.live[key] = k
		}
		if f.typ == "ADDED" {
			k.in = s.states
		}
		k.rv, k.sum = strings.Clone(m.ResourceVersion), im.sum64(f.object)
	case "DELETED":
		delete(s.live, key)
	}
}

// identity is that of an object, of which nothing is a view of its text.
func (s *stream) identity(m jsonscan.Meta) model.Identity {
	if s.apiVersion != m.APIVersion {
		s.apiVersion = strings.Clone(m.APIVersion)
	}
	id := model.Identity{Context: s.info.Context, APIVersion: s.apiVersion, Kind: s.info.Kind,
		Namespace: strings.Clone(m.Namespace), Name: strings.Clone(m.Name), UID: strings.Clone(m.UID)}
	if id.Kind != m.Kind {
		id.Kind = strings.Clone(m.Kind)
	}
	return id
}

func (im *importer) sum64(b []byte) uint64 { return maphash.Bytes(im.seed, b) }
