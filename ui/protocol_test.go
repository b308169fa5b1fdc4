package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// protocol lets the pods of the script have requests of all kinds, as an engine
// tells of them.
func (d *driver) protocol() {
	id, now := d.demo.streams["prod-eu/pods"], d.now.Add(-8*time.Minute)
	n, state := int64(0), model.Live
	path := "/api/v1/namespaces/shop/pods"
	say := func(to model.State, cause model.Cause, text string, q model.Request) {
		d.demo.log.Append(model.Record{Time: now, Stream: id, Type: model.StreamChange,
			Detail: model.Transition{From: state, To: to, Cause: cause, Text: text, Request: &q}})
		state = to
	}
	send := func(verb, query string, lived time.Duration, status int, to model.State, cause model.Cause, text string, header ...string) {
		n++
		q := model.Request{Number: n, Verb: verb, Path: path, Query: query, Sent: now}
		say(model.Connecting, model.CauseNone, "", q)
		if status > 0 {
			q.Status, q.Proto, q.Wait = status, "HTTP/2.0", 12*time.Millisecond
			q.Header = append([]string{fmt.Sprintf("Audit-Id: 7e3c9a40-0000-4000-8000-%012d", n), "Content-Type: application/json",
				"Date: " + now.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), "X-Kubernetes-Pf-Flowschema-Uid: 2b1f7c11-5e0c-4f6e-9d5a-0a4a6f0e7c11"}, header...)
		}
		now = now.Add(lived)
		q.Took, q.Bytes, q.Frames = lived, 1_240_000, 500
		if to != model.Live {
			q.Ended, q.Cause, q.Text = true, cause, text
		}
		say(to, cause, text, q)
	}
	const watch = "allowWatchBookmarks=true&labelSelector=app+in+%28cart%2Ccheckout%29&resourceVersion=83120&timeoutSeconds=271&watch=true"
	send(model.VerbList, "labelSelector=app+in+%28cart%2Ccheckout%29&limit=500", 400*time.Millisecond, 200, model.Syncing, "", "one page, 204 objects more")
	send(model.VerbList, "continue=eyJ2IjoibWV0%E2%80%A6&labelSelector=app+in+%28cart%2Ccheckout%29&limit=500", 310*time.Millisecond, 200, model.Syncing, "", "the whole list")
	send(model.VerbWatch, watch, 271*time.Second, 200, model.Rotating, model.CauseTimeout, "rotated after 4m31s")
	send(model.VerbWatch, watch, 11*time.Second, 200, model.Backoff, model.CauseCut, "connection cut: unexpected EOF (212 bytes of an unfinished frame dropped)")
	send(model.VerbWatch, watch, 0, 0, model.Backoff, model.CauseRefused, "connection refused")
	send(model.VerbWatch, watch, 8*time.Millisecond, 429, model.Backoff, model.CauseThrottled, "429 too many requests, please try again later", "Retry-After: 5", `Warning: 299 - "slow down"`)
	send(model.VerbWatch, watch, 14*time.Second, 200, model.Expired, model.CauseExpired, "history expired: 410 too old resource version: 83120 (84377)")
	send(model.VerbWatchList, "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeoutSeconds=288&watch=true", time.Second, 200,
		model.Live, "", "")
	for i := range 3 {
		d.demo.pod(now, "prod-eu", d.demo.pods[i], model.Modified, 0, "Running", 0)
	}
	d.wait(0)
}

