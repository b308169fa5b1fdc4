package model

import (
	"fmt"
	"strings"
	"testing"
)

// sameLog is a log with one stream of pods, and how to append a pod to it.
func sameLog() (*Log, func(rv, color string, reverted bool) Event) {
	l := NewLog(Options{})
	l.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	return l, func(rv, color string, reverted bool) Event {
		raw := fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":%q},"spec":{"color":%q}}`, rv, color)
		return l.Append(Record{Type: Modified, Raw: []byte(raw), Reverted: reverted})
	}
}

func TestSameVersionNeedsTheSameBytes(t *testing.T) {
	l, put := sameLog()
	for i, c := range []struct {
		rv, color string
		reverted  bool
		version   uint32
		replayed  bool
	}{
		{"10", "red", false, 1, false},
		{"20", "green", false, 2, false},
		{"20", "green", false, 2, true},
		{"10", "red", false, 1, true},    // another stream lags
		{"20", "white", false, 3, false}, // the same number, another content
		{"10", "black", false, 4, false},
		{"30", "blue", false, 5, false},
		{"10", "black", true, 6, false}, // the server's data went back
		{"10", "black", true, 6, true},  // and another stream finds that too
	} {
		e := put(c.rv, c.color, c.reverted)
		if e.Version != c.version || e.Has(Replayed) != c.replayed {
			t.Errorf("%d: version %d, replayed %v", i, e.Version, e.Has(Replayed))
		}
		raw, ok := l.Bytes(e.Object, e.Version)
		if !ok || !strings.Contains(string(raw), c.color) {
			t.Errorf("%d: %s", i, raw)
		}
		if l.Differs(0, e.Object, e.Version, raw) || !l.Differs(0, e.Object, e.Version, []byte("x")) || l.Differs(0, e.Object, 99, raw) || l.Differs(0, 99, 1, raw) {
			t.Errorf("%d: Differs", i)
		}
	}
}

// A resourceVersion is opaque: one that is too large for a number is no reason
// to take every version for the same.
func TestResourceVersionsTooLargeForNumbers(t *testing.T) {
	_, put := sameLog()
	for i, rv := range []string{"99999999999999999999990", "99999999999999999999991", "99999999999999999999992"} {
		if e := put(rv, rv, false); e.Version != uint32(i+1) || e.Has(Replayed) || e.RV != 0 {
			t.Errorf("%+v", e)
		}
	}
}

func TestSecretsInsideOtherStreams(t *testing.T) {
	l, _ := sameLog()
	for i, raw := range []string{
		`{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","uid":"1","resourceVersion":"1"},"data":{"p":"U0VOVElORUw="}}`,
		`{"kind":"SecretList","apiVersion":"v1","metadata":{"name":"l","resourceVersion":"2"},"items":[{"metadata":{"name":"s"},"data":{"p":"U0VOVElORUw="}}]}`,
	} {
		e := l.Append(Record{Type: Added, Raw: []byte(raw)})
		if got, ok := l.Bytes(e.Object, 1); !ok || strings.Contains(string(got), "U0VOV") {
			t.Errorf("%d: %s", i, got)
		}
		if l.Differs(0, e.Object, 1, []byte(raw)) {
			t.Errorf("%d: redacted, it is another", i)
		}
	}
}

func TestTheTypeIsNoContent(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"kind":"Pod","apiVersion":"v1","metadata":{}}`, `{"apiVersion":"v1","kind":"Pod","metadata":{}}`, true},
		{`{"metadata":{}}`, `{"kind":"Pod","apiVersion":"v1","metadata":{}}`, true},
		{`{"metadata":{},"spec":1}`, `{"metadata":{},"spec":2}`, false},
		{`{"metadata":{},"spec":1}`, `{"metadata":{}}`, false},
		{`{"metadata":{},"x":1}`, `{"metadata":{},"y":1}`, false},
		{`{`, `[`, false},
	} {
		if sameContent([]byte(c.a), []byte(c.b)) != c.same {
			t.Errorf("%s and %s", c.a, c.b)
		}
	}
}
