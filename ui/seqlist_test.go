package ui

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rewatch/model"
)

// A list in blocks is what a slice that is sorted after each change would be.
func TestSeqListIsASortedList(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 5))
		var l seqList
		var want []model.Seq
		next, first := model.Seq(10), model.Seq(0)
		for step := range 6000 {
			switch n := r.IntN(20); {
			case n < 9 || len(want) == 0: // rows come, most of them at the end
				seq := next + model.Seq(r.IntN(3))
				if next = seq + 1; n == 0 {
					seq = first + model.Seq(r.IntN(int(next-first)))
				}
				l.insert(seq)
				if i, ok := slices.BinarySearch(want, seq); !ok {
					want = slices.Insert(want, i, seq)
				}
			case n < 18 && (seed%2 == 0 || n < 12):
				seq := want[r.IntN(len(want))]
				if n == 11 {
					seq++ // perhaps none of them
				}
				l.remove(seq)
				want = slices.DeleteFunc(want, func(x model.Seq) bool { return x == seq })
			case step%97 == 0:
				first = want[r.IntN(min(len(want), 40))] + model.Seq(r.IntN(2))
				l.evict(first)
				want = slices.DeleteFunc(want, func(x model.Seq) bool { return x < first })
			}
			if l.len() != len(want) {
				t.Fatalf("seed %d step %d: %d rows, want %d", seed, step, l.len(), len(want))
			}
			if len(want) > 0 && step%7 == 0 {
				i := r.IntN(len(want))
				if n, has := l.upTo(want[i]); l.at(i) != want[i] || n != i+1 || !has {
					t.Fatalf("seed %d step %d: at %d is %d (%d), want %d", seed, step, i, l.at(i), n, want[i])
				}
				seq := want[i] + 1
				j, ok := slices.BinarySearch(want, seq)
				if n, has := l.upTo(seq); has != ok || !ok && n != j {
					t.Fatalf("seed %d step %d: %d rows up to %d, want %d", seed, step, n, seq, j)
				}
			}
			if step%500 == 0 && !slices.Equal(l.all(), want) {
				t.Fatalf("seed %d step %d: the lists differ", seed, step)
			}
		}
		if seed%2 == 1 && len(l.blocks) < 3 {
			t.Errorf("seed %d: only %d blocks; the test shows little", seed, len(l.blocks))
		}
	}
}

// all lists the rows in order.
func (l *seqList) all() []model.Seq { return slices.Concat(l.blocks...) }
