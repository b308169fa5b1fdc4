package resolve

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Catalog is the types that one server serves, in the server's order of
// preference.
type Catalog struct {
	entries []entry
}

// entry is one type at one version.
type entry struct {
	group, version         string
	resource, singular     string
	kind                   string
	shortNames, categories []string
	namespaced             bool
	canList, canWatch      bool
}

// name is the unambiguous name: resource[.group].
func (e entry) name() string {
	if e.group == "" {
		return e.resource
	}
	return e.resource + "." + e.group
}

// uncached reports whether the server keeps no watch cache of the type: its
// watches get no periodic bookmarks (facts of the watch protocol: Events, in
// both of their groups).
func (e entry) uncached() bool {
	return e.resource == "events" && (e.group == "" || e.group == "events.k8s.io")
}

// newCatalog reads what discovery returned. Lists may lack for groups whose
// API server is down.
func newCatalog(groups []*metav1.APIGroup, lists []*metav1.APIResourceList) *Catalog {
	byGV := make(map[string]*metav1.APIResourceList, len(lists))
	for _, l := range lists {
		if l != nil {
			byGV[l.GroupVersion] = l
		}
	}
	c := &Catalog{}
	for _, g := range groups {
		for _, gv := range versions(g) {
			if l := byGV[gv]; l != nil {
				c.add(l)
			}
		}
	}
	return c
}

// versions lists the group's versions, the preferred one first.
func versions(g *metav1.APIGroup) []string {
	out := []string{}
	if g.PreferredVersion.GroupVersion != "" {
		out = append(out, g.PreferredVersion.GroupVersion)
	}
	for _, v := range g.Versions {
		if !slices.Contains(out, v.GroupVersion) {
			out = append(out, v.GroupVersion)
		}
	}
	return out
}

func (c *Catalog) add(l *metav1.APIResourceList) {
	gv, err := schema.ParseGroupVersion(l.GroupVersion)
	if err != nil {
		return
	}
	for _, r := range l.APIResources {
		if strings.Contains(r.Name, "/") { // a subresource
			continue
		}
		e := entry{
			group: gv.Group, version: gv.Version, resource: r.Name, singular: r.SingularName, kind: r.Kind,
			shortNames: r.ShortNames, categories: r.Categories, namespaced: r.Namespaced,
			canList: slices.Contains(r.Verbs, "list"), canWatch: slices.Contains(r.Verbs, "watch"),
		}
		if e.singular == "" {
			e.singular = strings.ToLower(r.Kind)
		}
		c.entries = append(c.entries, e)
	}
}

// find returns the types that a typed word means: one, or all of a category.
// Empty is unknown.
func (c *Catalog) find(typ string) []entry {
	word, rest, qualified := strings.Cut(typ, ".")
	if !qualified {
		if e, ok := c.one(word, func(entry) bool { return true }); ok {
			return []entry{e}
		}
		return c.category(word)
	}
	version, group, both := strings.Cut(rest, ".")
	matchers := []func(entry) bool{
		func(e entry) bool { return both && e.version == version && e.group == group },
		func(e entry) bool { return e.group == rest },
		func(e entry) bool { return !both && e.version == rest && e.group == "" },
		// kubectl's courtesy: cert.cert-manager is certificates.cert-manager.io.
		func(e entry) bool { return strings.HasPrefix(e.group, rest) },
	}
	for _, m := range matchers {
		if e, ok := c.one(word, m); ok {
			return []entry{e}
		}
	}
	return nil
}

// one returns the first type of which word is a name, names of the stronger
// sort first.
func (c *Catalog) one(word string, in func(entry) bool) (entry, bool) {
	sorts := []func(entry) bool{
		func(e entry) bool { return e.resource == word },
		func(e entry) bool { return e.singular == word },
		func(e entry) bool { return slices.Contains(e.shortNames, word) },
		func(e entry) bool { return strings.EqualFold(e.kind, word) },
	}
	for _, is := range sorts {
		for _, e := range c.entries {
			if is(e) && in(e) {
				return e, true
			}
		}
	}
	return entry{}, false
}

// category returns the types of a category that can be watched or at least
// listed, each at its preferred version.
func (c *Catalog) category(word string) []entry {
	var out []entry
	seen := map[string]bool{}
	for _, e := range c.entries {
		if slices.Contains(e.categories, word) && (e.canList || e.canWatch) && !seen[e.name()] {
			seen[e.name()] = true
			out = append(out, e)
		}
	}
	return out
}

// Names lists the types by the shortest name that means them.
func (c *Catalog) Names() []string {
	var out []string
	for _, e := range c.entries {
		out = append(out, c.shortest(e))
	}
	return out
}
