package model

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"
)

func objectJSON(name, rv string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"uid-%s","resourceVersion":%q}}`, name, name, rv)
}

// script appends records to one stream of a log, a second apart.
type script struct {
	log    *Log
	stream StreamID
	now    time.Time
}

func newScript(info StreamInfo) *script {
	l := NewLog(Options{})
	return &script{log: l, stream: l.AddStream(info), now: time.Unix(1_000_000, 0)}
}

func (s *script) add(r Record) Event {
	s.now = s.now.Add(time.Second)
	r.Stream, r.Time = s.stream, s.now
	return s.log.Append(r)
}

func (s *script) to(t Transition) { s.add(Record{Type: StreamChange, Detail: t}) }

func (s *script) status() StreamStatus { return s.log.Streams(s.now)[s.stream] }

func TestStatusFollowsTheRecords(t *testing.T) {
	s := newScript(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	s.to(Transition{To: Connecting, Cause: CauseStart})
	s.to(Transition{To: Syncing, Total: 3})
	s.add(Record{Type: Added, Flags: Initial, Raw: objectJSON("b", "90")})
	s.add(Record{Type: Added, Flags: Initial, Raw: objectJSON("a", "40"), Bytes: 1000})
	st := s.status()
	if st.State != Syncing || st.Synced != 2 || st.Total != 3 || st.Objects != 2 || st.RV != "" {
		t.Fatalf("while syncing: %+v; initial objects must not move the resourceVersion", st)
	}
	if want := int64(1000 + len(objectJSON("b", "90"))); st.Bytes != want {
		t.Errorf("%d bytes, want %d", st.Bytes, want)
	}
	s.add(Record{Type: Bookmark, Raw: []byte(`{"metadata":{"resourceVersion":"100"}}`)})
	beat := s.now
	s.to(Transition{From: Syncing, To: Live})
	if st = s.status(); st.RV != "100" || st.Heartbeat != beat || st.LastFrame != beat || st.Since != s.now || st.Bookmarks != 1 {
		t.Fatalf("after the end bookmark: %+v", st)
	}
	s.add(Record{Type: Modified, Raw: objectJSON("a", "105")})
	s.add(Record{Type: Deleted, Raw: objectJSON("b", "106")})
	if st = s.status(); st.RV != "106" || st.Added != 2 || st.Modified != 1 || st.Deleted != 1 || st.Objects != 1 || st.Reconnects != 0 {
		t.Fatalf("live: %+v", st)
	}
	s.to(Transition{From: Live, To: Backoff, Cause: CauseCut, Attempt: 1})
	s.to(Transition{From: Backoff, To: Connecting})
	s.to(Transition{From: Connecting, To: Relisting})
	if e := s.add(Record{Type: Added, Flags: Synthetic, Raw: objectJSON("c", "200")}); e.Has(Replayed) {
		t.Error("a new object is no replay")
	}
	frame := s.status().LastFrame
	// A relist that finds an object gone has no bytes of its own for it.
	e := s.add(Record{Type: Deleted, Flags: Synthetic, Identity: s.log.Identity(1 + 1), RV: "105"})
	if raw, ok := s.log.Bytes(e.Object, e.Version); !ok || !bytes.Equal(raw, objectJSON("a", "105")) || e.Version != 2 || e.Has(Replayed) {
		t.Errorf("a synthetic deletion: %+v, %s", e, raw)
	}
	s.add(Record{Type: GapFound, Detail: Gap{FromRV: "106", ToRV: "300"}})
	s.to(Transition{From: Relisting, To: Live, RV: "300"})
	st = s.status()
	if st.RV != "300" || st.Gaps != 1 || st.Reconnects != 1 || st.Objects != 1 || st.LastFrame != frame || st.Deleted != 1 {
		t.Fatalf("after the relist: %+v; synthetic changes are no frames", st)
	}
	s.to(Transition{From: Live, To: Syncing})
	if st = s.status(); st.Synced != 0 || st.Total != 0 {
		t.Errorf("a new list counts anew: %+v", st)
	}
}

func TestRateIsAsOfTheTimeAskedFor(t *testing.T) {
	var r rate
	at := func(s int64) time.Time { return time.Unix(s, 5) }
	for _, s := range []int64{1000, 1000, 1003, 1001, 900} { // late ones count where they belong, or not at all
		r.add(at(s))
	}
	out := r.asOf(at(1004))
	if out[RateSeconds-1] != 0 || out[RateSeconds-2] != 1 || out[RateSeconds-4] != 1 || out[RateSeconds-5] != 2 {
		t.Errorf("%v", out)
	}
	if out := r.asOf(at(1003 + RateSeconds)); out != [RateSeconds]uint32{} {
		t.Errorf("all is long ago: %v", out)
	}
	if r.add(at(5000)); r.asOf(at(5000))[RateSeconds-1] != 1 || r.asOf(at(5000))[0] != 0 {
		t.Errorf("after a pause: %v", r.asOf(at(5000)))
	}
	var zero rate
	zero.add(time.Time{})
}

func TestTheSameObjectThroughTwoStreams(t *testing.T) {
	l := NewLog(Options{})
	all := l.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	shop := l.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod", Namespace: "shop"})
	other := l.AddStream(StreamInfo{Context: "d", Version: "v1", Resource: "pods", Kind: "Pod"})
	send := func(st StreamID, typ Type, rv string) Event {
		return l.Append(Record{Stream: st, Type: typ, Raw: objectJSON("a", rv)})
	}
	first := send(all, Added, "5")
	if e := send(shop, Added, "5"); e.Object != first.Object || e.Version != 1 || !e.Has(Replayed) {
		t.Errorf("again, by another stream: %+v", e)
	}
	if e := send(other, Added, "5"); e.Object == first.Object || e.Has(Replayed) {
		t.Errorf("of another cluster: %+v", e)
	}
	send(all, Modified, "6")
	send(all, Modified, "7")
	if e := send(shop, Modified, "6"); e.Version != 2 || !e.Has(Replayed) {
		t.Errorf("a stream that lags: %+v", e)
	}
	send(all, Deleted, "8")
	if !l.ExistsIn(first.Object, shop) || l.ExistsIn(first.Object, all) {
		t.Error("it is for each stream to say that the object is gone")
	}
	if e := send(shop, Deleted, "8"); e.Version != 4 || e.Has(Replayed) {
		t.Errorf("the deletion that makes it gone everywhere: %+v", e)
	}
	if k, exists, ok := l.Lookup(l.Identity(first.Object)); !ok || exists || k.Version != 4 || k.RV != 8 {
		t.Errorf("Lookup: %+v %v %v", k, exists, ok)
	}
}

func TestANameHeldByAnotherUID(t *testing.T) {
	s := newScript(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	old := s.add(Record{Type: Added, Raw: objectJSON("a", "1")})
	fresh := s.add(Record{Type: Added, Raw: []byte(strings.Replace(string(objectJSON("a", "2")), "uid-a", "uid-b", 1))})
	if !fresh.Has(Recreated) || fresh.Object == old.Object || fresh.Version != 1 {
		t.Errorf("%+v", fresh)
	}
	if id := s.log.Identity(old.Object); s.log.Named(id) != fresh.Object || id.UID != "uid-a" {
		t.Errorf("the name leads to %d", s.log.Named(id))
	}
}

func TestSecretValuesDoNotEnter(t *testing.T) {
	value := base64.StdEncoding.EncodeToString([]byte("not to be seen"))
	secret := fmt.Appendf(nil, `{"data":{"password":%q},"metadata":{"name":"db","namespace":"shop","uid":"u","resourceVersion":"1"}`, value)
	for name, c := range map[string]struct {
		info StreamInfo
		raw  []byte
	}{
		"of a list, without kind": {StreamInfo{Version: "v1", Resource: "secrets"}, append(bytes.Clone(secret), '}')},
		"by another stream":       {StreamInfo{Version: "v1", Resource: "things"}, append(bytes.Clone(secret), `,"kind":"Secret","apiVersion":"v1"}`...)},
		"cut":                     {StreamInfo{Version: "v1", Resource: "secrets"}, secret},
		"followed by garbage":     {StreamInfo{Version: "v1", Resource: "secrets"}, append(bytes.Clone(secret), `}}`...)},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(c.info)
			e := s.add(Record{Type: Added, Raw: c.raw})
			raw, ok := s.log.Bytes(e.Object, e.Version)
			if !ok || bytes.Contains(raw, []byte(value)) || bytes.Contains(raw, []byte("not to be seen")) {
				t.Errorf("%v %s", ok, raw)
			}
		})
	}
}

func TestVersionsWithoutNumericResourceVersions(t *testing.T) {
	s := newScript(StreamInfo{Context: "c", Version: "v1", Resource: "things", Kind: "Thing"})
	a := s.add(Record{Type: Added, Raw: objectJSON("a", "x-1")})
	again := s.add(Record{Type: Modified, Raw: objectJSON("a", "x-1")})
	next := s.add(Record{Type: Modified, Raw: objectJSON("a", "x-2")})
	if a.Version != 1 || again.Version != 1 || !again.Has(Replayed) || next.Version != 2 || next.RV != 0 {
		t.Errorf("%+v\n%+v\n%+v", a, again, next)
	}
	if st := s.status(); st.RV != "x-2" {
		t.Errorf("RV %q", st.RV)
	}
}

func TestEveryReaderIsWokenOnce(t *testing.T) {
	s := newScript(StreamInfo{})
	one, cancel := s.log.Subscribe()
	for range 3 {
		s.add(Record{Type: Noted, Detail: Note{}})
	}
	for name, c := range map[string]<-chan struct{}{"Wake": s.log.Wake(), "Subscribe": one} {
		if len(c) != 1 {
			t.Errorf("%s: %d wake-ups pending", name, len(c))
		}
	}
	<-one
	cancel()
	if s.add(Record{Type: Noted}); len(one) != 0 {
		t.Error("woken after cancel")
	}
}

// A stream that tries again has not recovered: what it failed of is kept.
func TestTheFailureLastsUntilTheStreamIsWell(t *testing.T) {
	s := newScript(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	for _, step := range []struct {
		to    State
		cause Cause
		want  Cause
	}{
		{Connecting, CauseStart, ""}, {Live, "", ""}, {Overdue, CauseDeadline, ""}, {Backoff, CauseCut, CauseCut},
		{Connecting, "", CauseCut}, {Backoff, CauseHostDown, CauseCut}, {Connecting, "", CauseCut}, {Backoff, CauseRefused, CauseRefused},
		{Expired, CauseExpired, CauseExpired}, {Relisting, "", CauseExpired}, {Live, "", ""}, {Denied, CauseForbidden, CauseForbidden}, {Paused, CauseUser, ""},
		{Live, "", ""}, {Connecting, CausePing, CausePing}, {Connecting, "", CausePing}, {Live, "", ""},
	} {
		s.to(Transition{To: step.to, Cause: step.cause})
		if got := s.status().Failure.Cause; got != step.want {
			t.Errorf("in %v after %q the failure is %q, want %q", step.to, step.cause, got, step.want)
		}
	}
}
