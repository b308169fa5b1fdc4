package resolve

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	authv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	authclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/watch"
)

// access answers whether this user may do one thing.
type access interface {
	// allowed is true as well when the server does not say: the stream will
	// then show what happens.
	allowed(ctx context.Context, a authv1.ResourceAttributes) bool
}

// reviews asks the server, by SelfSubjectAccessReview.
type reviews struct {
	client authclient.SelfSubjectAccessReviewInterface
}

// newClient makes a client that speaks JSON: the default would be protobuf,
// which small servers and test doubles of the API do not read.
func newClient(cfg *rest.Config) (*authclient.AuthorizationV1Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	return authclient.NewForConfig(cfg)
}

func (r reviews) allowed(ctx context.Context, a authv1.ResourceAttributes) bool {
	review := &authv1.SelfSubjectAccessReview{Spec: authv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &a}}
	answer, err := r.client.Create(ctx, review, metav1.CreateOptions{})
	return err != nil || answer.Status.Allowed
}

// parallelReviews bounds the reviews under way: a default set in one
// namespace needs 22 of them.
const parallelReviews = 12

// refused returns for every candidate the verbs, of list and watch, that this
// user may not use on it.
func refused(ctx context.Context, a access, cs []candidate) [][]string {
	const verbs = 2
	out := make([][verbs]string, len(cs))
	var g errgroup.Group
	g.SetLimit(parallelReviews)
	for i, c := range cs {
		for v, verb := range [verbs]string{"list", "watch"} {
			g.Go(func() error {
				if !a.allowed(ctx, c.attributes(verb)) {
					out[i][v] = verb
				}
				return nil
			})
		}
	}
	_ = g.Wait() // the functions return no errors
	refused := make([][]string, len(cs))
	for i, r := range out {
		refused[i] = slices.DeleteFunc(r[:], func(s string) bool { return s == "" })
	}
	return refused
}

func (c candidate) attributes(verb string) authv1.ResourceAttributes {
	return authv1.ResourceAttributes{
		Namespace: c.target.Namespace, Verb: verb, Name: c.name,
		Group: c.target.Group, Version: c.target.Version, Resource: c.target.Resource,
	}
}

// permit splits the candidates by what this user may do: those named by the
// user stay even if refused, since their stream shows the server's answer;
// those of the default set are left out. Notes name what is refused.
func permit(ctx context.Context, a access, cs []candidate) (kept []candidate, notes []model.Note, denied int) {
	byReason := map[string][]string{}
	var reasons []string // in order of appearance
	for i, verbs := range refused(ctx, a, cs) {
		c := cs[i]
		if len(verbs) == 0 {
			kept = append(kept, c)
			continue
		}
		denied++
		lead := "left out, "
		if c.explicit {
			kept = append(kept, c)
			lead = ""
		}
		reason := fmt.Sprintf("%sthis user may not %s %%s %s", lead, strings.Join(verbs, " or "), where(c.target))
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		name := c.target.StreamInfo.Name()
		if c.name != "" {
			name += "/" + c.name
		}
		byReason[reason] = append(byReason[reason], name)
	}
	for _, reason := range reasons {
		text := fmt.Sprintf(reason, strings.Join(byReason[reason], ", "))
		if strings.HasSuffix(reason, everywhere) {
			text += "; with access to one namespace only, name it: rewatch -n NAMESPACE"
		}
		notes = append(notes, model.Note{Cause: model.CauseForbidden, Text: text})
	}
	return kept, notes, denied
}

const everywhere = "in all namespaces"

// where is the scope of a target in words.
func where(t watch.Target) string {
	switch {
	case !t.Namespaced:
		return "in the cluster"
	case t.Namespace == "":
		return everywhere
	default:
		return "in namespace " + t.Namespace
	}
}
