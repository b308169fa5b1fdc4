package cli

import "strings"

// tellApart names the streams of tapes that are told of together. Where a
// resource is there in several scopes or contexts, its name alone is not enough.
func tellApart(docs []infoDoc) {
	type seen struct{ scopes, contexts map[string]bool }
	of := map[string]seen{}
	for _, d := range docs {
		for i := range d.Streams {
			x := &d.Streams[i]
			if _, ok := of[x.Resource]; !ok {
				of[x.Resource] = seen{map[string]bool{}, map[string]bool{}}
			}
			of[x.Resource].scopes[x.scope()] = true
			of[x.Resource].contexts[x.Context] = true
		}
	}
	for _, d := range docs {
		for i := range d.Streams {
			x := &d.Streams[i]
			x.name = x.Resource
			if len(of[x.Resource].scopes) > 1 {
				x.name += " in " + strings.TrimSuffix(x.scope(), " namespaces")
			}
			if len(of[x.Resource].contexts) > 1 {
				x.name += " @" + x.Context
			}
		}
	}
}
