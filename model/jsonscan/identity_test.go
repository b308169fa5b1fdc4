package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"rewatch/model/jsonscan/scantest"
)

// oracle reads an identity with encoding/json, as slowly as it takes: member
// by member, so that the case of keys counts and the first of a key's
// occurrences wins.
func oracle(raw []byte) (m Meta, err error) {
	top, err := members(raw)
	if err != nil || top == nil {
		return m, ErrNotObject
	}
	str := func(dst *string, raw json.RawMessage) {
		if raw != nil && err == nil {
			err = json.Unmarshal(raw, dst)
		}
	}
	str(&m.APIVersion, top["apiVersion"])
	str(&m.Kind, top["kind"])
	if top["metadata"] == nil || err != nil {
		return m, err
	}
	md, err := members(top["metadata"])
	if err != nil {
		return m, err
	}
	str(&m.Namespace, md["namespace"])
	str(&m.Name, md["name"])
	str(&m.UID, md["uid"])
	str(&m.ResourceVersion, md["resourceVersion"])
	if md["annotations"] != nil && m.UID == "" && err == nil {
		var a map[string]json.RawMessage
		if a, err = members(md["annotations"]); err == nil {
			var v any
			_ = json.Unmarshal(a["k8s.io/initial-events-end"], &v)
			m.InitialEventsEnd = v == "true"
		}
	}
	return m, err
}

