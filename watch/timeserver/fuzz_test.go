package timeserver

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

var fuzzObjects = []string{
	`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"shop","resourceVersion":"7","uid":"u"},"spec":{}}`,
	`{"metadata":{}}`,
	` { "metadata" : { "resourceVersion" : "1" , "name" : "\"\\" } , "kind" : "x" } `,
	`{"apiVersion":"v1","kind":"}","metadata":{"labels":{"resourceVersion":"no"},"name":"é"},"a":[1,{"metadata":{}}]}`,
	`{"kind":"Event","metadata":{"name":"x"},"t":"2026-12-01T00:53:17.5Z","u":"67c40ac3-00fd-42bb-ae85-28f60b3f79cb"}`,
}

// FuzzEdit holds the edits of bytes against what decoding and encoding gives.
func FuzzEdit(f *testing.F) {
	for _, o := range fuzzObjects {
		f.Add([]byte(o))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want map[string]any
		if json.Unmarshal(raw, &want) != nil || want == nil || strange(raw) {
			t.Skip()
		}
		raw = bytes.TrimSpace(raw)
		decode := func(b []byte) (m map[string]any) {
			if err := json.Unmarshal(b, &m); err != nil {
				t.Fatalf("%q became %q: %v", raw, b, err)
			}
			return m
		}
		stamped, err := stampRV(raw, "42")
		if meta, ok := want["metadata"].(map[string]any); ok {
			meta["resourceVersion"] = "42"
			if err != nil || !reflect.DeepEqual(decode(stamped), want) {
				t.Errorf("stampRV(%q) = %q, %v", raw, stamped, err)
			}
			raw = stamped
		}
		delete(want, "kind")
		if got := without(raw, "kind"); !reflect.DeepEqual(decode(got), want) {
			t.Errorf("without kind, %q is %q", raw, got)
		}
		w := rewriter{func(t time.Time) time.Time { return t }, func(u string) string { return u }}
		if got := w.rewrite(raw); !reflect.DeepEqual(decode(got), decode(raw)) && !bytes.Contains(raw, []byte("T")) {
			t.Errorf("rewritten to the same, %q is %q", raw, got)
		}
	})
}

// strange inputs mean different things to different readers: members that
// come twice, or are spelled with escapes.
func strange(raw []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	return bytes.Contains(raw, []byte(`\u`)) || duplicates(dec)
}

func duplicates(dec *json.Decoder) bool {
	tok, err := dec.Token()
	if err != nil {
		return false
	}
	seen := map[string]bool{}
	for delim, _ := tok.(json.Delim); (delim == '{' || delim == '[') && dec.More(); {
		if delim == '{' {
			key, err := dec.Token()
			if name, _ := key.(string); err != nil || seen[name] {
				return true
			} else {
				seen[name] = true
			}
		}
		if duplicates(dec) {
			return true
		}
	}
	if _, nested := tok.(json.Delim); nested {
		_, _ = dec.Token() // the end
	}
	return false
}

// FuzzReadHistory: whatever a capture holds, reading it ends, and what was
// read can be played.
func FuzzReadHistory(f *testing.F) {
	for _, o := range fuzzObjects {
		f.Add(`{"t":1796086441.5,"stream":"pods","frame":{"type":"ADDED","object":` + o + "}}\n" +
			`{"t":1796086442,"stream":"pods","frame":{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}}` + "\n" +
			`{"t":1796086443,"stream":"pods","frame":{"type":"DELETED","object":` + o + "}}\n")
	}
	f.Fuzz(func(t *testing.T, in string) {
		h, err := ReadHistory(strings.NewReader(in))
		if err != nil {
			return
		}
		p := NewPlayer(h)
		if p.Load() != nil {
			return
		}
		for _, s := range h.steps {
			p.step(s)
		}
	})
}
