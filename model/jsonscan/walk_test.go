package jsonscan

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"rewatch/model/jsonscan/scantest"
)

// rebuild copies a value by walking its spans, at every level.
func rebuild(t testing.TB, dst, raw []byte) []byte {
	switch raw[0] {
	case '{':
		ms, err := AppendMembers(nil, raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		dst = append(dst, '{')
		for i, m := range ms {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(AppendQuote(dst, m.Key), ':')
			dst = rebuild(t, dst, m.Of(raw))
		}
		return append(dst, '}')
	case '[':
		es, err := AppendElements(nil, raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		dst = append(dst, '[')
		for i, e := range es {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = rebuild(t, dst, e.Of(raw))
		}
		return append(dst, ']')
	case '"':
		s, err := Unquote(raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		return AppendQuote(dst, s)
	}
	return append(dst, raw...)
}

// canonical is raw as encoding/json understands it, numbers kept as text.
func canonical(t testing.TB, raw []byte) string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, _ := json.Marshal(v)
	return string(out)
}

func checkWalk(t *testing.T, raw []byte) {
	if valid := json.Valid(raw); Valid(raw) != valid {
		t.Fatalf("Valid(%q) is %v", raw, !valid)
	} else if !valid {
		// Nothing is promised but an end.
		_, _ = AppendMembers(nil, raw)
		_, _ = AppendElements(nil, raw)
		return
	}
	if bytes.Count(raw, []byte("{")) > 1000 {
		return
	}
	raw = bytes.TrimSpace(raw)
	if got := rebuild(t, nil, raw); canonical(t, got) != canonical(t, raw) {
		t.Errorf("%q\nwalked %q", raw, got)
	}
}

func TestWalkCapture(t *testing.T) {
	for _, f := range scantest.Shop(t) {
		checkWalk(t, f.Raw)
	}
}

func FuzzWalk(f *testing.F) {
	for _, s := range append(identities, `[1, 2.5e-3 ,-0,true,false,null,"x\u00e4",[],{}]`, `[01]`, `[1.]`, `[-]`, `[1e]`, `"\ud834\udd1e\ud834x"`,
		`{"a":1,}`, `[1,]`, `[tru]`, "\"\x01\"", "\"\x80\"", `{"a" 1}`, `"\`) {
		f.Add([]byte(s))
	}
	f.Fuzz(checkWalk)
}

// FuzzWalkLike compares walking with an older version at hand and without.
func FuzzWalkLike(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":"x","c":{}}`), []byte(`{"a":12,"b":"x","d":{}}`))
	f.Add([]byte(`[1,{},"a" ]`), []byte(`[1,{}x,"a"]`))
	f.Fuzz(func(t *testing.T, old, new []byte) {
		members, err := AppendMembers(nil, new)
		was, _ := AppendMembers(nil, old)
		like, errLike := AppendMembersLike(nil, new, old, was)
		if !slices.Equal(members, like) || err != errLike {
			t.Errorf("%q after %q: %v, %v; want %v, %v", new, old, like, errLike, members, err)
		}
		spans, err := AppendElements(nil, new)
		before, _ := AppendElements(nil, old)
		likeSpans, errLike := AppendElementsLike(nil, new, old, before)
		if !slices.Equal(spans, likeSpans) || err != errLike {
			t.Errorf("%q after %q: %v, %v; want %v, %v", new, old, likeSpans, errLike, spans, err)
		}
	})
}

func TestValidDepth(t *testing.T) {
	for _, n := range []int{MaxDepth, MaxDepth + 1, 10_000_000} {
		raw := []byte(strings.Repeat("[", n) + strings.Repeat("]", n))
		if got := Valid(raw); got != (n <= MaxDepth) {
			t.Errorf("%d levels: %v", n, got)
		}
		if _, err := Identity([]byte(`{"a":` + string(raw) + `}`)); err != nil {
			t.Errorf("%d levels: %v", n, err)
		}
	}
}

func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`""`, `"a\u00e4\ud83d\ude00\ud800\n\/"`, "\"\xff\xc3\"", `"\ud800\ud800\udc00"`, `"\x"`, `"a"b"`, `"`, "\"\n\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, quoted []byte) {
		var want string
		wantErr := json.Unmarshal(quoted, &want)
		if len(quoted) > 0 && quoted[0] != '"' || len(bytes.TrimSpace(quoted)) != len(quoted) {
			return
		}
		got, err := Unquote(quoted)
		if (err == nil) != (wantErr == nil) && !bytes.Contains(quoted[1:max(1, len(quoted)-1)], []byte(`"`)) || wantErr == nil && got != want {
			t.Fatalf("Unquote(%q): %q, %v; want %q, %v", quoted, got, err, want, wantErr)
		}
		if wantErr != nil {
			return
		}
		text, offsets, err := UnquoteMapped(quoted)
		if err != nil || string(text) != want || len(offsets) != len(text)+1 {
			t.Fatalf("UnquoteMapped(%q): %q, %v, %v", quoted, text, offsets, err)
		}
		for i := 0; i <= len(want); i++ { // cutting at a boundary of runes leaves the rest in place
			if head, err := Unquote(append(quoted[:offsets[i]:offsets[i]], '"')); i == 0 || offsets[i] != offsets[i-1] {
				if err != nil || head != want[:i] {
					t.Fatalf("%q cut at %d: %q, %v", quoted, offsets[i], head, err)
				}
			}
		}
		again, err := Unquote(AppendQuote(nil, want))
		if err != nil || again != want || !Valid(AppendQuote(nil, want)) {
			t.Fatalf("%q quoted again: %q, %v", want, again, err)
		}
	})
}

func TestFind(t *testing.T) {
	raw := []byte(` {"a":{"b" : [1] ,"\u0063":"x"},"a":2,"d":null,`)
	for path, want := range map[string]string{"a": `{"b" : [1] ,"\u0063":"x"}`, "a.b": "[1]", "a.c": `"x"`, "d": "null", "d.e": "", "x": "", "a.b.c": ""} {
		if got := string(Get(raw, strings.Split(path, ".")...)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := Find([]byte(`[1]`), "a"); got != nil {
		t.Errorf("%s", got)
	}
}
