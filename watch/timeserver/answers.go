package timeserver

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gzipFrom is from which size on answers are compressed, for who takes that:
// that of a kube-apiserver.
const gzipFrom = 128 << 10

func (x *exchange) json(code int, body []byte) { x.body(code, "application/json", body) }

func (x *exchange) body(code int, contentType string, body []byte) {
	x.w.Header().Set("Content-Type", contentType)
	if len(body) >= gzipFrom && strings.Contains(x.r.Header.Get("Accept-Encoding"), "gzip") {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a level that exists
		_, _ = z.Write(body)
		_ = z.Close()
		body = b.Bytes()
		x.w.Header().Set("Content-Encoding", "gzip")
		x.w.Header().Add("Vary", "Accept-Encoding")
	}
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
