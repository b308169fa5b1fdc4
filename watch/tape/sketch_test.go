package tape

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// TestIdentitiesAreOfObjects: with one goroutine and with several, what is told
// without the texts is what they say, and they can be had later.
func TestIdentitiesAreOfObjects(t *testing.T) {
	r := waitingState(t)
	for _, n := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		var want []string
		for x, err := range r.Objects() {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, fmt.Sprint(x.Stream, x.Identity, x.RV, string(x.Raw)))
		}
		var got []string
		brief := 0
		for x, err := range r.Identities() {
			if err != nil {
				t.Fatal(err)
			}
			raw := x.Raw
			if raw == nil {
				brief++
				if raw, err = x.Text.AppendText(nil); err != nil {
					t.Fatal(err)
				}
			}
			got = append(got, fmt.Sprint(x.Stream, x.Identity, x.RV, string(raw)))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d goroutines: %d objects, not as the %d", n, len(got), len(want))
		}
		if brief < len(got)/4 {
			t.Errorf("%d goroutines: of %d objects only %d are told without their texts", n, len(got), brief)
		}
		limit := r.t.limits.Rebuilt
		r.t.limits.Rebuilt = 1
		last := error(nil)
		for _, err := range r.Identities() {
			last = err
		}
		if !errors.Is(last, ErrLimit) {
			t.Errorf("%d goroutines, beyond the limit: %v", n, last)
		}
		r.t.limits.Rebuilt = limit
	}
}

// TestSketchesSayWhatTextsSay: or say that they cannot, whatever the values are.
func TestSketchesSayWhatTextsSay(t *testing.T) {
	const hole = '?'
	all := []string{"", "a", "web-1", "0", "7", "42", "007", "-3", "1.5", "1e9", "true", "null", "name", "uid", "metadata", "u0041", "n",
		"ff", "{", "}", ",", ":", "[", "}}", "12345678901234567890123"}
	for _, c := range []struct {
		text string // with ? for holes; each is a copy of the base up to there, or inserted
		ok   bool
	}{
		{`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"?","namespace":"n?","uid":"?-?","resourceVersion":"?"},"spec":{"n":?}}`, true},
		{`{"metadata":{"uid":"u?","annotations":{"?":"?"},"name":"?"},"kind":"?","status":[{"?":?}]}`, true},
		{`{"spec":{"metadata":{"?":1}},"metadata":{"labels":{"?":"x"},"name":"a?b","generation":1?}}`, true},
		{`{"metadata":{"name":"a"},"spec":"\\?????????"}`, false}, // might be part of an escape, for all that is known
		{`{"metadata":{"name":"a\"?"}}`, false},
		{`{"metadata":{"name":"a\u00?"}}`, false},
		{`{"metadata":{"name":"a\n123456?"}}`, false}, // not the text itself
		{`{"metadata":{"name":"é?"}}`, false},
		{`{"metadata":{"spec":"\n123456?","name":"?"}}`, true},
		{`{"?":{"name":"b"},"metadata":{"name":"a"}}`, false}, // the key might be metadata
		{`{"metadata":{"?":"b","name":"a"}}`, false},
		{`{"metadata":{"name":"a","name":"?"}}`, false},
		{`{"metadata":{"name":"a"},"metadata":{"name":"?"}}`, false},
		{`{"metadata":{"name":?}}`, false},
		{`{"metadata":?}`, false},
		{`{"metadata":{"name":null,"uid":"?"}}`, false},
		{`{"kind":"?"}`, false},
		{`{"metadata":{"name":"?"}`, false}, // not all of an object
		{`{"metadata":{"name":"?"}} {`, false},
		{`{"metadata":{"name":"?"},"spec":0?}`, false},
		{`["?"]`, false},
	} {
		base, steps, n := []byte(nil), recipe{}, 0
		for i, text := range bytes.SplitAfter([]byte(c.text), []byte{hole}) {
			text, found := bytes.CutSuffix(text, []byte{hole})
			x := recipeStep{value: -1}
			if i%2 == 0 {
				base, x.copied = append(base, text...), len(text)
			} else {
				x.text = text
			}
			if found {
				x.value = n
				n++
			}
			steps = append(steps, x)
		}
		s := newSketch(base, steps)
		if (s != noSketch) != c.ok {
			t.Errorf("%s: there is a sketch: %v", c.text, s != noSketch)
		}
		if s == noSketch {
			continue
		}
		rnd, told := rand.New(rand.NewPCG(1, 2)), 0
		info := &model.StreamInfo{Context: "c", Group: "g", Version: "v1", Kind: "Thing"}
		for range 5000 {
			var values, text []byte
			var ends []int
			at := 0
			for _, b := range []byte(c.text) {
				if b != hole {
					text = append(text, b)
					continue
				}
				v := all[rnd.IntN(len(all))]
				values, text = append(values, v...), append(text, v...)
				ends = append(ends, len(values))
				at++
			}
			id, rv, size, _, ok := s.tell(nil, info, values, ends)
			if !ok {
				continue
			}
			told++
			if want, wantRV := identify(info, text); id != want || rv != wantRV || size != len(text) || !jsonscan.Valid(text) {
				t.Fatalf("%s: %v %q of %d bytes, not %v %q", text, id, rv, size, want, wantRV)
			}
		}
		if told < 25 {
			t.Errorf("%s: only %d are told", c.text, told)
		}
	}
}
