package watch

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// comparison is one look at the whole state, streamed or listed, against what
// is known.
type comparison struct {
	names                    map[[2]string]*entry // what was known before, by name; nil on the first look
	added, modified, deleted int
	blind                    int // objects that could not be read, and of which not even the name is known
}

// compare prepares a comparison. What one that did not come to its end has
// found is in the log, and counts for the gap.
func (s *stream) compare() *comparison {
	cmp := &comparison{}
	if s.cmp != nil {
		cmp.added, cmp.modified, cmp.deleted = s.cmp.added, s.cmp.modified, s.cmp.deleted
	} else if !s.complete {
		s.heritage = s.findHeritage()
	}
	if len(s.inv.known) > 0 {
		cmp.names = s.inv.names()
	}
	s.cmp = cmp
	return cmp
}

// upsert takes one object of a whole state. Known and unchanged objects are
// marked as replayed if a frame carried them, and pass unseen in a list.
func (s *stream) upsert(cmp *comparison, m jsonscan.Meta, raw []byte, size int, streamed bool) {
	e := s.inv.find(m)
	switch {
	case e != nil && s.same(e, m, raw):
		e.seen = s.inv.generation
		if streamed {
			s.put(e, m, raw, size, model.Added, model.Replayed)
		}
		return
	case e != nil:
		cmp.modified++
		s.put(e, m, raw, size, model.Modified, model.Synthetic)
	case !s.complete && s.returned(cmp, m, raw, size):
		return
	case !s.complete && cmp.names[[2]string{m.Namespace, m.Name}] == nil && !s.takesOver():
		e = s.inv.add(m)
		s.put(e, m, raw, size, model.Added, model.Initial)
	default:
		flags := model.Synthetic
		if old := cmp.names[[2]string{m.Namespace, m.Name}]; old != nil && s.inv.holds(old) {
			flags |= model.Recreated
			s.bury(cmp, old)
		}
		cmp.added++
		e = s.inv.add(m)
		s.put(e, m, raw, size, model.Added, flags)
	}
	e.seen = s.inv.generation
}

// same reports whether the object is the version already known. The
// resourceVersion alone does not tell: an API may have none, and a server whose
// data was restored gives them anew.
func (s *stream) same(e *entry, m jsonscan.Meta, raw []byte) bool {
	return versionKey(m.ResourceVersion) == e.rv && !s.e.log.Differs(s.id, e.object, e.version, raw)
}

// put appends a change of a known object to the log.
func (s *stream) put(e *entry, m jsonscan.Meta, raw []byte, size int, typ model.Type, flags model.Flag) {
	if s.selective && flags&(model.Initial|model.Replayed) == 0 && typ != model.Modified {
		flags |= model.Selection
	}
	rv := versionKey(m.ResourceVersion)
	ev := s.e.log.Append(model.Record{
		Time: time.Now(), Stream: s.id, Type: typ, Flags: flags, Raw: raw, Frame: s.frame, Bytes: size,
		Identity: s.identity(e, m), RV: strings.Clone(m.ResourceVersion), Reverted: wentBack(e.rv, rv),
	})
	e.object, e.version, e.rv = ev.Object, ev.Version, rv
}

// wentBack reports whether one resourceVersion is older than another that was
// seen before, as far as their keys tell.
func wentBack(before, now uint64) bool { return before>>63 == 0 && 0 < now && now < before }

// identity names an object with strings that outlive the buffer.
func (s *stream) identity(e *entry, m jsonscan.Meta) model.Identity {
	id := model.Identity{Context: s.t.Context, APIVersion: s.apiVersion, Kind: s.t.Kind, Namespace: e.namespace, Name: e.name, UID: e.uid}
	if m.APIVersion != id.APIVersion && m.APIVersion != "" {
		id.APIVersion = strings.Clone(m.APIVersion)
	}
	if m.Kind != id.Kind && m.Kind != "" {
		id.Kind = strings.Clone(m.Kind)
	}
	return id
}

