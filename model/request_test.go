package model

import (
	"testing"
	"time"
)

func request(n int64) *Request {
	return &Request{Number: n, Verb: VerbList, Path: "/api/v1/pods", Query: "limit=500", Sent: time.Unix(1_000_000, 0), Status: 200,
		Header: []string{"Audit-Id: a", "Date: Mon, 12 Jan 1970 13:46:42 GMT"}, Wait: time.Second, Ended: true}
}

// A step that only tells of a request leaves the stream as it was.
func TestABareStepChangesNothing(t *testing.T) {
	s := newScript(StreamInfo{Resource: "pods"})
	s.to(Transition{To: Connecting})
	s.to(Transition{From: Connecting, To: Syncing, Text: "reading"})
	want := s.status()
	s.to(Transition{From: Syncing, To: Syncing, Request: request(1), Bytes: 5, RV: "7", Status: 200})
	if got := s.status(); !got.Since.Equal(want.Since) || !got.Last.Equal(want.Last) || got.Reconnects != want.Reconnects || got.RV != "" {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, step := range []Transition{
		{From: Live, To: Live}, {From: Live, To: Backoff, Request: request(1)}, {From: Syncing, To: Syncing, Total: 5, Request: request(1)},
		{From: Polling, To: Polling, Cause: CauseNotWatchable, Request: request(1)}, {From: Connecting, To: Connecting, Text: "awaiting headers", Request: request(1)},
	} {
		if step.Bare() {
			t.Errorf("%+v is more than a request", step)
		}
	}
}

func TestStepsAreComparedWithTheirRequests(t *testing.T) {
	a := Transition{To: Live, Request: request(1)}
	if b := (Transition{To: Live, Request: request(1)}); a == b || !a.Equal(b) {
		t.Error("the same step, told twice")
	}
	other := request(1)
	other.Header = []string{"Audit-Id: b"}
	for _, b := range []Transition{{To: Live}, {To: Live, Request: request(2)}, {To: Live, Request: other}, {To: Quiet, Request: request(1)}} {
		if a.Equal(b) {
			t.Errorf("%+v", b)
		}
	}
	if !(Transition{To: Live}).Equal(Transition{To: Live}) {
		t.Error("two without a request")
	}
}

func TestSkew(t *testing.T) {
	q := request(1) // asked at 13:46:40, and answered by then at :42 within a second
	if ahead, known := q.Skew(); !known || ahead != 2*time.Second {
		t.Errorf("%v %v", ahead, known)
	}
	q.Wait = 3 * time.Second
	if _, known := q.Skew(); known {
		t.Error("headers that were held back tell the time")
	}
	if _, known := (&Request{Header: []string{"Date: yesterday"}}).Skew(); known {
		t.Error("no date")
	}
}

// Requests count in the budget of a log, and leave with their rows.
func TestRequestsLeaveTheLog(t *testing.T) {
	l := NewLog(Options{Budget: 4 << 20})
	id := l.AddStream(StreamInfo{Resource: "pods"})
	const n = 40_000
	for i := range n {
		l.Append(Record{Time: time.Unix(int64(i), 0), Stream: id, Type: StreamChange, Detail: Transition{From: Live, To: Live, Request: request(int64(i))}})
	}
	s := l.Stats()
	if s.Bytes > s.Budget || s.Evicted == 0 || s.Rows < 1000 {
		t.Errorf("%+v", s)
	}
	var held int64
	for snap, seq := l.Snapshot(), l.Snapshot().First(); seq < snap.End(); seq++ {
		held += detailMemory(snap.At(seq).Detail)
	}
	if l.details != held {
		t.Errorf("the log counts %d bytes of details, and holds %d", l.details, held)
	}
}
