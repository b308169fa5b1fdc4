package timeserver

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// answer gets a path with some headers and reads the whole answer.
func answer(t *testing.T, address string, headers map[string]string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range headers {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, body
}

const (
	tableAccept   = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	partialAccept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

func TestTableHasWhatIsAskedFor(t *testing.T) {
	s, e := serve(t, Options{Now: func() time.Time { return time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC) }})
	put(t, s, "pods", []byte(`{"metadata":{"name":"web","namespace":"shop","creationTimestamp":"2026-01-01T00:00:00Z"},"status":{"phase":"Running"}}`))
	for include, kind := range map[string]string{"": "PartialObjectMetadata", "Metadata": "PartialObjectMetadata", "Object": "Pod", "None": ""} {
		_, body := answer(t, e.URL()+"/api/v1/pods?includeObject="+include, map[string]string{"Accept": tableAccept})
		var table struct {
			metav1.TypeMeta
			ColumnDefinitions []metav1.TableColumnDefinition
			Rows              []struct {
				Cells  []any
				Object *metav1.PartialObjectMetadata
			}
		}
		if err := json.Unmarshal(body, &table); err != nil || len(table.Rows) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		if table.Kind != "Table" || table.APIVersion != "meta.k8s.io/v1" || len(table.ColumnDefinitions) != 9 {
			t.Errorf("%s %s of %d columns", table.APIVersion, table.Kind, len(table.ColumnDefinitions))
		}
		row := table.Rows[0]
		if row.Cells[0] != "web" || row.Cells[4] != "120m" {
			t.Errorf("%q: the age is not as of then", row.Cells)
		}
		if kind == "" != (row.Object == nil) || row.Object != nil && (row.Object.Kind != kind || row.Object.Name != "web") {
			t.Errorf("%s: %+v", include, row.Object)
		}
	}
	if res, _ := answer(t, e.URL()+"/api/v1/pods?includeObject=All", map[string]string{"Accept": tableAccept}); res.StatusCode != http.StatusBadRequest {
		t.Errorf("includeObject=All: %s", res.Status)
	}
	if res, _ := answer(t, e.URL()+"/api/v1/pods", map[string]string{"Accept": "application/vnd.kubernetes.protobuf"}); res.StatusCode != http.StatusNotAcceptable {
		t.Errorf("protobuf only: %s", res.Status)
	}
}

// The columns come with the first table of a watch, and not again.
func TestWatchOfTables(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a"))
	req, err := http.NewRequest(http.MethodGet, e.URL()+"/api/v1/pods?watch=1&resourceVersion=0&timeoutSeconds=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", tableAccept)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	put(t, s, "pods", pod("shop", "b"))
	var got []string
	for d := json.NewDecoder(res.Body); ; {
		var f struct {
			Type   string
			Object struct {
				Kind              string
				ColumnDefinitions []metav1.TableColumnDefinition
				Rows              []struct{ Cells []any }
			}
		}
		if err := d.Decode(&f); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if f.Object.Kind != "Table" || (len(f.Object.ColumnDefinitions) > 0) != (len(got) == 0) {
			t.Errorf("frame %d: %s with %d columns", len(got), f.Object.Kind, len(f.Object.ColumnDefinitions))
		}
		got = append(got, f.Type+" "+f.Object.Rows[0].Cells[0].(string))
	}
	if g := strings.Join(got, ", "); g != "ADDED a, ADDED b" {
		t.Error(g)
	}
}

func TestPartialMetadata(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", pod("shop", "a", "app=web"))
	_, body := answer(t, e.URL()+"/api/v1/pods", map[string]string{"Accept": partialAccept})
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	if list.Kind != "PartialObjectMetadataList" || len(list.Items) != 1 || list.Items[0].Labels["app"] != "web" || bytes.Contains(body, []byte("spec")) {
		t.Errorf("%s", body)
	}
	_, body = answer(t, e.URL()+"/api/v1/namespaces/shop/pods/a", map[string]string{"Accept": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"})
	if !bytes.Contains(body, []byte(`"kind":"PartialObjectMetadata"`)) {
		t.Errorf("%s", body)
	}
}

// Large answers are compressed for who takes that.
func TestGzip(t *testing.T) {
	s, e := serve(t, Options{})
	put(t, s, "pods", bigPod(0, gzipFrom))
	res, body := answer(t, e.URL()+"/api/v1/pods", map[string]string{"Accept-Encoding": "gzip"})
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || res.Header.Get("Content-Encoding") != "gzip" || len(plain) < gzipFrom || len(body) > gzipFrom/10 {
		t.Errorf("%v, %q: %d bytes of %d", err, res.Header.Get("Content-Encoding"), len(body), len(plain))
	}
	for path, encoding := range map[string]string{"/api/v1/pods": "identity", "/api/v1/nodes": "gzip"} {
		if res, _ := answer(t, e.URL()+path, map[string]string{"Accept-Encoding": encoding}); res.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", path)
		}
	}
}

// A CustomResourceDefinition among the objects names its type, its columns and
// what it can be selected by.
func TestCustomResourceDefinition(t *testing.T) {
	s, e := serve(t, Options{})
	s.Store().AddResource(Resource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Kind: "CustomResourceDefinition"})
	put(t, s, "customresourcedefinitions", []byte(`{"metadata":{"name":"widgets.acme.example"},"spec":{"group":"acme.example","names":{"singular":"wid",`+
		`"shortNames":["wd"],"categories":["all"]},"versions":[{"name":"v1","additionalPrinterColumns":[{"name":"Size","type":"integer","jsonPath":".spec.size"}],`+
		`"selectableFields":[{"jsonPath":".spec.size"}],"schema":{"openAPIV3Schema":{"type":"object","description":"A thing."}}}]}}`))
	put(t, s, "widgets", []byte(`{"metadata":{"name":"a","namespace":"shop"},"spec":{"size":7}}`))
	put(t, s, "widgets", []byte(`{"metadata":{"name":"b","namespace":"shop"},"spec":{"size":8}}`))
	_, body := answer(t, e.URL()+"/apis/acme.example/v1/widgets?"+url.Values{"fieldSelector": {"spec.size=7"}}.Encode(), map[string]string{"Accept": tableAccept})
	if !bytes.Contains(body, []byte(`"cells":["a",7]`)) || bytes.Contains(body, []byte(`"cells":["b"`)) {
		t.Errorf("%s", body)
	}
	_, body = answer(t, e.URL()+"/apis/acme.example/v1", nil)
	if !bytes.Contains(body, []byte(`"shortNames":["wd"]`)) || !bytes.Contains(body, []byte(`"singularName":"wid"`)) {
		t.Errorf("%s", body)
	}
	_, body = answer(t, e.URL()+"/openapi/v3/apis/acme.example/v1", nil)
	if !bytes.Contains(body, []byte(`"A thing."`)) {
		t.Errorf("%s", body)
	}
}

// What only asks is answered, though it is POSTed.
func TestReviews(t *testing.T) {
	_, e := serve(t, Options{})
	for path, want := range map[string]string{
		"authorization.k8s.io/v1/selfsubjectaccessreviews": `"allowed":false`,
		"authorization.k8s.io/v1/selfsubjectrulesreviews":  `"verbs":["get","list","watch"]`,
		"authentication.k8s.io/v1/selfsubjectreviews":      `"username":"rewatch"`,
	} {
		res, err := http.Post(e.URL()+"/apis/"+path, "application/json", strings.NewReader(`{"spec":{"namespace":"shop","resourceAttributes":{"verb":"delete","resource":"pods"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusCreated || !bytes.Contains(body, []byte(want)) {
			t.Errorf("%s: %s %s", path, res.Status, body)
		}
	}
}
