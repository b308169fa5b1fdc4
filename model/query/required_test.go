package query

import (
	"regexp"
	"strings"
	"testing"
)

// TestRequiredIsInEveryMatch: what is looked for first is in every text that the
// expression matches, whatever the case and the letters.
func TestRequiredIsInEveryMatch(t *testing.T) {
	texts := []string{"checkout-39a", "Checkout-39-x-a", "x\ncheckout-39a", "statefulſet", "STATEFULSET", "\u212Aube", "kube", "", "a", "aab", "résumé", "RÉSUMÉ"}
	for source, want := range map[string]string{
		"^checkout-39.*a$": "checkout-39", "stateful(set)+": "stateful", "kube": "kube", "ſet": "set", "a|b": "", "a*b": "b", "(?-i)Kube": "kube",
		"résumé": "", "x?": "", "[ab]+c": "c", "": "",
	} {
		got := required("(?im)" + source)
		if got != want {
			t.Errorf("%q requires %q, want %q", source, got, want)
		}
		re := regexp.MustCompile("(?im)" + source)
		for _, text := range texts {
			if re.MatchString(text) && lacks(strings.ToLower(text), got) {
				t.Errorf("%q matches %q, which is said to lack %q", source, text, got)
			}
		}
	}
}
