package export

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

// start is when the troubled recording begins.
var start = time.Date(2026, 12, 1, 12, 0, 0, 250_000_000, time.UTC)

func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

// hostile is what a cluster may hold to break out of whatever shows it.
const hostile = "</script></noscript></style></details>\"'><img src=x onerror=alert(1)><svg onload=alert(1)>\u202e\u2066\u200b\x1b[31m{{.}}${x}`|\n&lt;b&gt;--><!--]]>"

// trouble records a cluster in trouble: streams that fail, gaps, frames that
// the recorder lost, error frames, a restart, and names that attack.
func trouble(t testing.TB, attack string) func(w *tape.Writer) {
	return func(w *tape.Writer) {
		pods := w.AddStream(model.StreamInfo{Context: "prod-eu", Server: "10.0.0.1:6443", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
		maps := w.AddStream(model.StreamInfo{Context: "prod-eu", Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true, Namespace: "shop"})
		events := w.AddStream(model.StreamInfo{Context: "prod-eu", Version: "v1", Resource: "events", Kind: "Event", Namespaced: true, Uncached: true})
		write := func(sec float64, s model.StreamID, typ model.Type, flags model.Flag, raw string) {
			if err := w.Append(model.Record{Time: at(sec), Stream: s, Type: typ, Flags: flags, Raw: []byte(raw)}); err != nil {
				t.Fatal(err)
			}
		}
		detail := func(sec float64, s model.StreamID, typ model.Type, d any) {
			if err := w.Append(model.Record{Time: at(sec), Stream: s, Type: typ, Detail: d}); err != nil {
				t.Fatal(err)
			}
		}
		step := func(sec float64, s model.StreamID, from, to model.State, cause model.Cause, text string) {
			d := model.Transition{From: from, To: to, Cause: cause, Text: text}
			if to == model.Backoff {
				d.Attempt, d.Until = 2, at(sec+2)
			}
			detail(sec, s, model.StreamChange, d)
		}
		for i, s := range []model.StreamID{pods, maps, events} {
			step(0.01*float64(i), s, model.Idle, model.Connecting, model.CauseStart, "")
			step(0.1+0.01*float64(i), s, model.Connecting, model.Syncing, "", "")
		}
		for i := range 12 {
			write(0.2, pods, model.Added, model.Initial, pod(fmt.Sprintf("web-%d", i), 100+i, "Running", ""))
		}
		write(0.21, maps, model.Added, model.Initial, configMap(50, "a: 1\nb: 2\nc: 3\n"))
		step(0.3, pods, model.Syncing, model.Live, "", "")
		step(0.31, maps, model.Syncing, model.Live, "", "")
		step(0.32, events, model.Syncing, model.Quiet, "", "")
		write(5, pods, model.Bookmark, 0, `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"150"}}`)
		write(8, maps, model.Modified, 0, configMap(160, "a: 1\nb: 20\nc: 3\nd: 4\n"))
		for i := range 8 {
			write(10+float64(i)*0.2, pods, model.Modified, 0, pod(fmt.Sprintf("web-%d", i), 200+i, "Pending", "9007199254740993"))
		}
		detail(12, pods, model.Noted, model.Note{Cause: causeMark, Text: "deploy began"})
		write(13, pods, model.Added, 0, pod(attack, 220, attack, ""))
		write(14, pods, model.Deleted, 0, pod("web-3", 230, "Failed", ""))
		write(15, pods, model.Added, 0, strings.Replace(pod("web-3", 231, "Pending", ""), `-x"`, `-again"`, 1))
		step(20, pods, model.Live, model.Backoff, model.CauseRefused, "connection refused: "+attack)
		if err := w.AppendFrame(model.Record{Time: at(21), Stream: maps}, []byte(`{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old resource version: 160 (900)"}}`)); err != nil {
			t.Fatal(err)
		}
		step(32, pods, model.Backoff, model.Expired, model.CauseExpired, "the server no longer has resourceVersion 231")
		step(32.1, pods, model.Expired, model.Relisting, model.CauseExpired, "")
		write(33, pods, model.Deleted, model.Synthetic, pod("web-5", 205, "Pending", "9007199254740993"))
		write(33, pods, model.Modified, model.Synthetic, pod("web-6", 400, "Failed", ""))
		detail(33, pods, model.GapFound, model.Gap{FromRV: "231", ToRV: "402", Since: at(20), Took: 13 * time.Second, Cause: model.CauseExpired,
			Text: "410 expired", Modified: 1, Deleted: 1})
		step(33.1, pods, model.Relisting, model.Live, "", "")
		if err := w.Lost(at(40), events, 17, "500", "517"); err != nil {
			t.Fatal(err)
		}
		step(50, maps, model.Live, model.Denied, model.CauseForbidden, "configmaps is forbidden")
		write(60, pods, model.Modified, 0, pod("web-1", 600, "Running", "9007199254740993"))
	}
}

func pod(name string, rv int, phase, big string) string {
	if big == "" {
		big = "1"
	}
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%s,"namespace":"shop","uid":"u-%d-x","resourceVersion":"%d","annotations":{"note":%s},`+
		`"managedFields":[{"manager":"kubelet","operation":"Update","time":"%s","fieldsV1":{"f:status":{"f:phase":{}}}}]},"spec":{"budget":%s},"status":{"phase":%s}}`,
		quote(name), len(name)*1000+int(name[len(name)-1]), rv, quote(phase), start.Add(time.Duration(rv)*time.Millisecond*50).Format(time.RFC3339), big, quote(phase))
}

func quote(s string) string { return string(jsonscan.AppendQuote(nil, s)) }

func configMap(rv int, text string) string {
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"app","namespace":"shop","uid":"u-app","resourceVersion":"%d"},"data":{"app.yaml":%s}}`, rv, quote(text))
}
