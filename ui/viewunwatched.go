package ui

import (
	"strings"

	"rewatch/model"
)

// belongings are the types of what usually belongs to objects of a type: a view
// of it says where those are not watched.
var belongings = map[string][]string{
	"Deployment": {"ReplicaSet", "Pod"}, "ReplicaSet": {"Pod"}, "StatefulSet": {"Pod"}, "DaemonSet": {"Pod"}, "Job": {"Pod"},
	"CronJob": {"Job", "Pod"}, "Service": {"EndpointSlice"}, "Node": {"Pod"},
}

// lack says in words that objects of a type which have to do with the one shown
// are not watched, may not be read, or are known only as of some time ago; "" is
// that they are watched.
func (r *reading) lack(kind string) string {
	id := r.data.identity
	all := newOverall(r.log.Streams(r.now), r.now)
	name, where, best := plurals(kind), "", (*model.StreamStatus)(nil)
	for i := range all.streams {
		s := &all.streams[i]
		if s.Kind != kind || s.Context != id.Context {
			continue
		}
		if id.Namespace != "" && s.Namespaced && s.Namespace != "" && s.Namespace != id.Namespace {
			where = " in " + id.Namespace
			continue
		}
		if best == nil || worth(s) > worth(best) {
			best = s
		}
	}
	adds := ""
	if r.adds {
		adds = " (: " + strings.ToLower(name) + " adds them)"
	}
	switch {
	case best == nil:
		return name + " are not watched" + where + adds
	case best.Removed():
		return name + " are not watched since " + best.Onset().In(r.loc).Format("15:04:05") + adds
	case !unwell(best):
		return ""
	}
	if d, ok := denied(best.StreamInfo, best.Last); ok {
		return name + " cannot be read: this user " + d.String()
	}
	_, why := all.plight(best, r.now)
	return strings.TrimSuffix(name+" are not current since "+best.Onset().In(r.loc).Format("15:04:05")+": "+why, ": ")
}

// worth orders streams by how much they tell.
func worth(s *model.StreamStatus) int {
	switch {
	case s.Removed():
		return 0
	case unwell(s):
		return 1
	}
	return 2
}

// lacks are lines for types that are not watched.
func (r *reading) lacks(kinds ...string) (doc []docLine) {
	for _, k := range kinds {
		if text := r.lack(k); text != "" {
			doc = append(doc, docLine{kind: docText, a: text})
		}
	}
	return doc
}

// plurals is how several objects of a kind are called.
func plurals(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s"), strings.HasSuffix(kind, "x"), strings.HasSuffix(kind, "ch"):
		return kind + "es"
	case strings.HasSuffix(kind, "y") && len(kind) > 1 && !strings.ContainsRune("aeiou", rune(kind[len(kind)-2])):
		return kind[:len(kind)-1] + "ies"
	}
	return kind + "s"
}

// glyphUnfollowed is on rows of objects that nobody watches any more.
const glyphUnfollowed = "◌"

// unfollowed reports whether nobody watches the object of a row any more, though
// it was not seen to end.
func (t *timeline) unfollowed(e model.Event) bool {
	if !e.Type.IsObject() || t.all.watched == len(t.all.streams) {
		return false
	}
	_, left := t.log.Left(e.Object)
	return left
}

// unfollowedText says so, in as many words as there is room for.
func unfollowedText(w int) string {
	if w < 40 {
		return glyphUnfollowed + " "
	}
	return glyphUnfollowed + " not watched  "
}
