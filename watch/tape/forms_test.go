package tape

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// checkForms writes lines through forms, twice so that forms are used, and
// fails unless they come back. It returns how many bytes were written.
func checkForms(t *testing.T, lines []string, times []int64) (size int) {
	t.Helper()
	var f former
	var x expander
	f.reset()
	x.reset()
	before := int64(0)
	for round := range 3 {
		for i, one := range lines {
			one += "\n"
			at := before
			var delta int64
			if text, ok := strings.CutPrefix(one, `{"t":`); ok {
				end := strings.IndexFunc(text, func(r rune) bool { return r != '-' && (r < '0' || r > '9') })
				delta, _ = parseInt([]byte(text[:end]))
				at = before + delta
			} else if len(times) > 0 {
				before = times[i%len(times)]
				at = before
			}
			written := bytes.Clone(f.shorten([]byte(one), at))
			size += len(written)
			got := ""
			for w := range bytes.Lines(written) {
				checkDeclaration(t, bytes.TrimSuffix(w, []byte("\n")), len(x.forms))
				text, err := x.expand(bytes.TrimSuffix(w, []byte("\n")), before, 1<<20)
				if err != nil {
					t.Fatalf("round %d, line %q, written as %q: %v", round, one, written, err)
				}
				if text != nil {
					got += string(text) + "\n"
				}
			}
			if got != one {
				t.Fatalf("round %d, at %d: line %q came back as %q, written as %q", round, at, one, got, written)
			}
			before = at
		}
	}
	return size
}

// checkDeclaration reads a declaration of a form in both ways, if it is one, and
// reports whether the quick one could.
func checkDeclaration(t *testing.T, line []byte, number int) (quick bool) {
	t.Helper()
	f := formAsWritten(line, number)
	if f == nil {
		return false
	}
	if want, err := formOf(line, number); err != nil || !reflect.DeepEqual(f, want) {
		t.Fatalf("form %d: %s\nis read as %+v\ninstead of %+v, %v", number, line, f, want, err)
	}
	return true
}

