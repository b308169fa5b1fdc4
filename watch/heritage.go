package watch

import (
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// heritage is what removed streams have left in the log to a new one: objects
// that nobody has followed since. What its first list says of them is compared
// with the version that the log holds, as a relist is with what is known.
type heritage struct {
	some  bool                    // a stream was removed that may have left something
	whole bool                    // one had all that this stream watches, and the log still holds it
	found int                     // objects that were left
	since time.Time               // the first of them was
	rv    string                  // the last position of the stream that left it
	from  map[model.StreamID]bool // which these are
}

// findHeritage looks for removed streams of the same resource.
func (s *stream) findHeritage() (h heritage) {
	if !s.e.ended.Load() {
		return h
	}
	for _, x := range s.e.log.Streams(time.Now()) {
		if !x.Removed() || x.Context != s.t.Context || x.Group != s.t.Group || x.Resource != s.t.Resource {
			continue
		}
		h.some = true
		all := x.Label == "" && x.Field == "" || x.Label == s.t.Label && x.Field == s.t.Field
		if all && (x.Namespace == "" || x.Namespace == s.t.Namespace) && x.RV != "" && s.e.log.Snapshot().First() == 0 {
			h.whole, h.since, h.rv = true, x.Since, x.RV // the newest of them counts
		}
	}
	return h
}

// takesOver reports whether what the log does not know has come to exist since
// another stream was removed.
func (s *stream) takesOver() bool { return s.heritage.whole }

// returned takes an object of the first list that is known from a removed
// stream. It is false for others.
func (s *stream) returned(cmp *comparison, m jsonscan.Meta, raw []byte, size int) bool {
	if !s.heritage.some {
		return false
	}
	id := s.identity(&entry{uid: m.UID, namespace: m.Namespace, name: m.Name}, m)
	k, exists, ok := s.e.log.Lookup(id)
	if !ok {
		s.endNamed(cmp, id)
		return false
	}
	from, left := s.e.log.Left(k.Object)
	if !left {
		// Another stream follows it, or it was seen to end and yet is there.
		if exists {
			e := s.inv.add(m)
			s.put(e, m, raw, size, model.Added, model.Initial)
			e.seen = s.inv.generation
		}
		return exists
	}
	s.inherit(from)
	e := s.inv.add(m)
	e.object, e.version, e.rv, e.seen = k.Object, k.Version, k.RV, s.inv.generation
	if (k.RV == 0 || s.sameRV(k, m)) && !s.e.log.Differs(s.id, k.Object, k.Version, raw) {
		s.put(e, m, raw, size, model.Added, model.Initial)
		return true
	}
	cmp.modified++
	s.put(e, m, raw, size, model.Modified, model.Synthetic)
	return true
}

func (s *stream) sameRV(k model.Known, m jsonscan.Meta) bool {
	return versionKey(m.ResourceVersion) == k.RV
}

// inherit notes that an object was left by a stream.
func (s *stream) inherit(from model.StreamID) {
	h := &s.heritage
	if h.found++; h.from[from] {
		return
	}
	if h.from == nil {
		h.from = map[model.StreamID]bool{}
	}
	h.from[from] = true
	x := s.e.log.Streams(time.Now())[from]
	if h.since.IsZero() || x.Since.Before(h.since) {
		h.since, h.rv = x.Since, x.RV
	}
}

// endNamed ends the object that was left with a name which another has now.
func (s *stream) endNamed(cmp *comparison, id model.Identity) {
	if old := s.e.log.Named(id); old != 0 {
		if from, left := s.e.log.Left(old); left {
			s.endOne(cmp, from, model.Known{Object: old}, s.e.log.Identity(old))
		}
	}
}

// endLeft ends what was left and is not in the first list, where this stream
// would have it.
func (s *stream) endLeft(cmp *comparison) {
	if !s.heritage.some || s.t.Label != "" || s.t.Field != "" {
		return // it may be there, and not be selected
	}
	for k, id := range s.e.log.AllLeft() {
		if id.Context != s.t.Context || id.Kind != s.t.Kind || groupOf(id.APIVersion) != s.t.Group ||
			s.t.Namespace != "" && s.t.Namespace != id.Namespace {
			continue
		}
		if from, left := s.e.log.Left(k.Object); left {
			s.endOne(cmp, from, k, id)
		}
	}
}

func (s *stream) endOne(cmp *comparison, from model.StreamID, k model.Known, id model.Identity) {
	s.inherit(from)
	e := s.inv.add(jsonscan.Meta{UID: id.UID, Namespace: id.Namespace, Name: id.Name})
	e.object, e.version = k.Object, k.Version
	s.bury(cmp, e)
}

// handover is how long the first list of a stream may take after the one before
// it was removed, for nothing to be called missed if nothing differs: the user
// has changed what is watched, and that is no loss.
const handover = 2 * time.Second

// gapBefore publishes the span from when a stream was removed to the first list
// of this one, if there was something to be missed.
func (s *stream) gapBefore(cmp *comparison, rv string) {
	h := s.heritage
	same := cmp.added+cmp.modified+cmp.deleted == 0
	if h.since.IsZero() || same && (h.found == 0 || time.Since(h.since) < handover) {
		return
	}
	s.lostAt, s.lostRV, s.lostCause = h.since, h.rv, model.CauseUser
	s.gap(cmp, rv)
	s.lostAt = time.Time{} // this stream has lost nothing
}

func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}
