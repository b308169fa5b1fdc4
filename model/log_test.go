package model

import (
	"bytes"
	"testing"
)

type versionKey struct {
	object  ObjectID
	version uint32
}

// checkVersions fails unless the log gives back exactly these versions.
func checkVersions(t *testing.T, l *Log, want map[versionKey][]byte) {
	t.Helper()
	for k, raw := range want {
		got, ok := l.Bytes(k.object, k.version)
		if !ok || !bytes.Equal(got, raw) {
			t.Fatalf("version %d of %v: ok %v\n got %.200q\nwant %.200q", k.version, l.Identity(k.object), ok, got, raw)
		}
	}
	if s := l.Stats(); s.Versions != uint64(len(want)) {
		t.Fatalf("the log says it holds %d versions; %d were put in", s.Versions, len(want))
	}
}

func TestEveryVersionComesBackByteForByte(t *testing.T) {
	l := NewLog(Options{})
	fill := newFiller(l)
	want := map[versionKey][]byte{}
	replayed := 0
	for _, x := range shop(t) {
		e := fill.add(x)
		if !x.typ.IsObject() {
			continue
		}
		raw := x.object
		if x.stream == "secrets" {
			raw = l.Redactor().Secret(raw)
		}
		if e.Has(Replayed) {
			replayed++
		} else {
			want[versionKey{e.Object, e.Version}] = raw
		}
		if got := want[versionKey{e.Object, e.Version}]; !bytes.Equal(got, raw) {
			t.Fatalf("row %d says it is version %d again, but its bytes differ", e.Seq, e.Version)
		}
	}
	if replayed == 0 {
		t.Error("the capture ends with streams opened anew, and nothing was seen as replayed")
	}
	checkVersions(t, l, want)
}
