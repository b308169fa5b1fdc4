package export

import (
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/watch/tape"
)

// TestObjectsThatAreLostDoNotEndAnExport from a moment on: an object that
// cannot be rebuilt is told, and the rest comes.
func TestObjectsThatAreLostDoNotEndAnExport(t *testing.T) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	// The change of bad is against a text that is longer than what there is.
	file := e.EncodeAll([]byte(`{"frame":0,"t":1000000000,"format":"rewatch-tape","version":1,"created":"2026-12-01T00:00:00Z"}
{"stream":{"id":0,"version":"v1","resource":"configmaps","kind":"ConfigMap"}}
{"t":0,"e":"A","o":1,"s":0,"b":0,"d":[0,"{\"metadata\":{\"name\":\"bad\",\"uid\":\"1\"}}"]}
{"t":0,"e":"A","o":1,"s":0,"b":0,"d":[0,"{\"metadata\":{\"name\":\"good\",\"uid\":\"2\"}}"]}
{"t":1000000000,"e":"M","o":-1,"d":[5000,"x"]}
{"t":1000000000,"e":"A","o":2,"s":0,"b":0,"d":[0,"{\"metadata\":{\"name\":\"late\",\"uid\":\"3\"}}"]}
`), nil)
	file = e.EncodeAll([]byte(`{"frame":1,"t":3000000000,"o":3}
{"t":1000000000,"e":"A","o":1,"s":0,"b":0,"d":[0,"{\"metadata\":{\"name\":\"later\",\"uid\":\"4\"}}"]}
`), file)
	told := 0
	out, result := exported(t, opened(t, file), "events-json", Options{From: time.Unix(4, 0), Damaged: func(*tape.Damage) { told++ }})
	if told == 0 || told != result.Damages || !strings.Contains(out, `cannot be rebuilt`) || !strings.Contains(out, `"later"`) {
		t.Errorf("told %d times of %d\n%s", told, result.Damages, out)
	}
}
