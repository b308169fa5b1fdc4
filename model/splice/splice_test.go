package splice

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// pod is an object of about 9 KB, as a server writes it.
func pod(name, rv string, ready bool) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","resourceVersion":%q,"managedFields":[`, name, rv)
	for i := range 6 {
		fmt.Fprintf(&b, `{"manager":"m%d","time":"2026-12-01T00:%02d:01Z","fieldsV1":{"f:spec":{"f:containers":{"k:{\"name\":\"c%d\"}":{".":{},"f:image":{},"f:name":{}}}}}},`, i, i, i)
	}
	b.WriteString(`{}]},"spec":{"containers":[`)
	for i := range 36 {
		fmt.Fprintf(&b, `{"name":"c%d","image":"registry.example/checkout:1.4.%d","env":[{"name":"LOG_LEVEL","value":"info"},{"name":"GRÖSSE","value":"größer als %d"}],"resources":{"limits":{"memory":"%dMi"}},"terminationMessagePath":"/dev/termination-log"},`, i, i, i, 64*i)
	}
	fmt.Fprintf(&b, `{}]},"status":{"conditions":[{"type":"Ready","status":"%v"}`, ready)
	if ready {
		b.WriteString(`,{"type":"ContainersReady","status":"True","lastTransitionTime":"2026-12-01T00:01:02Z"},{"type":"Initialized","status":"True"}`)
	}
	b.WriteString(`],"phase":"Running"}}`)
	return []byte(b.String())
}

// checkRound fails unless both spellings of the splice give target back.
func checkRound(t *testing.T, e *Encoder, base, target []byte) (size int) {
	t.Helper()
	if e.Words {
		e.Alike(base, target)
	}
	s := e.Encode([]byte("before"), base, target)[len("before"):]
	got, err := Apply([]byte("kept"), base, s, len(target))
	if err != nil || string(got) != "kept"+string(target) {
		t.Fatalf("Apply: %v\nbase   %q\ntarget %q\ngot    %q\nsplice %q", err, base, target, got, s)
	}
	if len(target) > 0 {
		if _, err := Apply(nil, base, s, len(target)-1); err != ErrTooLarge {
			t.Fatalf("a limit one byte below the target: %v", err)
		}
	}
	for _, most := range []int{len(s) - 1, len(s), len(s) / 2} {
		within, ok := e.EncodeWithin([]byte("before"), base, target, most)
		if !ok && string(within) != "before" || ok && string(within) != "before"+string(s) || !ok && most >= len(s) {
			t.Fatalf("at most %d bytes: %v, %q", most, ok, within)
		}
	}
	text, err := e.EncodeJSON(nil, base, target)
	if err == ErrNotText {
		return len(s)
	}
	if n := SizeJSON(int64(len(base)), text); n != int64(len(target)) {
		t.Fatalf("SizeJSON: %d, want %d\nbase   %q\ntarget %q\nsplice %s", n, len(target), base, target, text)
	}
	if got, err := Apply(nil, base, e.AppendLast(nil, target), len(target)); err != nil || !bytes.Equal(got, target) {
		t.Fatalf("AppendLast of %s: %v\nbase   %q\ntarget %q\ngot    %q", text, err, base, target, got)
	}
	if got, err := ApplyJSON(nil, base, text, len(target)); err != nil || !bytes.Equal(got, target) {
		t.Fatalf("ApplyJSON: %v\nbase   %q\ntarget %q\ngot    %q\nsplice %s", err, base, target, got, text)
	}
	return len(s)
}

func TestSplicesOfVersionsAreSmall(t *testing.T) {
	var e Encoder
	old := pod("checkout-5b6d-x7k2p", "81234", false)
	for _, c := range []struct {
		name   string
		target []byte
		most   int
	}{
		{"the same", old, 4},
		{"a resourceVersion", pod("checkout-5b6d-x7k2p", "81299", false), 16},
		{"a sibling", pod("checkout-5b6d-q9zzt", "99999", false), 32},
		{"a longer status", pod("checkout-5b6d-x7k2p", "81299", true), 180},
		{"back", pod("checkout-5b6d-x7k2p", "81234", false), 4},
		{"a run moved", append(bytes.Clone(old[4000:8000]), old[:4000]...), 24},
	} {
		if n := checkRound(t, &e, old, c.target); n > c.most {
			t.Errorf("%s: %d bytes, want at most %d", c.name, n, c.most)
		}
	}
}

// edit makes a random change to b, from an alphabet that makes chance
// agreements and characters of several bytes likely.
func edit(rnd *rand.Rand, b []byte) []byte {
	letters := []string{"a", "b", "é", "€", "𝄞", `"`, "\\", "\x00", "abcdefghijkl"}
	out := bytes.Clone(b)
	for range rnd.IntN(6) {
		at, n := rnd.IntN(len(out)+1), rnd.IntN(20)
		end := min(len(out), at+n)
		var ins []byte
		for range rnd.IntN(12) {
			ins = append(ins, letters[rnd.IntN(len(letters))]...)
		}
		if rnd.IntN(4) == 0 && len(b) > 0 {
			from := rnd.IntN(len(b))
			ins = append(ins, b[from:min(len(b), from+rnd.IntN(200))]...)
		}
		out = append(append(bytes.Clone(out[:at]), ins...), out[end:]...)
	}
	return out
}

