package ui

import (
	"strings"
	"testing"
)

// Signs before namespaces and contexts mean something of a tape, too.
func TestSignsInAReplay(t *testing.T) {
	for text, want := range map[string]string{"shop": "ns:shop", "shop,pay": "ns:shop,pay", "+shop": "ns:shop", "-shop": "-ns:shop", "shop -pay": "ns:shop -ns:pay", "+": ""} {
		if got := termsOf("ns", text); got != want {
			t.Errorf("ns %s shows %q, want %q", text, got, want)
		}
	}
}

// A type that is not here is said to be none, by the names that kubectl has for
// it; a guess by letters is done only where it is chosen.
func TestEnterDoesNotGuess(t *testing.T) {
	for _, c := range []struct{ text, told string }{
		{"sts", "no type sts (statefulsets) here"},
		{"sa", "no type sa (serviceaccounts) here"},
		{"jobs", "no type jobs here"},
		{"evt", "no type evt"},
	} {
		d, _ := newReplay(t, 120, 36, "mono")
		d.palette(c.text, "enter")
		if !strings.Contains(d.footer(), c.told) || d.app.filter.value() != "" || !d.app.palette.shown {
			t.Errorf(":%s enter sets the filter %q and tells %q", c.text, d.app.filter.value(), d.footer())
		}
		first := d.app.palette.items[0].text
		if d.press("ctrl+p"); len(d.app.palette.items) > 1 && d.app.palette.items[d.app.palette.at].text == first {
			t.Errorf(":%s ctrl+p does not lead to a guess", c.text)
		}
	}
	for text, filter := range map[string]string{"po": "kind:pod", "deploy": "kind:deployment", "no": "kind:node", "cm": "kind:configmap", "rs": "kind:replicaset", "ev": "kind:event"} {
		d, _ := newReplay(t, 120, 36, "mono")
		if d.palette(text, "enter"); d.app.filter.value() != filter {
			t.Errorf(":%s enter sets the filter %q, want %q: %q", text, d.app.filter.value(), filter, d.footer())
		}
	}
}

// The namespaces of a tape are those of its objects, and a time without a sign is
// told how it is typed.
func TestNamespacesAndTimesOfATape(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	d.press("$")
	d.palette("ns ")
	var names []string
	for _, it := range d.app.palette.items {
		names = append(names, it.text)
	}
	if got := strings.Join(names, " "); got != "all shop" {
		t.Errorf("ns offers %q", got)
	}
	d.press("esc")
	for _, text := range []string{"1h", "5m"} {
		d.palette(text, "enter")
		if !strings.Contains(d.footer(), "-"+text) || !strings.Contains(d.footer(), "12:03") {
			t.Errorf(":%s tells %q", text, d.footer())
		}
		d.press("esc")
	}
}
