package ui

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rewatch/model"
)

func TestRowSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 50, 5000} {
		set := rowSet{first: 1000}
		if got := set.from(0); got != noRow {
			t.Errorf("an empty set begins with %d", got)
		}
		var want []model.Seq
		for range n {
			seq := 1000 + model.Seq(r.IntN(20_000))
			set.add(seq)
			want = append(want, seq)
		}
		slices.Sort(want)
		want = slices.Compact(want)
		var got []model.Seq
		for seq := set.from(0); seq != noRow; seq = set.from(seq + 1) {
			got = append(got, seq)
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d rows the set has %d", len(want), len(got))
		}
		for seq := model.Seq(1000); seq < 25_000; seq++ {
			if _, in := slices.BinarySearch(want, seq); set.has(seq) != in {
				t.Fatalf("row %d is in: %v", seq, !in)
			}
		}
	}
}
