package timeserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rewatch/watch/tape"
)

// An object that cannot be rebuilt is told, and the others are served.
func TestPastOfAnObjectThatCannotBeRebuilt(t *testing.T) {
	object := func(name string) string {
		b, err := json.Marshal(fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"7"}}`, name, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	text := `{"frame":0,"t":1796083200000000000,"format":"rewatch-tape","version":1,"live":3,"created":"2026-12-01T00:00:00Z"}
{"stream":{"id":0,"context":"prod","version":"v1","resource":"pods","kind":"Pod","namespaced":true}}
{"e":"L","o":1,"s":0,"b":0,"d":[0,` + object("a") + `]}
{"e":"L","o":1,"s":0,"b":0,"d":[999,` + object("b") + `]}
{"e":"L","o":1,"s":0,"b":0,"d":[0,` + object("c") + `]}
{"t":1000,"s":0,"note":{"cause":"recording","text":"the recording begins here"}}
`
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	b := e.EncodeAll([]byte(text), nil)
	_ = e.Close()
	tp, err := tape.Open(bytes.NewReader(b), int64(len(b)), tape.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := LoadPast(t.Context(), tp, "prod", tp.Info().To, nil)
	if err != nil {
		t.Fatal(err)
	}
	missing := p.Missing()
	if p.Store().count("pods") != 2 || len(missing) != 1 || !strings.Contains(missing[0], "object 2, of pods, cannot be rebuilt") || p.Whole() {
		t.Errorf("%d pods; missing %q, whole %v", p.Store().count("pods"), missing, p.Whole())
	}
}
