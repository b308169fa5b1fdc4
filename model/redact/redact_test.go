package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rewatch/model/jsonscan"
	"rewatch/model/jsonscan/scantest"
)

var fingerprint = regexp.MustCompile(`^fp:[0-9a-f]{16}$`)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func TestOnlyValuesChange(t *testing.T) {
	r := NewWithKey([32]byte{1})
	fp := r.Fingerprint
	for _, c := range []struct{ in, want string }{
		{`{"kind":"Secret", "data" : { "a":"aGVsbG8=", "b" : "aGVsbG8=" },"type":"Opaque"}`,
			`{"kind":"Secret", "data" : { "a":"` + fp("hello") + `", "b" : "` + fp("hello") + `" },"type":"Opaque"}`},
		{`{"stringData":{"a":"hello"}}`, `{"stringData":{"a":"` + fp("hello") + `"}}`},
		{`{"d\u0061ta":{"\u0061":"aGVsbG8="},"Data":{"x":"aGVsbG8="}}`, `{"d\u0061ta":{"\u0061":"` + fp("hello") + `"},"Data":{"x":"` + fp("hello") + `"}}`},
		{`{"data":{"a":"!"},"data":{"a":"?","a":""}}`, `{"data":{"a":"` + fp("!") + `"},"data":{"a":"` + fp("?") + `","a":"` + fp("") + `"}}`},
		{`{"data":{"a":null,"b":7,"c":{"d":"e"},"f":["g"]}}`,
			`{"data":{"a":"` + fp("null") + `","b":"` + fp("7") + `","c":"` + fp(`{"d":"e"}`) + `","f":"` + fp(`["g"]`) + `"}}`},
		{`{"data":null,"stringData":"x"}`, `{"data":null,"stringData":"` + fp("x") + `"}`},
		{`{"data":["x"]}`, `{"data":"` + fp(`["x"]`) + `"}`},
		{`{"kind":"SecretList","metadata":{},"items":[{"data":{"a":"x"}},1,{"data":{"a":"x"}}]}`,
			`{"kind":"SecretList","metadata":{},"items":[{"data":{"a":"` + fp("x") + `"}},1,{"data":{"a":"` + fp("x") + `"}}]}`},
		{`{"kind":"Table","rows":[{"cells":["db"],"object":{"data":{"a":"x"}}}]}`, `{"kind":"Table","rows":[{"cells":["db"],"object":{"data":{"a":"` + fp("x") + `"}}}]}`},
		{`{"metadata":{"name":"data","annotations":{"` + lastApplied + `":"{\"data\":{\"a\":\"aGVsbG8=\"},\"x\":\"\u003c<\u00e4\"}\n","b":"c"}}}`,
			`{"metadata":{"name":"data","annotations":{"` + lastApplied + `":"{\"data\":{\"a\":\"` + fp("hello") + `\"},\"x\":\"\u003c<\u00e4\"}\n","b":"c"}}}`},
		{`{"metadata":{"annotations":{"` + lastApplied + `":"{\"data\":{\"a\":\"x","b":"{\"data"}}}`,
			`{"metadata":{"annotations":{"` + lastApplied + `":"` + fp(`{"data":{"a":"x`) + `","b":"{\"data"}}}`},
		{`{"metadata":{"annotations":{"a":{"data":1},"` + lastApplied + `":"[]"}}}`, `{"metadata":{"annotations":{"a":"` + fp(`{"data":1}`) + `","` + lastApplied + `":"` + fp("[]") + `"}}}`},
		{`{"metadata":{"annotations":{"kapp.k14s.io/original":"{\"metadata\":{\"annotations\":{\"x\":\"{\\\"stringData\\\":{\\\"a\\\":\\\"b\\\"}}\"}}}"}}}`,
			`{"metadata":{"annotations":{"kapp.k14s.io/original":"{\"metadata\":{\"annotations\":{\"x\":\"{\\\"stringData\\\":{\\\"a\\\":\\\"` + fp("b") + `\\\"}}\"}}}"}}}`},
	} {
		got, err := r.Redact([]byte(c.in))
		if err != nil || string(got) != c.want {
			t.Errorf("%s\n got %s\nwant %s\n%v", c.in, got, c.want, err)
		}
		if !json.Valid(got) {
			t.Errorf("%s: not JSON", got)
		}
		if again, err := New().Redact(got); err != nil || !bytes.Equal(again, got) {
			t.Errorf("redacted again\n got %s\nwant %s\n%v", again, got, err)
		}
	}
}

