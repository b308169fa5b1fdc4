package ui

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestFuzzyFindsLettersInOrder(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		at            []int // nil: no match
	}{
		{"", "pods", []int{}},
		{"pods", "pods", []int{0, 1, 2, 3}},
		{"PO", "pods", []int{0, 1}},
		{"sop", "pods", nil},
		{"podss", "pods", nil},
		{"dep", "deployments.apps", []int{0, 1, 2}},
		{"da", "deployments.apps", []int{0, 12}},             // the start of a word, however far
		{"ets", "replicasets statefulsets", []int{8, 9, 10}}, // of equals the first
		{"end tape", "the end of the tape", []int{4, 5, 6, 15, 16, 17, 18}},
		{"né", "Événement né", []int{10, 11}},
	} {
		_, at, ok := fuzzy(c.pattern, c.text)
		if ok != (c.at != nil) || ok && !slices.Equal(at, c.at) {
			t.Errorf("%q in %q: %v %v, want %v", c.pattern, c.text, at, ok, c.at)
		}
	}
}

// The first of each row has to win.
func TestFuzzyRanking(t *testing.T) {
	for pattern, texts := range map[string][]string{
		"pods":   {"pods", "pods.metrics.k8s.io", "poddisruptionbudgets"},
		"no":     {"nodes", "show or fold noise", "endpoints of"},
		"sts":    {"sts", "statefulsets", "restarts"},
		"dark":   {"dark", "dark-blind", "daemonset parked"},
		"gs":     {"go to streams", "logs"},
		"next":   {"next error", "the next error", "new extension"},
		"replic": {"replicasets", "the replica counts", "rewrite policies"},
	} {
		last := 1 << 30
		for _, text := range texts {
			score, _, ok := fuzzy(pattern, text)
			if !ok {
				t.Errorf("%q is not found in %q", pattern, text)
			}
			if score >= last {
				t.Errorf("%q: %q has %d, not below the one before (%d)", pattern, text, score, last)
			}
			last = score
		}
	}
}

func FuzzFuzzy(f *testing.F) {
	f.Add("dep", "deployments.apps")
	f.Add("é ", "\xff日本")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 40 || len(text) > 200 {
			return
		}
		_, at, ok := fuzzy(pattern, text)
		if !ok {
			return
		}
		for _, i := range at {
			if i < 0 || i >= utf8.RuneCountInString(text)+len(text) {
				t.Fatalf("%q in %q: place %d", pattern, text, i)
			}
		}
	})
}