func TestRandomEditsComeBack(t *testing.T) {
	var e Encoder
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 6_000 {
		base := edit(rnd, edit(rnd, []byte(strings.Repeat("é€abc", rnd.IntN(60)))))
		checkRound(t, &e, base, edit(rnd, base))
	}
}

func TestLargeObjects(t *testing.T) {
	var e Encoder
	rnd := rand.New(rand.NewPCG(5, 6))
	base := make([]byte, 1<<20)
	for i := range base {
		base[i] = byte(rnd.IntN(256))
	}
	target := append(bytes.Clone(base[500_000:]), base[:400_000]...)
	if n := checkRound(t, &e, base, target); n > 200 {
		t.Errorf("two halves swapped: %d bytes", n)
	}
	checkRound(t, &e, base, nil)
	checkRound(t, &e, nil, base)
}

func TestMalformed(t *testing.T) {
	base := []byte("0123456789")
	for _, s := range []string{"\x80", "\x0b", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x01\x05ab", "\x01\x00\x15\x01",
		"\x01\x00\x80", "\x05\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\x00\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if out, err := Apply([]byte("x"), base, []byte(s), math.MaxInt); err != ErrMalformed || string(out) != "x" {
			t.Errorf("%q: %q, %v", s, out, err)
		}
	}
	for _, s := range []string{``, `{}`, `[11]`, `[-1]`, `["a"]`, `[1,2]`, `[1,"a","b"]`, `[1,"a",-2]`, `[1,"a",10]`, `[1,"a",1,1e1]`,
		`[1,"a",99999999999999999999]`, `[1`, `[1,"a]`, `[1,]`, `[1,"a",2]x`, `[,1]`, `[1 "a"]`, "[1,\"\x01\"]", `[1,"\x"]`, `[1,"a",-]`, `[0,"",9223372036854775807]`} {
		if out, err := ApplyJSON([]byte("x"), base, []byte(s), math.MaxInt); err != ErrMalformed || string(out) != "x" {
			t.Errorf("%s: %q, %v", s, out, err)
		}
	}
}

func TestReusedBuffersNeedNoMemory(t *testing.T) {
	var e Encoder
	a, b := pod("checkout-5b6d-x7k2p", "1", false), pod("checkout-5b6d-x7k2p", "22", true)
	var s, out []byte
	if n := testing.AllocsPerRun(100, func() {
		s = e.Encode(s[:0], a, b)
		out, _ = Apply(out[:0], a, s, len(b))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzRound(f *testing.F) {
	f.Add([]byte(`{"a":"b"}`), []byte(`{"a":"bé"}`))
	f.Add(pod("a", "1", true), pod("b", "2", false))
	f.Fuzz(func(t *testing.T, base, target []byte) {
		var e Encoder
		checkRound(t, &e, base, target)
	})
}

func FuzzApply(f *testing.F) {
	var e Encoder
	a, b := pod("a", "1", true), pod("b", "2", false)
	text, _ := e.EncodeJSON(nil, a, b)
	f.Add(a, e.Encode(nil, a, b))
	f.Add(a, text)
	f.Fuzz(func(t *testing.T, base, s []byte) {
		const limit = 1 << 16
		for _, apply := range []func(_, _, _ []byte, _ int) ([]byte, error){Apply, ApplyJSON} {
			out, err := apply(nil, base, s, limit)
			if len(out) > limit || err != nil && out != nil {
				t.Fatalf("%d bytes, %v", len(out), err)
			}
		}
		if out, err := ApplyJSON(nil, base, s, limit); err == nil && SizeJSON(int64(len(base)), s) != int64(len(out)) {
			t.Fatalf("%d bytes, SizeJSON says %d", len(out), SizeJSON(int64(len(base)), s))
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	var e Encoder
	a := pod("checkout-5b6d-x7k2p", "81234", false)
	for _, c := range []struct {
		name   string
		target []byte
	}{
		{"resourceVersion", pod("checkout-5b6d-x7k2p", "81299", false)},
		{"status", pod("checkout-5b6d-x7k2p", "81299", true)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(a)))
			var s []byte
			for b.Loop() {
				s = e.Encode(s[:0], a, c.target)
			}
			b.ReportMetric(float64(len(s)), "splice-B")
		})
	}
}

func BenchmarkApply(b *testing.B) {
	var e Encoder
	base, target := pod("checkout-5b6d-x7k2p", "81234", false), pod("checkout-5b6d-x7k2p", "81299", true)
	s := e.Encode(nil, base, target)
	b.ReportAllocs()
	b.SetBytes(int64(len(target)))
	var out []byte
	for b.Loop() {
		out, _ = Apply(out[:0], base, s, len(target))
	}
}
