package cli

import (
	"slices"
	"strings"

	"rewatch/model"
	"rewatch/watch"
	"rewatch/watch/resolve"
)

// What a joiner does for changes of what is watched.

// typeKey is what streams of one type, or of one object, in the namespaces of a
// context have in common.
type typeKey struct{ context, group, resource, field string }

func typeOf(s model.StreamInfo) typeKey { return typeKey{s.Context, s.Group, s.Resource, s.Field} }

// streams are those of a context.
func (j *joiner) streams(context string) map[model.StreamInfo]model.StreamID {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := map[model.StreamInfo]model.StreamID{}
	for s, id := range j.added {
		if s.Context == context {
			out[s] = id
		}
	}
	return out
}

// wants has types asked for, in contexts and namespaces that are watched later
// as well.
func (j *joiner) wants(args []resolve.Arg) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, a := range args {
		if !slices.Contains(j.request.Also, a) && !slices.Contains(j.request.Types, a) {
			j.request.Also = append(slices.Clone(j.request.Also), a)
		}
	}
}

// wantsTypes takes back that types were removed, leaves out single objects of
// types that are watched whole, and ends the watches of single objects of those
// that now are.
func (j *joiner) wantsTypes(res *resolve.Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	res.Targets = slices.DeleteFunc(res.Targets, func(t watch.Target) bool {
		whole, single := wholeOf(t.StreamInfo)
		_, there := j.added[whole]
		return single && there
	})
	asked := map[model.StreamInfo]bool{}
	for _, t := range res.Targets {
		asked[t.StreamInfo] = true
		delete(j.without, typeOf(t.StreamInfo))
	}
	for s, id := range j.added {
		if whole, single := wholeOf(s); single && asked[whole] {
			j.end(s, id)
		}
	}
}

// wholeOf is the stream of all objects that one of a single object is a part of.
func wholeOf(s model.StreamInfo) (whole model.StreamInfo, single bool) {
	rest, single := strings.CutPrefix(s.Field, "metadata.name=")
	_, s.Field, _ = strings.Cut(rest, ",")
	return s, single
}

// drop ends the watches of the types of a result, in all namespaces, and
// returns how many there were.
func (j *joiner) drop(res resolve.Result) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range res.Targets {
		key := typeOf(t.StreamInfo)
		for s, id := range j.added {
			if typeOf(s) == key {
				j.without[key] = true
				j.end(s, id)
				n++
			}
		}
	}
	return n
}

// remove ends one watch. If it is the last of its type in the context, other
// namespaces will be watched without that type as well.
func (j *joiner) remove(id model.StreamID) (info model.StreamInfo, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	alike := map[typeKey]int{}
	for s, x := range j.added {
		alike[typeOf(s)]++
		if x == id {
			info, ok = s, true
		}
	}
	if ok {
		j.without[typeOf(info)] = alike[typeOf(info)] == 1
		j.end(info, id)
	}
	return info, ok
}

// retire ends the watches of a context that are no longer wanted.
func (j *joiner) retire(context string, unwanted func(model.StreamInfo) bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for s, id := range j.added {
		if s.Context == context && unwanted(s) {
			j.end(s, id)
		}
	}
}

// end ends a watch; j.mu is held. What its context has to tell hangs on another
// of its watches from now on.
func (j *joiner) end(s model.StreamInfo, id model.StreamID) {
	j.engine.Remove(id)
	delete(j.added, s)
	if j.first[s.Context] != id {
		return
	}
	delete(j.first, s.Context)
	for other, x := range j.added {
		if other.Context == s.Context {
			j.first[s.Context] = x
		}
	}
}

// spread is what is watched of a context that cannot be asked, in other
// namespaces.
func (j *joiner) spread(context string, namespaces []string) resolve.Result {
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	var res resolve.Result
	seen := map[model.StreamInfo]bool{}
	for s := range j.streams(context) {
		for _, ns := range namespaces {
			if s.Namespaced {
				s.Namespace = ns
			}
			if !seen[s] {
				seen[s] = true
				res.Targets = append(res.Targets, watch.Target{StreamInfo: s})
			}
		}
	}
	slices.SortFunc(res.Targets, func(a, b watch.Target) int {
		return strings.Compare(a.Name()+a.Namespace, b.Name()+b.Namespace)
	})
	return res
}

// forgetClient lets the next watch of a context read its credentials anew.
func (j *joiner) forgetClient(context string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.clients, context)
}
