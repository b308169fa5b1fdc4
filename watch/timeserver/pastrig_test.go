package timeserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

// recording makes a tape record by record.
type recording struct {
	t   *testing.T
	out bytes.Buffer
	w   *tape.Writer
	at  time.Time
}

func newRecording(t *testing.T) *recording {
	r := &recording{t: t, at: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)}
	r.w = tape.NewWriter(&r.out, tape.Header{Tool: "test"}, tape.Options{})
	return r
}

// stream declares a stream of a builtin type, in one namespace or all.
func (r *recording) stream(context, resource, namespace string, change ...func(*model.StreamInfo)) model.StreamID {
	b, ok := Builtin(resource)
	if !ok {
		b = Resource{Group: "acme.example", Version: "v1", Resource: resource, Kind: "Widget", Namespaced: true}
	}
	info := model.StreamInfo{Context: context, Group: b.Group, Version: b.Version, Resource: b.Resource, Kind: b.Kind,
		Namespaced: b.Namespaced, Namespace: namespace, Uncached: b.Uncached}
	for _, c := range change {
		c(&info)
	}
	return r.w.AddStream(info)
}

// append appends a record a second after the one before.
func (r *recording) append(rec model.Record) {
	r.t.Helper()
	r.at = r.at.Add(time.Second)
	rec.Time = r.at
	if err := r.w.Append(rec); err != nil {
		r.t.Fatal(err)
	}
}

// put records an object of a resourceVersion, whose UID is "uid of" its name.
func (r *recording) put(s model.StreamID, kind, ns, name string, rv int, more string) {
	r.t.Helper()
	r.append(model.Record{Stream: s, Type: model.Modified, Raw: recordedObject(kind, ns, name, rv, more)})
}

func (r *recording) remove(s model.StreamID, kind, ns, name string, rv int) {
	r.t.Helper()
	r.append(model.Record{Stream: s, Type: model.Deleted, Raw: recordedObject(kind, ns, name, rv, "")})
}

func (r *recording) step(s model.StreamID, from, to model.State, text string) {
	r.t.Helper()
	r.append(model.Record{Stream: s, Type: model.StreamChange, Detail: model.Transition{From: from, To: to, Text: text}})
}

func recordedObject(kind, ns, name string, rv int, more string) []byte {
	version := "v1"
	if kind == "Widget" {
		version = "acme.example/v1"
	}
	return fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,"namespace":%q,"uid":"uid of %s","resourceVersion":"%d"}%s}`,
		kind, version, name, ns, name, rv, more)
}

func (r *recording) tape() *tape.Tape {
	r.t.Helper()
	if err := r.w.Close(); err != nil {
		r.t.Fatal(err)
	}
	return openTape(r.t, r.out.Bytes())
}

func openTape(t *testing.T, b []byte) *tape.Tape {
	t.Helper()
	tp, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tp
}

// demoTape is the demo's capture as a tape.
func demoTape(t *testing.T) *tape.Tape {
	t.Helper()
	lines, err := zstd.NewReader(bytes.NewReader(demo))
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	var out bytes.Buffer
	w := tape.NewWriter(&out, tape.Header{Tool: "test"}, tape.Options{})
	if _, err := capture.Import(lines, w, capture.Options{Context: "shop"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return openTape(t, out.Bytes())
}

func loadPast(t *testing.T, tp *tape.Tape, context string, at time.Time) *Past {
	t.Helper()
	p, err := LoadPast(t.Context(), tp, context, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := p.Skipped(); n > 0 {
		t.Fatalf("%d records could not be served", n)
	}
	return p
}

// servePast serves a past and returns the address.
func servePast(t *testing.T, p *Past) string {
	t.Helper()
	e, err := NewEndpoint(NewServer(p.Store(), p.Options()), EndpointOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { http.DefaultClient.CloseIdleConnections(); e.Close() })
	return e.URL()
}

// replayed is the state of a tape at a moment by the plainest means: all
// records up to it, one after the other. Secrets are left out: their
// fingerprints are served encoded.
func replayed(t *testing.T, tp *tape.Tape, at time.Time) map[string]map[string][]byte {
	t.Helper()
	state := map[string]map[string][]byte{}
	for e, err := range tp.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Time.After(at) {
			break
		}
		info := tp.Info().Streams[e.Stream]
		key := Resource{Group: info.Group, Resource: info.Resource}.Key()
		if key == "secrets" || !e.Type.IsObject() {
			continue
		}
		if state[key] == nil {
			state[key] = map[string][]byte{}
		}
		if name := objectKey(e.Identity); e.Type == model.Deleted {
			delete(state[key], name)
		} else {
			state[key][name] = bytes.Clone(e.Raw)
		}
	}
	return state
}

func stateOf(s *Store) map[string]map[string][]byte {
	state := map[string]map[string][]byte{}
	for _, r := range s.Resources() {
		for _, raw := range s.State(r.Key()) {
			var o metav1.PartialObjectMetadata
			_ = json.Unmarshal(raw, &o)
			if r.Key() == "secrets" || r.Key() == newerEvents || o.Annotations[synthesised] != "" {
				continue
			}
			if state[r.Key()] == nil {
				state[r.Key()] = map[string][]byte{}
			}
			state[r.Key()][(&object{namespace: o.Namespace, name: o.Name}).key()] = raw
		}
	}
	return state
}

func compareStates(t *testing.T, what string, got, want map[string]map[string][]byte) {
	t.Helper()
	for key, objects := range want {
		if len(objects) == 0 {
			delete(want, key)
		}
	}
	for key, objects := range want {
		for name, raw := range objects {
			if !bytes.Equal(got[key][name], raw) {
				t.Fatalf("%s: %s %s is\n%s\nwant\n%s", what, key, name, got[key][name], raw)
			}
		}
		if len(got[key]) != len(objects) {
			t.Fatalf("%s: %d %s, want %d", what, len(got[key]), key, len(objects))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d types with objects, want %d", what, len(got), len(want))
	}
}

// moveTo applies the records up to a moment.
func moveTo(t *testing.T, p *Past, tp *tape.Tape, at time.Time) {
	t.Helper()
	for {
		e, err := p.reader.Next()
		if err != nil || e.Time.After(at) {
			return
		}
		p.apply(e)
	}
}

// rvOf is the resourceVersion of the only pod, "" if there is none.
func rvOf(s *Store) string {
	for _, raw := range s.State("pods") {
		var o metav1.PartialObjectMetadata
		_ = json.Unmarshal(raw, &o)
		return o.ResourceVersion
	}
	return ""
}

func getJSON(t *testing.T, address string, into any) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
