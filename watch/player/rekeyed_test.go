package player

import (
	"encoding/base64"
	"fmt"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/redact"
	"rewatch/watch/tape"
)

// TestAnotherKeyIsNoChange: two recordings have the values of Secrets under
// keys of their own, by which an object of the same resourceVersion is the same.
func TestAnotherKeyIsNoChange(t *testing.T) {
	secrets := model.StreamInfo{Context: "test", Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}
	secret := func(name string, rv int, value string) []byte {
		return fmt.Appendf(nil, `{"kind":"Secret","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":"u-%s","resourceVersion":"%d"},"data":{"token":%q}}`,
			name, name, rv, base64.StdEncoding.EncodeToString([]byte(value)))
	}
	for _, begins := range []bool{false, true} { // with a list, or with a state
		record := func(name string, key byte, start time.Time, objects ...[]byte) Source {
			out := newBuffers(2)
			w := tape.NewWriter(out[0], tape.Header{Tool: "test", Created: start}, tape.Options{Redactor: redact.NewWithKey([32]byte{key})})
			w.AddStream(secrets)
			add := func(r model.Record) {
				r.Time = start
				if err := w.Append(r); err != nil {
					t.Fatal(err)
				}
			}
			step := func(from, to model.State) {
				add(model.Record{Type: model.StreamChange, Detail: model.Transition{From: from, To: to}})
			}
			step(model.Idle, model.Connecting)
			step(model.Connecting, model.Syncing)
			for _, o := range objects {
				add(model.Record{Type: model.Added, Flags: model.Initial, Raw: o})
			}
			step(model.Syncing, model.Live)
			used := out[0]
			if begins && key > 1 {
				used, start = out[1], start.Add(time.Second)
				if err := w.Next(used, start); err != nil {
					t.Fatal(err)
				}
				add(model.Record{Type: model.Noted, Detail: model.Note{Cause: model.CauseMark, Text: "on"}})
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return source(t, name, used.Bytes())
		}
		r := newReel([]Source{
			record("first", 1, testStart, secret("same", 7, "one"), secret("other", 8, "two")),
			record("second", 2, testStart.Add(time.Hour), secret("same", 7, "one"), secret("other", 9, "three")),
		})
		log := straight(t, r, r.events).log
		for name, want := range map[string]uint32{"same": 1, "other": 2} {
			k, _, ok := log.Lookup(model.Identity{Context: "test", APIVersion: "v1", Kind: "Secret", Namespace: "shop", Name: name, UID: "u-" + name})
			if !ok || k.Version != want {
				t.Errorf("begins with a state: %v: %s has %d versions instead of %d", begins, name, k.Version, want)
			}
		}
	}
}
