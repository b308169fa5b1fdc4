package query

import (
	"maps"
	"slices"
	"strings"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/diff"
	"rewatch/model/jsonscan"
)

// How many of the newest rows are looked at: for names, and for what takes
// their bytes.
const (
	namesFrom = 5000
	bytesFrom = 200
)

// LogValues returns what is in a log for each field: types, namespaces,
// contexts and streams all of them, the rest from the newest rows. One call
// takes some milliseconds at most.
func LogValues(l *model.Log) Values {
	return func(field string) []string {
		switch field {
		case "kind":
			return fromGroups(l, func(g model.Identity) string { return strings.ToLower(g.Kind) })
		case "ns", "namespace":
			return fromGroups(l, func(g model.Identity) string { return g.Namespace })
		case "context":
			return fromGroups(l, func(g model.Identity) string { return g.Context })
		case "stream":
			return streamNames(l)
		case "name":
			return names(l)
		case "manager":
			return ofChanges(l, blame.Managers)
		case "path":
			return ofChanges(l, paths)
		}
		if root, rest, _ := strings.Cut(field, "."); root == "object" || root == "old" {
			return members(l, rest)
		}
		return nil
	}
}

func fromGroups(l *model.Log, of func(model.Identity) string) []string {
	seen := map[string]bool{}
	for _, g := range l.Groups() {
		seen[of(g)] = true
	}
	delete(seen, "")
	return slices.Sorted(maps.Keys(seen))
}

func streamNames(l *model.Log) []string {
	seen := map[string]bool{}
	for id := model.StreamID(0); ; id++ {
		s, ok := l.Stream(id)
		if !ok {
			return slices.Sorted(maps.Keys(seen))
		}
		seen[s.Name()] = true
	}
}

// newestRows calls f for rows of objects, the newest first, until it has been
// called n times.
func newestRows(l *model.Log, n int, f func(model.Event)) {
	s := l.Snapshot()
	for seq := s.End(); seq > s.First() && n > 0; seq-- {
		if e := s.At(seq - 1); e.Type.IsObject() {
			f(e)
			n--
		}
	}
}

// set keeps texts in the order in which they came, each once.
type set struct {
	list []string
	has  map[string]bool
}

func (s *set) add(text string) {
	if s.has == nil {
		s.has = map[string]bool{}
	}
	if text != "" && !s.has[text] {
		s.has[text] = true
		s.list = append(s.list, text)
	}
}

func names(l *model.Log) []string {
	var out set
	newestRows(l, namesFrom, func(e model.Event) {
		name, _, _ := l.AppendName(nil, e.Object)
		out.add(string(name))
	})
	return out.list
}

func ofChanges(l *model.Log, of func(r diff.Result, old, now []byte) []string) []string {
	var out set
	var old, now []byte
	newestRows(l, bytesFrom, func(e model.Event) {
		if e.Type != model.Modified || e.Has(model.Synthetic) {
			return
		}
		var okOld, okNow bool
		old, okOld = l.AppendBytes(old[:0], e.Object, e.Version-1)
		now, okNow = l.AppendBytes(now[:0], e.Object, e.Version)
		if okOld && okNow {
			for _, v := range of(diff.Objects(old, now), old, now) {
				out.add(v)
			}
		}
	})
	return out.list
}

// paths are the paths of a change without what selects elements of lists.
func paths(r diff.Result, _, _ []byte) []string {
	var out []string
	for _, c := range r.Changes {
		out = append(out, plainPath(c.Path, false))
	}
	return out
}

// members are the names of the members at a path of the newest objects.
func members(l *model.Log, path string) []string {
	var steps []string
	if path != "" {
		steps = strings.Split(path, ".")
	}
	var out set
	var now []byte
	newestRows(l, bytesFrom, func(e model.Event) {
		now, _ = l.AppendBytes(now[:0], e.Object, e.Version)
		found, _ := jsonscan.AppendMembers(nil, jsonscan.Get(now, steps...))
		for _, m := range found {
			out.add(strings.Clone(m.Key))
		}
	})
	slices.Sort(out.list)
	return out.list
}
