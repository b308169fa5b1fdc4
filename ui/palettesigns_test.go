package ui

import "testing"

// Signs before namespaces and contexts mean something of a tape, too.
func TestSignsInAReplay(t *testing.T) {
	for text, want := range map[string]string{"shop": "ns:shop", "shop,pay": "ns:shop,pay", "+shop": "ns:shop", "-shop": "-ns:shop", "shop -pay": "ns:shop -ns:pay", "+": ""} {
		if got := termsOf("ns", text); got != want {
			t.Errorf("ns %s shows %q, want %q", text, got, want)
		}
	}
}
