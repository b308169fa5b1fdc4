package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"rewatch/model"
	"rewatch/watch/tape"
)

// eventLines parses an export as a consumer does, numbers as they stand there.
func eventLines(t testing.TB, out string) []map[string]any {
	t.Helper()
	var lines []map[string]any
	sc := bufio.NewScanner(strings.NewReader(out))
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		d := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		d.UseNumber()
		var m map[string]any
		if err := d.Decode(&m); err != nil || d.More() {
			t.Fatalf("%.300s: %v", sc.Text(), err)
		}
		for _, r := range sc.Text() {
			if !unicode.IsGraphic(r) {
				t.Fatalf("%U stands in a line as it is", r)
			}
		}
		lines = append(lines, m)
	}
	if n := len(lines); lines[0]["type"] != "TAPE" || lines[n-1]["type"] != "END" {
		t.Fatalf("begins with %v and ends with %v", lines[0], lines[n-1])
	}
	return lines
}

func jsonOf(v any) string { b, _ := json.Marshal(v); return string(b) }

func TestEventsSayWhatHappened(t *testing.T) {
	out, result := exported(t, recorded(t, trouble(t, hostile)), "events-json", Options{Name: "a tape", FilterText: ""})
	lines := eventLines(t, out)
	if len(lines) != int(result.Rows)+2 || jsonOf(lines[len(lines)-1]["rows"]) != itoa(int(result.Rows)) {
		t.Errorf("%d lines for %d rows", len(lines), result.Rows)
	}
	count := map[string]int{}
	for _, l := range lines {
		count[l["type"].(string)]++
	}
	want := map[string]int{"TAPE": 1, "END": 1, "ADDED": 15, "MODIFIED": 11, "DELETED": 2, "BOOKMARK": 1, "STREAM": 14, "GAP": 1, "NOTE": 1, "LOST": 1, "FRAME": 1}
	if jsonOf(count) != jsonOf(want) {
		t.Errorf("types %v, want %v", count, want)
	}
	find := func(ok func(l map[string]any) bool) string {
		for _, l := range lines {
			if ok(l) {
				return jsonOf(l)
			}
		}
		return ""
	}
	for _, c := range []struct {
		ok   func(l map[string]any) bool
		want []string
	}{
		{func(l map[string]any) bool { return l["type"] == "GAP" }, []string{`"fromResourceVersion":"231"`, `"toResourceVersion":"402"`, `"seconds":13`, `"since":"2026-12-01T12:00:20.250000000Z"`, `"deleted":1`}},
		{func(l map[string]any) bool { return l["type"] == "LOST" }, []string{`"lost":17`, `"stream":"events"`}},
		{func(l map[string]any) bool { return l["type"] == "FRAME" }, []string{`"code":410`, `"summary":"ERROR 410 Expired too old resource version: 160 (900)"`}},
		{func(l map[string]any) bool { return l["name"] == "web-0" && l["type"] == "MODIFIED" }, []string{`"path":"spec.budget"`, `"new":9007199254740993`, `"old":1`,
			`"managers":["kubelet"]`, `"old":"Running"`, `"new":"Pending"`, `"time":"2026-12-01T12:00:10.250000000Z"`, `"version":2`, `"resourceVersion":"200"`}},
		{func(l map[string]any) bool {
			return l["name"] == "web-6" && strings.Contains(jsonOf(l["flags"]), "synthetic")
		}, []string{`"new":"Failed"`}},
		{func(l map[string]any) bool { return l["type"] == "STREAM" && strings.Contains(jsonOf(l), "DENIED") }, []string{`"from":"LIVE"`, `"cause":"forbidden"`, `"scope":"shop"`}},
		{func(l map[string]any) bool {
			return l["name"] == "web-3" && strings.Contains(jsonOf(l["flags"]), "recreated")
		}, []string{`"type":"ADDED"`}},
		{func(l map[string]any) bool { return l["name"] == hostile }, []string{`"type":"ADDED"`}},
	} {
		got := find(c.ok)
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("no %s in %.600s", w, got)
			}
		}
	}
}

// TestLongValuesAreCut: and say how long they are.
func TestLongValuesAreCut(t *testing.T) {
	long := strings.Repeat("ü", 5000)
	tp := recorded(t, func(w *tape.Writer) {
		s := w.AddStream(model.StreamInfo{Resource: "configmaps", Version: "v1", Kind: "ConfigMap", Namespaced: true})
		for i, v := range []string{"short", long} {
			if err := w.Append(model.Record{Time: at(float64(i)), Stream: s, Type: model.Type(i) + model.Added, Raw: []byte(configMap(i+1, v))}); err != nil {
				t.Fatal(err)
			}
		}
	})
	out, _ := exported(t, tp, "events-json", Options{})
	l := eventLines(t, out)[2]
	change := l["changes"].([]any)[0].(map[string]any)
	if got := change["new"].(string); len(got) > maxValue || !strings.HasPrefix(got, `"üüü`) || jsonOf(change["newBytes"]) != "10002" {
		t.Errorf("%.60s… of %v bytes", got, change["newBytes"])
	}
}

