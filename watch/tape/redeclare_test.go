package tape

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rewatch/model"
)

func TestRedeclare(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{FrameSize: 1})
	s := w.AddStream(model.StreamInfo{Resource: "gears"})
	when := testHeader().Created
	if err := w.Append(model.Record{Time: when, Stream: s, Type: model.StreamChange, Detail: model.Transition{To: model.Live}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Redeclare(model.StreamInfo{ID: s, Resource: "gears", Namespaced: true}); err != nil {
		t.Fatal(err)
	}
	if err := w.Redeclare(model.StreamInfo{ID: s + 1}); !errors.Is(err, ErrRecord) {
		t.Error(err)
	}
	torn := bytes.Clone(b.Bytes())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]byte{torn, b.Bytes()} {
		tape := mustOpen(t, x)
		r, err := tape.Seek(when)
		if err != nil || len(tape.Info().Streams) != 1 || !tape.Info().Streams[0].Namespaced || r.Streams()[0].Last.To != model.Live {
			t.Errorf("%v %+v %+v", err, tape.Info().Streams, r.Streams())
		}
	}
}

// TestExportIsALinePerFrame: also where a server wrote a frame over several.
func TestExportIsALinePerFrame(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{})
	s := w.AddStream(model.StreamInfo{Resource: "pods"})
	raw := "{\n  \"metadata\": {\"name\": \"a\\nb\"}\n}"
	frame := "{\"type\":\"ADDED\",\n\"object\":" + raw + "\n}"
	if err := w.AppendFrame(model.Record{Time: testHeader().Created, Stream: s, Type: model.Added, Raw: []byte(raw)}, []byte(frame)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := string(exported(t, mustOpen(t, b.Bytes())))
	if strings.Count(got, "\n") != 1 || !strings.Contains(got, `"frame":{"type":"ADDED", "object":{   "metadata": {"name": "a\nb"} } }}`) {
		t.Errorf("%q", got)
	}
}