func TestProtocolShowsEveryRequestOfAStream(t *testing.T) {
	d := newDriver(t, 160, 40, "mono")
	d.script()
	d.protocol()
	d.press("g", "s", "enter")
	d.has("▸Protocol")
	d.has("8 requests, 3 failed · follow")
	for _, want := range []string{"list", "watch-list", "429", "connection refused", "rotated after 4m31s", "one page, 204 objects more", "✗", "✓", "»"} {
		d.has(want)
	}
	if line := d.cursorLine(); !strings.Contains(line, "watch-list") || !strings.Contains(line, "open") || !strings.Contains(line, "500") {
		t.Errorf("the cursor is on %q", line)
	}
	// What it is about stands below, with a command that sends it again.
	d.seek("429")
	d.has("429 too many requests, please try again later")
	d.has("Retry-After")
	d.has("labelSelector=app in (cart,checkout)")
	d.has("kubectl --context prod-eu get --raw '/api/v1/namespaces/shop/pods?allowWatchBookmarks=true")
	d.has("agrees with ours")
	d.has("f follows")
	// It stays there while requests come, and follows again when it is told to.
	d.demo.step(d.now, "prod-eu/pods", model.Stopped, model.CauseShutdown, "", time.Time{}, 0)
	d.demo.log.Append(model.Record{Time: d.now, Stream: 0, Type: model.StreamChange, Detail: model.Transition{From: model.Stopped, To: model.Connecting,
		Request: &model.Request{Number: 9, Verb: model.VerbWatch, Path: "/api/v1/pods", Sent: d.now}}})
	d.wait(2 * time.Second)
	if line := d.cursorLine(); !strings.Contains(line, "429") {
		t.Errorf("the cursor went to %q", line)
	}
	d.press("f")
	if line := d.cursorLine(); !strings.Contains(line, "awaiting headers") {
		t.Errorf("the cursor is on %q", line)
	}
	// Other streams are beside it; the way back is that of all pages.
	d.press("l")
	d.has("deployments")
	d.has("tells of no request")
	d.press("h", "esc")
	d.hasNot("▸Protocol")
}

// A server's words and headers are text, whatever they hold.
func TestProtocolOfAHostileServer(t *testing.T) {
	d := newDriver(t, 80, 24, "dark")
	d.script()
	evil := "\x1b]52;c;aGk=\x07\u009b31m\u202e" + strings.Repeat("漢🏽\u0301", 200)
	d.demo.log.Append(model.Record{Time: d.now, Stream: 0, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Backoff, Cause: model.CauseGarbage,
		Request: &model.Request{Number: 1, Verb: evil, Path: "/api/" + evil + "'; rm -rf '", Query: "x=" + evil + "&%zz", Sent: d.now, Status: 200, Proto: evil,
			Header: []string{"Audit-Id: " + evil, evil, "Date: " + evil}, Ended: true, Cause: model.CauseGarbage, Text: evil}}})
	d.wait(0)
	d.press("g", "s", "enter")
	if s := d.app.View().Content; strings.ContainsAny(s, "\u009b\u202e\x07") {
		t.Errorf("%q", s)
	}
	d.screen()
	if cmd := kubectlRaw("", &model.Request{Path: "/api/'; rm -rf '"}); strings.Count(cmd, "'") != 2 {
		t.Errorf("a shell would run %s", cmd)
	}
	if cmd := kubectlRaw("a; b", &model.Request{Path: "/api"}); cmd != "kubectl --context 'a; b' get --raw '/api'" {
		t.Errorf("a shell would run %s", cmd)
	}
	if cmd := kubectlRaw("prod", &model.Request{Path: "/api/v1/pods", Query: "limit=500&continue=eyJ2IjoibWV0…"}); cmd != "" {
		t.Errorf("a cut token is sent: %s", cmd)
	}
}

// What is read for the page are the rows that came, and what leaves the log
// leaves the page.
func TestProtocolForgetsWhatLeavesTheLog(t *testing.T) {
	p := &protocol{}
	q := func(n int64, seq model.Seq) told { return told{Request: &model.Request{Number: n}, seq: seq} }
	p.take(nil, pageMsg{data: requestsRead{list: []told{{}, q(1, 10), q(2, 20), q(3, 30)}, next: 40}})
	p.take(nil, pageMsg{data: requestsRead{list: []told{{frames: 7}, q(4, 50)}, next: 60, first: 25}})
	if len(p.list) != 2 || p.list[0].Number != 3 || p.list[0].frames != 7 || p.cursor != 1 {
		t.Errorf("%d requests from %d on, the cursor on %d", len(p.list), p.list[0].Number, p.cursor)
	}
	p.take(nil, pageMsg{request: 5, data: requestsRead{list: []told{{}, q(9, 90)}}})
	if len(p.list) != 2 {
		t.Error("an answer that came too late was taken")
	}
}
