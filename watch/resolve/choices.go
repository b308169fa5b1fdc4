package resolve

import (
	"context"

	"k8s.io/client-go/rest"
)

// Choice is a type that may be watched or at least listed.
type Choice struct {
	Name       string // the shortest that means it
	ShortNames []string
	Kind       string
	Group      string
	Namespaced bool
}

// Choices lists the types that a server serves, in its order of preference,
// each once.
func Choices(ctx context.Context, cfg *rest.Config) ([]Choice, error) {
	c, _, err := discover(ctx, cfg)
	if err != nil {
		return nil, err
	}
	var out []Choice
	seen := map[string]bool{}
	for _, e := range c.entries {
		if seen[e.name()] || !e.canList && !e.canWatch {
			continue
		}
		seen[e.name()] = true
		out = append(out, Choice{Name: c.shortest(e), ShortNames: e.shortNames, Kind: e.kind, Group: e.group, Namespaced: e.namespaced})
	}
	return out, nil
}

// Namespaces lists the names of a server's first 500 namespaces; none if this
// user may not list them.
func Namespaces(ctx context.Context, cfg *rest.Config) ([]string, error) {
	client, err := newClient(cfg)
	if err != nil {
		return nil, err
	}
	return listNamespaces(ctx, client.RESTClient()), nil
}