// bury appends the deletion of an object that a whole state did not have, with
// its last known state.
func (s *stream) bury(cmp *comparison, e *entry) {
	cmp.deleted++
	s.inv.remove(e)
	flags := model.Synthetic
	if s.selective {
		flags |= model.Selection
	}
	_, newest := s.e.log.Versions(e.object)
	known, ok := s.e.log.Bytes(e.object, newest)
	m, _ := jsonscan.Identity(known)
	var raw []byte // none: the version that the log holds, which is redacted if it is a Secret
	if !ok {       // it has left the log: its name is all there is
		raw = s.stub(e)
	}
	s.e.log.Append(model.Record{
		Time: time.Now(), Stream: s.id, Type: model.Deleted, Flags: flags, Raw: raw,
		Identity: s.identity(e, m), RV: m.ResourceVersion,
	})
}

// stub is an object of which only the identity is known.
func (s *stream) stub(e *entry) []byte {
	type meta struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
		UID       string `json:"uid,omitempty"`
	}
	raw, _ := json.Marshal(struct { // cannot fail: strings only
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   meta   `json:"metadata"`
	}{s.apiVersion, s.t.Kind, meta{e.name, e.namespace, e.uid}})
	return raw
}

// unread notes that an object of a whole state, or its change, was not read: if
// it is known, it still exists.
func (s *stream) unread(m jsonscan.Meta) *entry {
	known := s.inv.find(m)
	switch {
	case known != nil && m.Name != "":
		known.seen = s.inv.generation
		return known
	case m.UID == "" && s.cmp != nil:
		s.cmp.blind++
	}
	return nil
}

// synced ends the arrival of a whole state at rv: what was not in it is gone,
// and if the state was whole before, there was a gap.
func (s *stream) synced(rv string) {
	cmp := s.cmp
	s.cmp = nil
	if cmp.blind == 0 {
		if !s.complete {
			s.endLeft(cmp)
		}
		for _, e := range s.inv.unseen() {
			s.bury(cmp, e)
		}
	} else { // any of the missing may be among them
		s.note(model.CauseGarbage, fmt.Sprintf("%d objects of the list have no readable name: what it lacks is not taken for deleted", cmp.blind))
	}
	if s.opaque = !resumable(rv); s.opaque && !s.polling && !s.saidOpaque {
		s.saidOpaque = true
		s.note(model.CauseNotResumable, fmt.Sprintf("not resumable: the list has the resourceVersion %q, so every reconnect lists again", rv))
	}
	if s.complete && !s.polling {
		if s.lostCause == model.CauseNone {
			s.lostRV, s.lostCause = s.resume(), model.CauseNotResumable
		}
		s.gap(cmp, rv)
	}
	if !s.complete {
		s.gapBefore(cmp, rv)
	}
	s.complete = true
	s.lostCause = model.CauseNone
	s.kills, s.empties, s.lagging, s.stuck, s.noWatch = 0, 0, 0, 0, false
	if s.opaque {
		rv = ""
	}
	s.setRV(rv)
}

// gap publishes the span in which changes may have been missed. A list at the
// very resourceVersion that was seen last proves that there were none.
func (s *stream) gap(cmp *comparison, rv string) {
	found := cmp.added + cmp.modified + cmp.deleted
	if found == 0 && rv == s.lostRV && resumable(rv) {
		return
	}
	g := model.Gap{FromRV: s.lostRV, ToRV: rv, Since: s.lostAt, Cause: s.lostCause,
		Added: cmp.added, Modified: cmp.modified, Deleted: cmp.deleted}
	if !s.lostAt.IsZero() {
		g.Took = time.Since(s.lostAt)
	}
	lost := "history lost"
	if s.lostCause == model.CauseUser {
		lost = "nobody watched"
	}
	g.Text = fmt.Sprintf("%s; objects that differ in the new list: %d", lost, found)
	if wentBack(versionKey(s.lostRV), versionKey(rv)) {
		g.Text = fmt.Sprintf("resourceVersion went back from %s to %s: the server's data was restored or replaced; %s", s.lostRV, rv, g.Text)
		s.note(s.lostCause, g.Text)
	}
	s.e.log.Append(model.Record{Time: time.Now(), Stream: s.id, Type: model.GapFound, Detail: g})
}
