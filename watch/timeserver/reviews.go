package timeserver

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// reviews are the questions that are POSTed, by group, version and resource.
// They change nothing.
var reviews = map[string]func(*Server, *exchange) error{ // never changed
	"authorization.k8s.io/v1/selfsubjectaccessreviews": (*Server).accessReview,
	"authorization.k8s.io/v1/selfsubjectrulesreviews":  (*Server).rulesReview,
	"authentication.k8s.io/v1/selfsubjectreviews":      (*Server).whoAmI,
}

// reviewKinds are their kinds, by group, for discovery.
var reviewKinds = map[string][]string{ // never changed
	"authorization.k8s.io":  {"SelfSubjectAccessReview", "SelfSubjectRulesReview"},
	"authentication.k8s.io": {"SelfSubjectReview"},
}

// user is who all clients are.
const user = "rewatch"

func (s *Server) accessReview(x *exchange) error {
	review := &authorizationv1.SelfSubjectAccessReview{}
	if err := s.question(x, review); err != nil {
		return err
	}
	if a := review.Spec.ResourceAttributes; a == nil {
		review.Status.Allowed = review.Spec.NonResourceAttributes != nil && review.Spec.NonResourceAttributes.Verb == "get"
	} else {
		access := Access{a.Verb, a.Group, a.Resource, a.Namespace, a.Name}
		if review.Status.Allowed = s.o.Allow(access); review.Status.Allowed && a.Resource != "*" {
			if err := s.covered(access); err != nil {
				review.Status.Allowed, review.Status.Reason = false, err.Error()
			}
		}
	}
	if !review.Status.Allowed && review.Status.Reason == "" {
		review.Status.Reason = "rewatch serves the past read-only, to those who may see it"
	}
	review.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: "authorization.k8s.io/v1"}
	return x.object(http.StatusCreated, review)
}

// rulesReview lists what may be done: kubectl auth can-i --list.
func (s *Server) rulesReview(x *exchange) error {
	review := &authorizationv1.SelfSubjectRulesReview{}
	if err := s.question(x, review); err != nil {
		return err
	}
	review.Status = authorizationv1.SubjectRulesReviewStatus{
		ResourceRules: []authorizationv1.ResourceRule{},
		NonResourceRules: []authorizationv1.NonResourceRule{
			{Verbs: []string{"get"}, NonResourceURLs: []string{"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version"}}},
	}
	for _, r := range s.store.Resources() {
		var verbs []string
		for _, verb := range readVerbs {
			a := Access{Verb: verb, Group: r.Group, Resource: r.Resource}
			if r.Namespaced {
				a.Namespace = review.Spec.Namespace
			}
			if s.o.Allow(a) && s.covered(a) == nil {
				verbs = append(verbs, verb)
			}
		}
		if len(verbs) > 0 {
			review.Status.ResourceRules = append(review.Status.ResourceRules,
				authorizationv1.ResourceRule{Verbs: verbs, APIGroups: []string{r.Group}, Resources: []string{r.Resource}})
		}
	}
	review.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectRulesReview", APIVersion: "authorization.k8s.io/v1"}
	return x.object(http.StatusCreated, review)
}

// whoAmI answers kubectl auth whoami.
func (s *Server) whoAmI(x *exchange) error {
	review := &authenticationv1.SelfSubjectReview{}
	if err := s.question(x, review); err != nil {
		return err
	}
	review.Status.UserInfo.Username = user
	review.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectReview", APIVersion: "authentication.k8s.io/v1"}
	return x.object(http.StatusCreated, review)
}

// protobufMagic begins every protobuf message of the Kubernetes API; a
// runtime.Unknown with the object follows.
const protobufMagic = "k8s\x00"

// question reads the body of a POST, as JSON or as the protobuf that kubectl
// prefers.
func (s *Server) question(x *exchange, into interface{ Unmarshal([]byte) error }) error {
	if x.r.Method != http.MethodPost {
		return s.readOnly(Resource{Group: x.req.group, Resource: x.req.resource}, x.req.verb)
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, 1<<20))
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	switch contentType := x.r.Header.Get("Content-Type"); {
	case contentType == "" || strings.HasPrefix(contentType, "application/json"):
		err = json.Unmarshal(body, into)
	case strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf"):
		var u runtime.Unknown
		if err = u.Unmarshal(bytes.TrimPrefix(body, []byte(protobufMagic))); err == nil {
			err = into.Unmarshal(u.Raw)
		}
	default:
		return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, "the body of the "+
			"request was in an unknown format - accepted media types include: application/json, application/vnd.kubernetes.protobuf")
	}
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	return nil
}
