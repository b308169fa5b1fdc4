package timeserver

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The words of k8s.io/apiserver/pkg/storage/etcd3/errors.go.
const (
	listExpired     = "The resourceVersion for the provided list is too old."
	continueExpired = "The provided continue parameter is too old to display a consistent list result. " +
		"You can start a new list without the continue parameter."
)

// listOptions reads and checks the parameters of a list or a watch with the
// code that a kube-apiserver uses, so that it refuses what that refuses.
func (s *Server) listOptions(x *exchange) (internalversion.ListOptions, error) {
	var o internalversion.ListOptions
	if err := internalscheme.ParameterCodec.DecodeParameters(x.r.URL.Query(), metav1.SchemeGroupVersion, &o); err != nil {
		return o, apierrors.NewBadRequest(err.Error())
	}
	internalversion.SetListOptionsDefaults(&o, !s.o.NoWatchList)
	if errs := validation.ValidateListOptions(&o, !s.o.NoWatchList); len(errs) > 0 {
		return o, apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", errs)
	}
	return o, nil
}

// parseRV reads a resourceVersion. An invalid one is no API error to a
// kube-apiserver: it is answered 500 without a reason.
func parseRV(rv string) (int64, error) {
	if rv == "" || rv == "0" {
		return 0, nil
	}
	n, err := strconv.ParseUint(rv, 10, 63)
	if err != nil {
		return 0, field.ErrorList{field.Invalid(field.NewPath("resourceVersion"), rv, err.Error())}.ToAggregate()
	}
	return int64(n), nil
}

// waitFor waits until the store has reached rv, and answers 504 when it has
// not within Options.TooLargeWait.
func (s *Server) waitFor(x *exchange, rv int64) error {
	timeout := time.NewTimer(s.o.TooLargeWait)
	defer timeout.Stop()
	for {
		now, moved := s.store.movement()
		if now >= rv {
			return nil
		}
		select {
		case <-moved:
		case <-timeout.C:
			return TooLarge(rv, now)
		case <-x.r.Context().Done():
			return x.r.Context().Err()
		}
	}
}

// TooLarge is the answer to a resourceVersion that the server has not
// reached: 504 Timeout with the cause ResourceVersionTooLarge.
func TooLarge(want, current int64) *apierrors.StatusError {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", want, current), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version"}}
	return err
}

// continueToken is what a kube-apiserver puts into a continue parameter.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

func (t continueToken) encode() string {
	t.APIVersion = "meta.k8s.io/v1"
	b, _ := json.Marshal(t)
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseContinue(s string) (t continueToken, err error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}
	if err != nil || t.APIVersion != "meta.k8s.io/v1" {
		return t, apierrors.NewBadRequest(fmt.Sprintf("invalid continue token: %v", err))
	}
	return t, nil
}

// page is one answer to a list.
type page struct {
	objects   []*object
	rv        string
	next      string
	remaining int64 // after this page; 0 is none or unknown
}

func (s *Server) list(x *exchange, t *shelf, form *representation) error {
	o, err := s.listOptions(x)
	if err != nil {
		return err
	}
	sel, err := newSelection(x.req.namespace, o, func() selectable { return s.selectable(t.Resource) })
	if err != nil {
		return err
	}
	p, err := s.page(x, t, o, sel)
	if err != nil {
		return err
	}
	x.fault.alterPage(&p)
	x.json(http.StatusOK, form.list(p, t.Resource))
	return nil
}

func (s *Server) page(x *exchange, t *shelf, o internalversion.ListOptions, sel selection) (page, error) {
	var p page
	var start string
	all, rv, err := s.listed(x, t, o, &start)
	if err != nil {
		return p, err
	}
	p.rv = strconv.FormatInt(rv, 10)
	limit := int(o.Limit)
	if o.ResourceVersion == "0" {
		limit = 0 // answered from the cache, which has no pages
	}
	for i, obj := range all {
		if obj.key() < start || !sel.matches(obj) {
			continue
		}
		if limit > 0 && len(p.objects) == limit {
			// The start key is the last one and a zero byte: the next after it.
			p.next = continueToken{ResourceVersion: rv, StartKey: p.objects[limit-1].key() + "\x00"}.encode()
			if sel.everything() {
				p.remaining = int64(len(all) - i)
			}
			break
		}
		p.objects = append(p.objects, obj)
	}
	return p, nil
}

// listed finds the state that a list asks for: that of its continue token, an
// exact past one, or the present one.
func (s *Server) listed(x *exchange, t *shelf, o internalversion.ListOptions, start *string) ([]*object, int64, error) {
	if o.Continue != "" {
		return s.continued(t, o, start)
	}
	rv, err := parseRV(o.ResourceVersion)
	if err != nil {
		return nil, 0, err
	}
	if err := s.waitFor(x, rv); err != nil {
		return nil, 0, err
	}
	// A limit at a resourceVersion means exactly that one, unless told
	// otherwise, as in etcd.
	if o.ResourceVersionMatch == metav1.ResourceVersionMatchExact ||
		o.ResourceVersionMatch == "" && rv > 0 && o.Limit > 0 {
		all, ok := s.store.snapshotAt(t, rv)
		if !ok {
			return nil, 0, apierrors.NewResourceExpired(listExpired)
		}
		return all, rv, nil
	}
	all, now, _ := s.store.snapshot(t)
	return all, now, nil
}

func (s *Server) continued(t *shelf, o internalversion.ListOptions, start *string) ([]*object, int64, error) {
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		return nil, 0, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
	}
	token, err := parseContinue(o.Continue)
	if err != nil {
		return nil, 0, err
	}
	*start = token.StartKey
	if token.ResourceVersion < 0 { // the inconsistent token that came with a 410
		all, now, _ := s.store.snapshot(t)
		return all, now, nil
	}
	all, ok := s.store.snapshotAt(t, token.ResourceVersion)
	if !ok {
		expired := apierrors.NewResourceExpired(continueExpired)
		expired.ErrStatus.Continue = continueToken{ResourceVersion: -1, StartKey: token.StartKey}.encode()
		return nil, 0, expired
	}
	return all, token.ResourceVersion, nil
}

// encode writes a list. The items of builtin types carry no apiVersion and
// kind, those of custom resources do: so it is with a kube-apiserver.
func (p page) encode(r Resource) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":%q,"apiVersion":%q,"metadata":%s,"items":[`, r.Kind+"List", r.APIVersion(), mustJSON(p.meta()))
	bare := !strings.Contains(r.Group, ".") || strings.HasSuffix(r.Group, ".k8s.io")
	for i, o := range p.objects {
		if i > 0 {
			b.WriteByte(',')
		}
		raw := o.raw
		if bare {
			raw = without(without(raw, "kind"), "apiVersion")
		}
		b.Write(raw)
	}
	b.WriteString("]}\n")
	return b.Bytes()
}
