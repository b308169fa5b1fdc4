package tape

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestObjectsUntilAreThoseOfTheRecords: whatever a record up to the moment
// changes is among them as it was, and not much else.
func TestObjectsUntilAreThoseOfTheRecords(t *testing.T) {
	var out bytes.Buffer
	g := newGenerator(9)
	w := NewWriter(&out, testHeader(), Options{FrameSize: 64 << 10})
	for _, s := range g.streams {
		w.AddStream(s)
	}
	for range 8000 {
		if err := w.Append(g.next()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape := mustOpen(t, out.Bytes())
	from := tape.Info().From
	length := tape.Info().To.Sub(from)
	found := 0
	for i := range 8 {
		at := from.Add(length / 10 * time.Duration(i+1))
		until := at.Add(length / 100)
		r, err := tape.Seek(at)
		if err != nil {
			t.Fatal(err)
		}
		before := map[string]string{}
		all := 0
		for o, err := range r.Objects() {
			if err != nil {
				t.Fatal(err)
			}
			before[strings.Clone(o.Identity.UID)] = string(o.Raw)
			all++
		}
		if all != r.Len() {
			t.Errorf("%d objects, Len is %d", all, r.Len())
		}
		some := map[string]bool{}
		for o, err := range r.ObjectsUntil(until) {
			if err != nil {
				t.Fatal(err)
			}
			if string(o.Raw) != before[o.Identity.UID] {
				t.Fatalf("%s is not what it was", o.Identity.Name)
			}
			some[strings.Clone(o.Identity.UID)] = true
		}
		found += len(some)
		if len(some) > all/2 {
			t.Errorf("%d of %d objects", len(some), all)
		}
		apart, err := r.Apart(until)
		if err != nil {
			t.Fatal(err)
		}
		for o, err := range apart.Objects() {
			if err != nil || string(o.Raw) != before[o.Identity.UID] || !some[o.Identity.UID] {
				t.Fatalf("%s is not what it was: %v", o.Identity.Name, err)
			}
		}
		var ahead []string
		for {
			e, err := apart.Next()
			if err != nil {
				t.Fatal(err)
			}
			ahead = append(ahead, fmt.Sprint(e.Time, e.Type, e.Identity, string(e.Raw)))
			if e.Time.After(until) {
				break
			}
		}
		for o, err := range r.Objects() { // it has stayed where it was
			if err != nil || string(o.Raw) != before[o.Identity.UID] {
				t.Fatalf("%s is not what it was: %v", o.Identity.Name, err)
			}
		}
		for {
			e, err := r.Next()
			if len(ahead) == 0 || err == nil && ahead[0] != fmt.Sprint(e.Time, e.Type, e.Identity, string(e.Raw)) {
				t.Fatal("it read other records apart")
			}
			ahead = ahead[1:]
			if err != nil || e.Time.After(until) {
				break
			}
			if before[e.Identity.UID] != "" && !some[e.Identity.UID] {
				t.Fatalf("%s is changed, but is not among them", e.Identity.Name)
			}
		}
	}
	if found == 0 {
		t.Error("none at all")
	}
}