// members decodes an object of which the first occurrence of a key counts.
func members(raw []byte) (map[string]json.RawMessage, error) {
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil {
		return nil, err
	} else if t != json.Delim('{') {
		return nil, ErrNotObject
	}
	m := map[string]json.RawMessage{}
	for d.More() {
		k, err := d.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			return nil, err
		}
		if _, ok := m[k.(string)]; !ok {
			m[k.(string)] = v
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	return m, nil
}

var identities = []string{
	`{}`, ` { } `, `[]`, `"x"`, ``, `{`, `{"kind"`, `{"kind":`, `{"kind":"Pod"`, `{"kind":"Pod",`, `{"kind":"Pod"}`,
	`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"spec":{`,
	`{"metadata":{"uid":"u","name":"a","namespace":"n","resourceVersion":"7","labels":{"a":"}"}},"apiVersion":"v1","kind":"Pod"}`,
	`{"spec":{"metadata":{"name":"no"},"kind":"no"},"metadata":{"ownerReferences":[{"name":"no","uid":"no"}],"name":"yes"}}`,
	`{"k\u0069nd":"P\u006fd","m\u0065tadata":{"n\u0061me":"\u00e4\ud83d\ude00\ud800","namespace":"\"\\\/\b\f\n\r\t"}}`,
	`{"kind":"A","kind":"B","metadata":{"name":"a","name":"b"},"metadata":{"name":"c"}}`,
	`{"kind":null,"metadata":null}`, `{"metadata":{"name":null,"annotations":null}}`,
	`{"kind":1}`, `{"metadata":[]}`, `{"metadata":{"name":{}}}`, `{"metadata":{"annotations":[]}}`, `{"kind":nullx}`,
	`{"kind":"Pod","metadata":{"resourceVersion":"9","annotations":{"k8s.io/initial-events-end":"true"}}}`,
	`{"kind":"Pod","metadata":{"annotations":{"x":{"y":1},"k8s.io\/initial-events-end":"tru\u0065"},"uid":""}}`,
	`{"kind":"Pod","metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"uid":"u"}}`,
	`{"kind":"Pod","metadata":{"annotations":{"k8s.io/initial-events-end":true}}}`,
	`{"Kind":"no","KIND":"no","Metadata":{"name":"no"}}`,
	"{\"kind\":\"a\xffb\",\"metadata\":{\"name\":\"\xc3\xa4\"}}", "{\"kind\":\"a\nb\"}", `{"kind":"a\qb"}`, `{"kind":"\u12"}`,
	`{"kind" : "Pod" , "metadata" : { "name" : "a" , "x" : [ 1 , { } ] } , "apiVersion" : "v1" } trailing`,
	`{"a":{"b":"\\"},"kind":"\\\"","metadata":{"generateName":"\\\\","name":"x"}}`, `{"a":1 "kind":"x"}`, `{"kind":"x" "a":1}`,
}

func checkIdentity(t *testing.T, raw []byte) {
	t.Helper()
	got, err := Identity(raw)
	want, wantErr := oracle(raw)
	switch {
	case err != nil && wantErr == nil && json.Valid(raw):
		t.Errorf("Identity(%q): %v, but encoding/json reads it", raw, err)
	case err == nil && wantErr == nil && json.Valid(raw) && got != want:
		t.Errorf("Identity(%q)\n got %+v\nwant %+v", raw, got, want)
	}
}

func TestIdentityEqualsEncodingJSON(t *testing.T) {
	for _, s := range identities {
		checkIdentity(t, []byte(s))
	}
	for _, f := range scantest.Shop(t) {
		raw := f.Object(t)
		checkIdentity(t, raw)
		if _, err := Identity(raw); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzIdentity(f *testing.F) {
	for _, s := range identities {
		f.Add([]byte(s))
	}
	f.Fuzz(checkIdentity)
}

func TestIdentityErrors(t *testing.T) {
	for s, want := range map[string]error{
		``: ErrTruncated, `{"kind":"P`: ErrTruncated, `{"metadata":{"name":"x"`: ErrTruncated,
		`[]`: ErrNotObject, `{"metadata":7}`: ErrNotObject, `{"kind":7}`: ErrNotString, `{"kind";`: ErrSyntax,
	} {
		if _, err := Identity([]byte(s)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", s, err, want)
		}
	}
}

// What Identity read before an object was cut is of use: it names the object
// that was too large.
func TestIdentityOfHead(t *testing.T) {
	m, err := Identity([]byte(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"},"data":{"k":"xx`))
	if err != nil || m.Name != "a" || m.ResourceVersion != "7" {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestIdentityDoesNotAllocate(t *testing.T) {
	var raws [][]byte
	for _, f := range scantest.Shop(t) {
		raws = append(raws, f.Object(t))
	}
	if n := testing.AllocsPerRun(10, func() {
		for _, raw := range raws {
			_, _ = Identity(raw)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func benchIdentity(b *testing.B, frames []scantest.Frame) {
	var raws [][]byte
	size := 0
	for _, f := range frames {
		o := f.Object(b)
		raws = append(raws, o)
		size += len(o)
	}
	b.ReportAllocs()
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, raw := range raws {
			if _, err := Identity(raw); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(raws)*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkIdentity(b *testing.B) {
	b.Run("shop", func(b *testing.B) { benchIdentity(b, scantest.Shop(b)) })
	b.Run("load", func(b *testing.B) { benchIdentity(b, scantest.Load(b)) })
}

func benchFrames(b *testing.B, frames []scantest.Frame) {
	var body bytes.Buffer
	for _, f := range frames {
		body.Write(f.Raw)
		body.WriteByte('\n')
	}
	b.ReportAllocs()
	b.SetBytes(int64(body.Len()))
	for b.Loop() {
		n := 0
		r := NewFrameReader(bytes.NewReader(body.Bytes()), 16<<20)
		for {
			_, err := r.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != len(frames) {
			b.Fatalf("%d frames of %d", n, len(frames))
		}
	}
	b.ReportMetric(float64(len(frames)*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkFrames(b *testing.B) {
	b.Run("shop", func(b *testing.B) { benchFrames(b, scantest.Shop(b)) })
	b.Run("load", func(b *testing.B) { benchFrames(b, scantest.Load(b)) })
}

func BenchmarkValid(b *testing.B) {
	var all strings.Builder
	all.WriteString("[0")
	for _, f := range scantest.Shop(b) {
		all.WriteByte(',')
		all.Write(f.Raw)
	}
	raw := []byte(all.String() + "]")
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if !Valid(raw) {
			b.Fatal("not valid")
		}
	}
}
