package tape

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"rewatch/model/splice"
)

// TestRecipesAreSplices: what a recipe makes is what the splice makes that it
// stands for, and where there is none, or it does not fit, it says so.
func TestRecipesAreSplices(t *testing.T) {
	base := []byte(`{"metadata":{"name":"web","uid":"0","é":"\"x\""}}`)
	for _, c := range []struct {
		splice string   // with ? for holes
		values []string // of them
		ok     bool
	}{
		{`[3,"?",2]`, []string{"abc"}, true},
		{`[3,"?"]`, []string{""}, true},
		{`[ 3 , "a?b?" , -2 , 1 , "?" ]`, []string{"x", "yy", "zzz"}, true},
		{`[0,"\"?\\\nz?z",5,2]`, []string{"x", "z"}, true},
		{`[0,"é?",1]`, []string{"x"}, true},
		{`[0,"?",1]`, []string{"é"}, false},       // might be half of a letter
		{`[0,"\u00e9?",1]`, []string{"x"}, false}, // might be half of a pair
		{`[0,"?",?]`, []string{"x", "1"}, false},  // no text
		{`[?,"x"]`, []string{"1"}, false},
		{`[3,"?",99]`, []string{"x"}, false},
		{`[99,"?"]`, []string{"x"}, false},
		{`[3,"?",-4]`, []string{"x"}, false},
		{`[-1,"?"]`, []string{"x"}, false},
		{`[1e0,"?"]`, []string{"x"}, false},
		{`[1,2,"?"]`, []string{"x"}, false},
		{`[3,"?\"]`, []string{"x"}, false},
		{`[3,"?",2`, []string{"x"}, false},
		{`[3,"?",2]`, []string{strings.Repeat("x", 100)}, false}, // over the limit
	} {
		p := &plan{}
		data, all := []byte{}, ""
		quoted := false
		for i, text := range strings.SplitAfter(c.splice, "?") {
			text, hole := strings.CutSuffix(text, "?")
			d := formPiece{[]byte(text), -1}
			if quoted = quoted != (strings.Count(strings.ReplaceAll(text, `\"`, ""), `"`)%2 == 1); hole {
				d.value, p.end = i, i+1
				data = binary.AppendUvarint(data, uint64(len(c.values[i])))
				all += c.values[i]
				if !quoted {
					p.bare = append(p.bare, i)
				}
			}
			p.delta = append(p.delta, d)
		}
		w := waiting{form: &form{plan: p}, data: append(data, all...)}
		var s speller
		want, err := splice.ApplyJSON([]byte("before"), base, s.spell(&w), 100)
		got, ok := s.follow([]byte("before"), base, &w, 100)
		if ok != c.ok || ok && (err != nil || string(got) != string(want)) || !ok && string(got) != "before" {
			t.Errorf("%s with %q: %v %s\nnot %v %s", c.splice, c.values, ok, got, err, want)
		}
	}
}

// TestMostSplicesHaveRecipes: or they would be of no use.
func TestMostSplicesHaveRecipes(t *testing.T) {
	r := waitingState(t)
	forms, plain := 0, 0
	for o := range r.objects.all() {
		for _, w := range o.splices.chain(nil) {
			switch {
			case w.form == nil:
			case len(w.form.plan.spelled()) > 0:
				forms++
			default:
				plain++
			}
		}
	}
	if forms < 9*plain || forms < 500 {
		t.Error(fmt.Sprint(forms, " splices have one, ", plain, " none"))
	}
}