// TestTheFirstChangeHasItsOldState: though what was before is not in the span.
func TestTheFirstChangeHasItsOldState(t *testing.T) {
	tp := recorded(t, trouble(t, "x"))
	out, result := exported(t, tp, "events-json", Options{From: at(10), To: at(10.1)})
	lines := eventLines(t, out)
	if result.Rows != 1 || !strings.Contains(jsonOf(lines[1]), `"old":"Running"`) {
		t.Errorf("%d rows: %s", result.Rows, jsonOf(lines))
	}
	if jsonOf(lines[0]["from"]) != jsonOf(stamp(at(10))) {
		t.Errorf("from %v", lines[0]["from"])
	}
	// And the streams are known to be up.
	page, _ := exported(t, tp, "markdown", Options{From: at(10), To: at(10.1)})
	if !strings.Contains(page, "| pods | LIVE | 100.0 % |") {
		t.Errorf("%s", page)
	}
}

// TestDamageIsSaid: in every format that has rows, and to the caller.
func TestDamageIsSaid(t *testing.T) {
	file := written(t, func(w *tape.Writer) {
		trouble(t, "x")(w)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	})
	torn := opened(t, file[:len(file)*3/4])
	for _, f := range Formats() {
		told := 0
		out, result := exported(t, torn, f.Name, Options{Damaged: func(*tape.Damage) { told++ }})
		if told == 0 || result.Damages != told {
			t.Errorf("%s: told %d times of %d", f.Name, told, result.Damages)
		}
		switch f.Name {
		case "parquet":
			out = parquetText(t, out)
		case "watch-json":
			continue
		}
		if !strings.Contains(strings.ToLower(out), "damage") {
			t.Errorf("%s does not say that the tape is damaged", f.Name)
		}
	}
}

// TestFilterNeverHidesAGap in any format that has rows.
func TestFilterNeverHidesAGap(t *testing.T) {
	tp := recorded(t, trouble(t, "x"))
	out, _ := exported(t, tp, "events-json", Options{Filter: words("configmap"), FilterText: "configmap"})
	types := map[any]int{}
	for _, l := range eventLines(t, out) {
		types[l["type"]]++
		if n := l["kind"]; n != nil && n != "ConfigMap" {
			t.Errorf("a row of a %v", n)
		}
	}
	if types["GAP"] != 1 || types["LOST"] != 1 || types["MODIFIED"] != 1 {
		t.Errorf("types %v", types)
	}
	md, _ := exported(t, tp, "markdown", Options{Filter: words("configmap"), FilterText: "configmap"})
	for _, want := range []string{"═══ GAP ═══", "═══ LOST ═══", "only rows that match configmap", "| pods | LIVE | "} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in\n%s", want, md)
		}
	}
}

func TestMarkdownEscapes(t *testing.T) {
	md, _ := exported(t, recorded(t, trouble(t, hostile+" [a](javascript:x) @alice #12 ![x](y) **b** http://evil.example")), "markdown", Options{Name: hostile})
	for _, bad := range []string{"<script", "<img", "<svg", "</", "[a](", "![x]", " **b**", "@alice", "#12", "http://", "\u202e", "\x1b"} {
		if strings.Contains(strings.ReplaceAll(md, "</sub>", ""), bad) && !strings.Contains(md, "\\"+bad) {
			t.Errorf("%q stands in it", bad)
		}
	}
	for _, l := range strings.Split(md, "\n") {
		if n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|"); strings.HasPrefix(l, "| ") && n != 6 && n != 10 {
			t.Errorf("%d bars in %s", n, l)
		}
	}
}

func TestGuess(t *testing.T) {
	for path, want := range map[string]string{"a.jsonl": "watch-json", "a.json": "events-json", "A.HTML": "html", "x/y.md": "markdown", "b.parquet": "parquet", "c": "", "d.txt": "", "-": ""} {
		if got, ok := Guess(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", path, got, ok)
		}
	}
}

func TestInterrupted(t *testing.T) {
	tp := imported(t, shop(t))
	for _, f := range Formats() {
		ctx, cancel := context.WithCancel(context.Background())
		o := Options{Progress: func(done, total int64) {
			if done > total/3 {
				cancel()
			}
		}}
		if _, err := Write(ctx, tp, &bytes.Buffer{}, f.Name, o); err != context.Canceled {
			t.Errorf("%s: %v", f.Name, err)
		}
		cancel()
	}
}