func TestOnlyFingerprintsAreTakenForSome(t *testing.T) {
	r := New()
	for _, value := range []string{`fp:0123456789abcde`, `fp:0123456789abcdefa`, `fp:0123456789abcdeg`, `fq:0123456789abcdef`, `FP:0123456789abcdef`, `fp:0123456789ABCDEF`, `Zm9v`} {
		if got := string(r.Secret([]byte(`{"data":{"a":"` + value + `"}}`))); strings.Contains(got, value) {
			t.Errorf("%s stands there still: %s", value, got)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	r := New()
	for _, raw := range []string{``, `null`, `"s3cr3t"`, `["s3cr3t"]`, `{"data":{"a":"s3cr3t"}`, `{"data":{"a":"s3cr3t"}}x`, `{"data":{"a":"s3cr3t\q"}}`} {
		if got, err := r.Redact([]byte(raw)); string(got) != `{}` || err != ErrNotObject {
			t.Errorf("%s: %s, %v", raw, got, err)
		}
	}
}

func TestFingerprintsAreKeyed(t *testing.T) {
	a, b := New(), New()
	if a.Fingerprint("x") == b.Fingerprint("x") {
		t.Error("two keys, one fingerprint")
	}
	if f := a.Fingerprint("x"); f != a.Fingerprint("x") || f == a.Fingerprint("y") || !fingerprint.MatchString(f) {
		t.Errorf("%q", f)
	}
}

func TestCapturedSecret(t *testing.T) {
	r := New()
	for _, f := range scantest.Shop(t) {
		if f.Stream != "secrets" {
			continue
		}
		raw := f.Object(t)
		got, err := r.Redact(raw)
		if err != nil {
			t.Fatal(err)
		}
		check(t, raw, got)
		if bytes.Contains(raw, []byte("Opaque")) && bytes.Equal(raw, got) {
			t.Errorf("unchanged: %s", got)
		}
	}
}

// check compares a redacted object with what it was made from, decoded: values
// under data are fingerprints, and all the rest is equal.
func check(t *testing.T, raw, got []byte) {
	t.Helper()
	var was, is map[string]any
	if json.Unmarshal(raw, &was) != nil || json.Unmarshal(got, &is) != nil || len(was) != len(is) {
		t.Fatalf("%q became %q", raw, got)
	}
	for k, old := range was {
		switch strings.ToLower(k) {
		case "data", "stringdata":
			checkValues(t, is[k])
		case "metadata", "items", "rows", "object": // other tests look into these
		default:
			if fmt.Sprint(old) != fmt.Sprint(is[k]) {
				t.Errorf("%q became %q", old, is[k])
			}
		}
	}
}

func checkValues(t *testing.T, v any) {
	t.Helper()
	switch v := v.(type) {
	case nil:
	case string:
		if !fingerprint.MatchString(v) {
			t.Errorf("not a fingerprint: %q", v)
		}
	case map[string]any:
		for _, v := range v {
			if s, ok := v.(string); !ok || !fingerprint.MatchString(s) {
				t.Errorf("not a fingerprint: %q", v)
			}
		}
	default:
		t.Errorf("not a fingerprint: %v", v)
	}
}

func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"data":{"a":"x","b":[1]},"metadata":{"annotations":{"` + lastApplied + `":"{\"data\":{\"a\":1}}"}},"type":1}`))
	f.Add([]byte(`{"stringData":"x","data":7,"items":[{"data":{}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := New().Redact(raw)
		if !json.Valid(raw) || bytes.TrimSpace(raw)[0] != '{' {
			if err == nil || string(got) != `{}` {
				t.Fatalf("%q became %q", raw, got)
			}
			return
		}
		if err != nil || !jsonscan.Valid(got) {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		check(t, raw, got)
	})
}

// FuzzSentinel plants a value wherever a Secret may hold one, and looks for it
// in the result in every form in which it could survive.
func FuzzSentinel(f *testing.F) {
	f.Add("hunter2-hunter2", "password", "note", uint8(0))
	f.Add("\"quoted\" \\ \n <ü> \U0001F600", "k\"ey", "\\", uint8(255))
	f.Fuzz(func(t *testing.T, sentinel, key, note string, shape uint8) {
		sentinel = strings.ToValidUTF8(sentinel, "?")
		if len(sentinel) < 6 || isFingerprint(sentinel) {
			return
		}
		quoted, _ := json.Marshal(sentinel)
		inner := strings.Trim(string(quoted), `"`)
		r := NewWithKey([32]byte{})
		got, other := r.Secret(plant(sentinel, key, note, shape)), r.Secret(plant("another value", key, note, shape))
		for _, form := range []string{sentinel, base64.StdEncoding.EncodeToString([]byte(sentinel)), inner, strings.ReplaceAll(inner, `\`, `\\`)} {
			if bytes.Contains(got, []byte(form)) && !bytes.Contains(other, []byte(form)) {
				t.Errorf("%q survived in %s", form, got)
			}
		}
		if !bytes.Contains(got, []byte("fp:")) {
			t.Errorf("no fingerprints in %s", got)
		}
	})
}

// plant returns a Secret that holds a value in every place where it may.
func plant(value, key, note string, shape uint8) []byte {
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	secret := map[string]any{
		"kind": "Secret", "type": "Opaque", "note": note,
		"data":       map[string]any{key: encoded, "n": 7, "d": []any{value, nil}},
		"stringData": map[string]any{key: value, "deep": map[string]any{key: value}},
	}
	copied, _ := json.Marshal(secret)
	if shape&1 != 0 {
		copied = copied[:len(copied)-1] // not JSON any more
	}
	secret["metadata"] = map[string]any{"name": note, "annotations": map[string]any{lastApplied: string(copied), "other": note}}
	var whole any = secret
	if shape&2 != 0 {
		whole = map[string]any{"kind": "SecretList", "items": []any{secret, secret}}
	}
	raw, _ := json.Marshal(whole)
	if shape&4 != 0 {
		raw = bytes.ReplaceAll(raw, []byte(`"data"`), []byte(`"d\u0061t\u0061"`))
	}
	return raw
}
