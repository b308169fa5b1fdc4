package recorder

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// TestNoSecretReachesTheTape: whatever a Secret comes in, neither who follows
// the log nor the tape gets its values.
func TestNoSecretReachesTheTape(t *testing.T) {
	secret := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db","uid":"s1","resourceVersion":"7"},"data":{"password":"Y29ycmVjdC1ob3JzZQ=="},"stringData":{"again":"correct-horse"}}`
	list := `{"kind":"SecretList","apiVersion":"v1","metadata":{"name":"l","uid":"l1","resourceVersion":"9"},"items":[{"data":{"password":"Y29ycmVjdC1ob3JzZQ=="}}]}`
	mixed := `{"kind":"List","apiVersion":"v1","metadata":{"name":"m","uid":"m1","resourceVersion":"9"},"items":[{"kind":"ConfigMap","data":{"keep":"me"}},` + secret + `]}`
	pod := `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","uid":"p1","resourceVersion":"8"}}`

	x := newSource(0)
	var tapped bytes.Buffer
	_, cancel := x.log.Tap(model.Tap{
		Stream: func(model.StreamInfo) {},
		Record: func(_ model.Event, r model.Record) { fmt.Fprintf(&tapped, "%s%s\n", r.Raw, r.Frame) },
	})
	defer cancel()
	path := filepath.Join(t.TempDir(), "a.rwt")
	r := start(t, x, Options{Path: path})
	when := time.Unix(1_796_000_000, 0)
	for _, frame := range []string{`{"type":"SYNC","object":` + secret + `}`, `{"type":"SYNC","item":` + mixed + `}`, `{"type":"ERROR","object":` + list + `}`, `{"type":"SYNC","object":` + secret} {
		x.log.Pass(model.Record{Time: when, Frame: []byte(frame)})
	}
	for _, raw := range []string{secret, list, mixed} {
		for _, typ := range []model.Type{model.Added, model.Bookmark, model.Deleted} {
			x.log.Append(model.Record{Time: when, Type: typ, Raw: []byte(raw), Frame: fmt.Appendf(nil, `{"type":"%v","object":%s}`, typ, raw)})
			x.log.Append(model.Record{Time: when, Type: typ, Raw: []byte(raw), Frame: fmt.Appendf(nil, `{"object":%s,"type":"%v"}`, raw, typ)})
		}
	}
	follows := tapped.String()
	// What stands beside the object is looked into by the tape only.
	x.log.Append(model.Record{Time: when, Type: model.Added, Raw: []byte(pod), Frame: []byte(`{"type":"ADDED","object":` + pod + `,"old":` + secret + `}`)})
	end(t, r)

	rows := strings.Join(play(t, path).rows, "\n")
	for _, s := range []string{"Y29ycmVjdC1ob3JzZQ", "correct-horse"} {
		if strings.Contains(rows, s) {
			t.Errorf("the tape has %s: %s", s, rows)
		}
		if strings.Contains(follows, s) {
			t.Errorf("who follows the log got %s: %s", s, follows)
		}
	}
	for _, s := range []string{`"keep":"me"`, "SYNC", `"name":"p"`} {
		if !strings.Contains(rows, s) {
			t.Errorf("the tape has no %s: %s", s, rows)
		}
	}
}