func TestDeclarationsAsWritten(t *testing.T) {
	for line, want := range map[string]bool{
		`{"form":3,"holes":"","line":["a"]}`:                        true,
		`{"form":3,"holes":"su","line":["",1,"\"\\\"",0,"x",0,""]}`: true,
		`{"form":3,"holes":"su","line":["a",1]}`:                    false, // ends with a value
		`{"form":3,"holes":"su","line":["a",2,""]}`:                 false,
		`{"form":3,"holes":"su","line":["a",01,""]}`:                false,
		`{"form":3,"holes":"su","line":["a",-1,""]}`:                false,
		`{"form":3,"holes":"su","line":["a",1.0,""]}`:               false,
		`{"form":3,"holes":"su","line":["a"]} `:                     false,
		`{"form":3,"holes":"su","line":["a",0,"b"],"line":["c"]}`:   false,
		`{"form":3,"holes":"s\u0075","line":["a",0,"b"]}`:           false,
		`{"form":3,"holes":"s","line":["é"]}`:                       false,
		`{"form":3,"holes":"s","line":["\u0041"]}`:                  false,
		`{"form":3,"holes":"s","line":["\n"]}`:                      false,
		`{"form":3,"holes":"s","line":["a`:                          false,
		`{"form":3,"holes":"s","line":["a\`:                         false,
		`{"form":3,"holes":"s","line":[]}`:                          false,
		`{"form":4,"holes":"s","line":["a"]}`:                       false,
		"{\"form\":3,\"holes\":\"s\",\"line\":[\"a\tb\"]}":          false,
	} {
		if got := checkDeclaration(t, []byte(line), 3); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

func TestFormsShortenAndComeBack(t *testing.T) {
	base := time.Date(2026, 12, 1, 1, 37, 0, 0, time.UTC).UnixNano()
	rnd := rand.New(rand.NewPCG(1, 1))
	var lines []string
	size := 0
	for i := range 200 {
		uid := fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", rnd.Uint32(), rnd.IntN(1<<16), rnd.IntN(1<<12), rnd.IntN(1<<12), rnd.Int64N(1<<48))
		name := fmt.Sprintf("svc-%d-5b6d-%s", i%7, string([]byte{"bcdf2"[i%5], 'x', "ghjk"[i%4], '7', 'z'}))
		lines = append(lines, fmt.Sprintf(`{"t":%d000,"e":"A","s":8,"b":9,"d":[54,"%s.%x",39,28,"%s",36,21,"%d",5,23,"%s",20,7,"%s\"é\n0",3]}`,
			rnd.IntN(9000), name, base+rnd.Int64N(1e9), uid, 10_000+i, time.Unix(0, base).Add(time.Duration(i)*time.Second).UTC().Format(time.RFC3339), name))
		size += len(lines[i]) + 1
	}
	if got := checkForms(t, lines, []int64{base}); got > size*3/2 {
		t.Errorf("three times %d bytes are written as %d", size, got)
	}
}

// FuzzShorten: whatever a line says, it comes back as it was.
func FuzzShorten(f *testing.F) {
	f.Add(`{"t":17000,"e":"M","o":-12,"d":[180,"81299",5,"2026-12-01T01:37:28.000001Z",1,"9c0f461e-e818-4098-b0fe-6185d137acac",36]}`, int64(1796089048e9))
	f.Add(`{"e":"L","o":4,"s":0,"b":1,"d":[0,"a-bcdf2.18ecfd543a822d82 10.0.13.176 v1 \\u00e9\\\" 0012 12345678901234567"]}`, int64(1))
	f.Add(`{"t":-9223372036854775808,"e":"D","o":1,"d":["1969-12-31T23:59:59","0000-00-00T00:00:00","9999-12-31T23:59:60"]}`, int64(-5))
	f.Add("\"~\" \"~1 ~2\"\n{\"t\":000,\"o\":}", int64(1e18))
	f.Fuzz(func(t *testing.T, text string, at int64) {
		if !utf8.ValidString(text) {
			return
		}
		lines := strings.Split(text, "\n")
		for _, one := range lines {
			if strings.HasPrefix(one, `"`) || strings.HasPrefix(one, `{"form":`) || one == "" { // no Writer writes these
				return
			}
		}
		checkForms(t, lines, []int64{at, at / 3})
	})
}

// FuzzExpand: no line makes more of itself than it may.
func FuzzExpand(f *testing.F) {
	f.Add(`{"form":0,"holes":"msunzxwe","line":["{\"t\":",0,"000,\"d\":[\"",1,"",2,"",3,"",4,"",5,"",6,"-",7,"\"]}"]}` + "\n" +
		`"0 1 a 9c0f461ee8184098b0fe6185d137acac 12 -3 -1f abc xyz"` + "\n" + `"0 1 a ~ 12 -3 -1f ~ ~"` + "\n" + `"0 ~"`)
	f.Add(`{"form":0,"holes":"","line":[]}` + "\n" + `"0"` + "\n" + `"1"` + "\n" + `{"form":1,"holes":"s","line":["",0,"",0,"x",0]}` + "\n" + `"1 aaaa"` + "\n\"" + `1  "`)
	f.Add(`{"form":0,"holes":"s","line":[0]}` + "\n" + `{"form":0,"holes":"s","line":["",1]}` + "\n" + `{"form":0,"holes":"s","line":["",0.5]}` + "\n" + `{"form":1e9}`)
	f.Fuzz(func(t *testing.T, text string) {
		var x expander
		x.reset()
		now := int64(0)
		for _, one := range strings.Split(text, "\n") {
			got, err := x.expand([]byte(one), now, 1<<12)
			if len(got) > 1<<12 && len(one) < len(got) {
				t.Fatalf("%d bytes", len(got))
			}
			if d, ok := x.delta([]byte(one)); ok && err == nil && got != nil {
				now += d
			}
		}
	})
}
