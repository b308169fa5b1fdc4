package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

func readList(r *ListReader) (items []string, err error) {
	for {
		item, err := r.Next()
		var big *TooLargeError
		switch {
		case errors.As(err, &big) && r.fatal == nil:
			items = append(items, "!")
		case err != nil:
			return items, err
		default:
			items = append(items, string(item))
		}
	}
}

func TestList(t *testing.T) {
	meta := ListMeta{APIVersion: "v1", Kind: "PodList", ResourceVersion: "42", Continue: "t/\"k", Remaining: 7}
	const md = `"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"42","continue":"t\/\"k","remainingItemCount":7}`
	for _, c := range []struct {
		body  string
		items []string
		meta  ListMeta
		err   error
	}{
		{`{` + md + `,"items":[{"a":1},{"b":"]}"}]}`, []string{`{"a":1}`, `{"b":"]}"}`}, meta, io.EOF},
		{` { "items" : [ {"a":1} , {} ] , "x" : [ [ ] ] , ` + md + ` } ` + "\n", []string{`{"a":1}`, `{}`}, meta, io.EOF},
		{`{` + md + `,"items":[]}`, nil, meta, io.EOF},
		{`{` + md + `,"items":null}`, nil, meta, io.EOF},
		{`{` + md + `}`, nil, meta, io.EOF},
		{`{"\u0069tems":[1,true,"x",[2],null]}`, []string{`1`, `true`, `"x"`, `[2]`, `null`}, ListMeta{}, io.EOF},
		{`{"metadata":null,"items":[]}`, nil, ListMeta{}, io.EOF},
		{`{"items":[{},{"a":"` + strings.Repeat("x", 200) + `"},{}]}`, []string{"{}", "!", "{}"}, ListMeta{}, io.EOF},
		{`{"items":[{},{`, []string{"{}"}, ListMeta{}, io.ErrUnexpectedEOF},
		{`{"items":[{},`, []string{"{}"}, ListMeta{}, io.ErrUnexpectedEOF},
		{`{"items":[{}]`, []string{"{}"}, ListMeta{}, io.ErrUnexpectedEOF},
		{`{"items"`, nil, ListMeta{}, io.ErrUnexpectedEOF},
		{``, nil, ListMeta{}, io.ErrUnexpectedEOF},
	} {
		for n := 1; n <= len(c.body)+1; n++ {
			r := NewListReader(&pieces{[]byte(c.body), n}, 100)
			items, err := readList(r)
			if !slices.Equal(items, c.items) || err != c.err || r.Meta() != c.meta {
				t.Fatalf("%q by %d: %q %v %+v", c.body, n, items, err, r.Meta())
			}
		}
	}
}

func TestListSyntaxError(t *testing.T) {
	for _, body := range []string{`<html>`, `[]`, `{"items":[}`, `{"items":[{} {}]}`, `{"items":[,]}`, `{"items":[{},]}`, `{items:1}`,
		`{"items" []}`, `{"items":[]]`, `{"items":[]}x`, `{"a":,}`, `{"a":1 "b":2}`, `{"kind":}`} {
		r := NewListReader(strings.NewReader(body), 100)
		for range 2 { // the error stays
			var syntax *SyntaxError
			if _, err := readList(r); !errors.As(err, &syntax) {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}

func FuzzList(f *testing.F) {
	f.Add([]byte(`{"kind":"PodList","metadata":{"resourceVersion":"42","continue":"t"},"items":[{"a":1},{"b":"]}"}]}`), 5)
	f.Add([]byte(` { "items" : [ 1 , {} ] , "x" : [ [ ] ] , "kind":null } `), 1)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		r := NewListReader(&pieces{body, max(n, 1)}, 1<<20)
		items, err := readList(r)
		if !json.Valid(body) {
			return // it may or may not notice, but does not fail otherwise
		}
		var (
			want  []json.RawMessage
			m, e  = members(body)
			badly = json.Unmarshal(m["items"], &want)
		)
		if e != nil || m == nil || m["items"] != nil && badly != nil || bytes.Count(body, []byte("tems")) > 1 || bytes.Contains(body, []byte(`\`)) {
			return
		}
		if err != io.EOF || len(items) != len(want) {
			t.Fatalf("%q: %d items, %v", body, len(items), err)
		}
		for i := range want {
			if items[i] != string(want[i]) {
				t.Errorf("%q: item %d is %q", body, i, items[i])
			}
		}
	})
}

func TestInjectTypeMeta(t *testing.T) {
	for item, want := range map[string]string{
		`{"metadata":{"kind":"no"}}`:     `{"kind":"P\"d","apiVersion":"v1","metadata":{"kind":"no"}}`,
		` { "a" : 1 } `:                  ` { "kind":"P\"d","apiVersion":"v1","a" : 1 } `,
		`{}`:                             `{"kind":"P\"d","apiVersion":"v1"}`,
		`{ }`:                            `{ "kind":"P\"d","apiVersion":"v1"}`,
		`{"a":1,"kind":"X"}`:             `{"apiVersion":"v1","a":1,"kind":"X"}`,
		`{"apiVersion":"x"}`:             `{"kind":"P\"d","apiVersion":"x"}`,
		`{"\u006bind":1,"apiVersion":0}`: `{"\u006bind":1,"apiVersion":0}`,
		`[1]`:                            `[1]`,
		`{"a":`:                          `{"a":`,
		``:                               ``,
	} {
		if got := string(InjectTypeMeta([]byte("x"), []byte(item), "v1", `P"d`)); got != "x"+want {
			t.Errorf("%s: %s", item, got)
		}
	}
}

func FuzzInjectTypeMeta(f *testing.F) {
	f.Add([]byte(`{"metadata":{}}`), "v1", "Pod")
	f.Add([]byte(` { } `), "v1\x00", "Po\xffd\"")
	f.Fuzz(func(t *testing.T, item []byte, apiVersion, kind string) {
		m, err := members(item)
		if err != nil || m == nil || !json.Valid(item) {
			return
		}
		got := InjectTypeMeta(nil, item, apiVersion, kind)
		after, err := members(got)
		if err != nil || !json.Valid(got) {
			t.Fatalf("%q became %q: %v", item, got, err)
		}
		for k, text := range map[string]string{"kind": kind, "apiVersion": apiVersion} {
			if m[k] != nil {
				continue
			}
			var s string
			if json.Unmarshal(after[k], &s) != nil || s != strings.ToValidUTF8(text, "\ufffd") && s != strings.ToValidUTF8(s, "?") {
				t.Errorf("%q: %s is %q", got, k, s)
			}
			delete(after, k)
		}
		if len(after) != len(m) {
			t.Errorf("%q became %q", item, got)
		}
	})
}
