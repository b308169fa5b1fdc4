package timeserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const accessReviewPrefix = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

func (x *exchange) json(code int, body []byte) {
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(code)
	_, _ = x.w.Write(body)
}

func (x *exchange) object(code int, o any) error {
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	x.json(code, append(b, '\n'))
	return nil
}

// fail answers with the Status of an error, unless the answer has begun.
func (x *exchange) fail(err error) {
	if x.status != 0 {
		return
	}
	st := statusOf(err)
	if st.Details != nil && st.Details.RetryAfterSeconds > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(st.Details.RetryAfterSeconds)))
	}
	_ = x.object(int(st.Code), st)
}

// statusOf is the Status of an error. Errors that are none become a 500
// without a reason, as k8s.io/apiserver's ErrorToAPIStatus has it.
func statusOf(err error) metav1.Status {
	st := metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: err.Error()}
	if api := apierrors.APIStatus(nil); errors.As(err, &api) {
		st = api.Status()
	}
	st.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	return st
}

func statusError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason,
		Message: message}}
}

// notServed is the answer to paths that nothing is installed at: not a
// Status, but the plain text of Go's ServeMux.
func (x *exchange) notServed() error {
	http.Error(x.w, "404 page not found", http.StatusNotFound)
	return nil
}

func (s *Server) readOnly(r Resource, verb string) error {
	err := apierrors.NewMethodNotSupported(r.groupResource(), verb)
	err.ErrStatus.Message = s.o.ReadOnly() + ": " + err.ErrStatus.Message
	return err
}

func forbidden(a Access) error {
	where := "at the cluster scope"
	if a.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	gr := Resource{Group: a.Group, Resource: a.Resource}.groupResource()
	//lint:ignore ST1005 the words of a kube-apiserver
	return apierrors.NewForbidden(gr, a.Name, fmt.Errorf("User %q cannot %s resource %q in API group %q %s",
		"rewatch", a.Verb, a.Resource, a.Group, where))
}

func (s *Server) accessReview(x *exchange) error {
	if x.r.Method != http.MethodPost {
		return s.readOnly(Resource{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"}, x.req.verb)
	}
	body, err := io.ReadAll(http.MaxBytesReader(x.w, x.r.Body, 1<<20))
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	review, err := parseReview(x.r.Header.Get("Content-Type"), body)
	if err != nil {
		return err
	}
	a := review.Spec.ResourceAttributes
	if a == nil {
		review.Status.Allowed = review.Spec.NonResourceAttributes != nil && review.Spec.NonResourceAttributes.Verb == "get"
	} else {
		review.Status.Allowed = s.o.Allow(Access{a.Verb, a.Group, a.Resource, a.Namespace, a.Name})
	}
	if !review.Status.Allowed {
		review.Status.Reason = "rewatch serves the past read-only, to those who may see it"
	}
	review.TypeMeta = metav1.TypeMeta{Kind: "SelfSubjectAccessReview", APIVersion: "authorization.k8s.io/v1"}
	return x.object(http.StatusCreated, &review)
}

// protobufMagic begins every protobuf message of the Kubernetes API; a
// runtime.Unknown with the object follows.
const protobufMagic = "k8s\x00"

// parseReview reads the one kind of object that the server takes, as JSON or
// as the protobuf that kubectl prefers.
func parseReview(contentType string, body []byte) (r authorizationv1.SelfSubjectAccessReview, err error) {
	switch {
	case contentType == "" || strings.HasPrefix(contentType, "application/json"):
		err = json.Unmarshal(body, &r)
	case strings.HasPrefix(contentType, "application/vnd.kubernetes.protobuf"):
		var u runtime.Unknown
		if err = u.Unmarshal(bytes.TrimPrefix(body, []byte(protobufMagic))); err == nil {
			err = r.Unmarshal(u.Raw)
		}
	default:
		return r, statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType, "the body of the "+
			"request was in an unknown format - accepted media types include: application/json, application/vnd.kubernetes.protobuf")
	}
	if err != nil {
		return r, apierrors.NewBadRequest(err.Error())
	}
	return r, nil
}
