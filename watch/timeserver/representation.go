package timeserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/watch/timeserver/table"
)

// form is what a client wants to get objects as.
type form int

const (
	asObject form = iota
	asTable
	asPartial // PartialObjectMetadata, its list
)

// representation turns the objects of one answer into the form that the
// client asked for.
type representation struct {
	form    form
	version string // of meta.k8s.io
	include metav1.IncludeObjectPolicy
	printer *table.Printer // of asTable
	now     func() time.Time
	headed  bool // the columns have gone out
}

// represent finds out what a client wants, as k8s.io/apiserver does: the first
// clause of Accept that can be served counts.
func (s *Server) represent(x *exchange, t *shelf) (*representation, error) {
	p := &representation{now: s.o.Now}
	if !p.negotiate(x.r.Header.Values("Accept"), x.req.verb == "list") {
		return nil, statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
			"only the following media types are accepted: application/json")
	}
	if p.form != asTable {
		return p, nil
	}
	p.include = metav1.IncludeObjectPolicy(x.r.URL.Query().Get("includeObject"))
	if !slices.Contains([]metav1.IncludeObjectPolicy{"", metav1.IncludeNone, metav1.IncludeMetadata, metav1.IncludeObject}, p.include) {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("Unable to convert to Table as requested: unrecognized includeObject value: %q", p.include))
	}
	p.printer = s.printer(t)
	return p, nil
}

func (p *representation) negotiate(accept []string, list bool) bool {
	all := strings.Join(accept, ",")
	if strings.TrimSpace(all) == "" {
		return true
	}
	for clause := range strings.SplitSeq(all, ",") {
		typ, params, err := mime.ParseMediaType(clause)
		if err != nil || typ != "application/json" && typ != "application/*" && typ != "*/*" {
			continue
		}
		as, group, version := params["as"], params["g"], params["v"]
		if as == "" {
			return true
		}
		if group != metav1.GroupName || version != "v1" && version != "v1beta1" {
			continue
		}
		p.version = version
		switch {
		case as == "Table":
			p.form = asTable
			return true
		case as == "PartialObjectMetadataList" && list, as == "PartialObjectMetadata" && !list:
			p.form = asPartial
			return true
		}
	}
	return false
}

func (p *representation) apiVersion() string { return metav1.GroupName + "/" + p.version }

// object is one object in the form asked for.
func (p *representation) object(raw []byte) []byte {
	switch p.form {
	case asTable:
		rv := ""
		if meta, ok := metadataSpan(raw); ok {
			if v, ok := member(raw, meta.start, "resourceVersion"); ok {
				_ = json.Unmarshal(raw[v.start:v.end], &rv)
			}
		}
		return p.table(metav1.ListMeta{ResourceVersion: rv}, [][]byte{raw}, []table.Row{p.printer.Row(raw, p.now())})
	case asPartial:
		return p.partial(raw)
	}
	return raw
}

// partial is the metadata of an object.
func (p *representation) partial(raw []byte) []byte {
	meta := []byte("{}")
	if m, ok := metadataSpan(raw); ok {
		meta = raw[m.start:m.end]
	}
	version := p.apiVersion()
	return fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":%q,"metadata":%s}`, version, meta)
}

// table writes rows. The columns are part of the first table of an answer.
func (p *representation) table(meta metav1.ListMeta, raws [][]byte, rows []table.Row) []byte {
	var b bytes.Buffer
	columns := []byte("null")
	if !p.headed {
		columns = mustJSON(p.printer.Columns)
	}
	p.headed = true
	fmt.Fprintf(&b, `{"kind":"Table","apiVersion":%q,"metadata":%s,"columnDefinitions":%s,"rows":[`, p.apiVersion(), mustJSON(meta), columns)
	for i, r := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"cells":%s`, mustJSON(r.Cells))
		if len(r.Conditions) > 0 {
			fmt.Fprintf(&b, `,"conditions":%s`, mustJSON(r.Conditions))
		}
		fmt.Fprintf(&b, `,"object":%s}`, p.included(raws[r.Index]))
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// included is the object that goes with a row.
func (p *representation) included(raw []byte) []byte {
	switch p.include {
	case metav1.IncludeNone:
		return []byte("null")
	case metav1.IncludeObject:
		return raw
	}
	return p.partial(raw)
}

// list writes a page in the form asked for.
func (p *representation) list(page page, r Resource) []byte {
	if p.form == asObject {
		return page.encode(r)
	}
	meta := page.meta()
	raws := make([][]byte, len(page.objects))
	for i, o := range page.objects {
		raws[i] = o.raw
	}
	if p.form == asTable {
		return p.table(meta, raws, p.printer.Rows(raws, p.now()))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"kind":"PartialObjectMetadataList","apiVersion":%q,"metadata":%s,"items":[`, p.apiVersion(), mustJSON(meta))
	for i, raw := range raws {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(p.partial(raw))
	}
	b.WriteString("]}\n")
	return b.Bytes()
}

// meta is the metadata of a list.
func (p page) meta() metav1.ListMeta {
	meta := metav1.ListMeta{ResourceVersion: p.rv, Continue: p.next}
	if p.remaining > 0 {
		meta.RemainingItemCount = &p.remaining
	}
	return meta
}
