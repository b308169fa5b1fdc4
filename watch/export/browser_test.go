package export

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// browser is a Chromium that is driven over its debugging pipe.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	n       int
	// complaints are what the page did wrong: exceptions, refusals by its
	// policy, dialogs. requests are the addresses that it asked for.
	complaints, requests []string
}

// openBrowser starts one, or skips the test where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skip("no chromium here: the page is not looked at in a browser")
	}
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
		"--window-size=1500,950", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = in.Close(), out.Close()
	b := &browser{t: t, to: to, from: bufio.NewReaderSize(from, 1<<20)}
	t.Cleanup(func() {
		b.session = ""
		_, _ = fmt.Fprintf(to, `{"id":999999,"method":"Browser.close"}%c`, 0)
		_ = cmd.Wait()
		cancel()
		_, _ = to.Close(), from.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call makes a call and waits for its answer; what happens meanwhile is noted.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.n++
	m := map[string]any{"id": b.n, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	text, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		b.t.Fatal(method, err)
	}
	for {
		id, answer := b.read()
		if id != b.n {
			continue
		}
		if result != nil {
			if err := json.Unmarshal(answer, result); err != nil {
				b.t.Fatal(method, err)
			}
		}
		return
	}
}

func (b *browser) read() (id int, result json.RawMessage) {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err != nil {
		b.t.Fatal("the browser went away: ", err)
	}
	var m struct {
		ID            int
		Method        string
		Params        json.RawMessage
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
		b.t.Fatal(err)
	}
	switch {
	case m.Error != nil:
		b.t.Fatalf("%s", m.Error)
	case m.Method == "Runtime.exceptionThrown", m.Method == "Log.entryAdded", m.Method == "Page.javascriptDialogOpening":
		b.complaints = append(b.complaints, fmt.Sprintf("%s %.400s", m.Method, m.Params))
	case m.Method == "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		_ = json.Unmarshal(m.Params, &p)
		b.requests = append(b.requests, p.Request.URL)
	}
	return m.ID, m.Result
}

// open opens a file and waits until it is there.
func (b *browser) open(path, hash string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + path + hash}, nil)
	b.until(`document.readyState === "complete" && location.protocol === "file:"`)
}

// eval evaluates an expression, which is a text or made one.
func (b *browser) eval(expression string) string {
	b.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": "String(" + expression + ")", "returnByValue": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %.300s", expression, r.ExceptionDetails)
	}
	return fmt.Sprint(r.Result.Value)
}

func (b *browser) until(condition string) {
	b.t.Helper()
	for end := time.Now().Add(3 * time.Minute); b.eval(condition) != "true"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("never: %s", condition)
		}
	}
}

// key presses one key.
func (b *browser) key(key string) {
	b.t.Helper()
	p := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		p["text"] = key
	}
	b.call("Input.dispatchKeyEvent", p, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

func (b *browser) typed(text string) {
	b.t.Helper()
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}

// keep writes what is seen to the directory of REWATCH_KEEP_SCREENS, if set.
func (b *browser) keep(name string) {
	b.t.Helper()
	dir := os.Getenv("REWATCH_KEEP_SCREENS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// content fails if the page did anything that it must not.
func (b *browser) content(path string) {
	b.t.Helper()
	for _, c := range b.complaints {
		b.t.Errorf("complaint: %s", c)
	}
	for _, r := range b.requests {
		if r, _, _ = strings.Cut(r, "#"); r != "file://"+path && r != "about:blank" {
			b.t.Errorf("the page asked for %s", r)
		}
	}
}

func keepPage(t *testing.T, page string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPageInABrowser walks through a page of a cluster in trouble, whose names
// attack the page, by keys.
func TestPageInABrowser(t *testing.T) {
	if os.Getenv("REWATCH_BROWSER") == "" {
		t.Skip("takes a browser, and ten seconds: set REWATCH_BROWSER=1")
	}
	page, result := exported(t, recorded(t, trouble(t, hostile)), "html", Options{Name: hostile})
	path := keepPage(t, page)
	b := openBrowser(t)
	b.open(path, "")
	found := `document.getElementById("found").textContent`
	selected := `document.querySelector("#view li[aria-selected=true] .w")?.textContent`
	expect := func(expression, want string) {
		t.Helper()
		got := ""
		for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if got = b.eval(expression); strings.Contains(got, want) {
				return
			}
		}
		t.Errorf("%s is %q, not %q", expression, got, want)
	}
	expect(`document.documentElement.className`, "js")
	expect(found, fmt.Sprintf("of %d rows", result.Rows)) // the states of watches are off at first
	b.keep("start")

	b.key("/")
	b.typed("web-6 phase failed -kind:event")
	b.until(`document.getElementById("found").textContent.startsWith("3 of")`) // one change, and what may be missing
	b.key("Enter")
	b.key("j")
	expect(selected, "Pending→Failed")
	expect(`document.querySelector("#detail h2")?.textContent`, "Pod shop/web-6")
	expect(`document.querySelector("#detail table")?.textContent`, "Failed")
	expect(`location.hash`, "q=web-6")
	b.key("Escape")
	b.key("Home")
	b.key("]")
	expect(selected, "Failed") // the deletion
	b.key("o")
	expect(`document.getElementById("object").textContent`, "only Pod shop/web-3")
	expect(`document.querySelector("#detail ol")?.children.length`, "3")
	b.key("o")
	b.key("]")
	b.key("]")
	expect(selected, "ERROR 410")
	b.keep("error")
	b.key("t")
	b.typed("12:00:13")
	b.key("Enter")
	expect(selected, "</script></noscript>")
	expect(`document.querySelector("#detail h2")?.textContent`, "</script></noscript></style>")
	b.keep("attack")
	expect(`document.querySelectorAll("img,svg[onload],iframe").length`, "0")

	// What the address says is shown, even if it makes no sense.
	b.open(path, "#q=kind%3Aconfigmap&row=11")
	expect(`document.querySelector("#detail pre")?.textContent`, "b: 20")
	b.keep("text")
	b.open(path, "#row=99999&obj=-7&off=zz&kind=%3Cscript%3E&q=%22")
	expect(found, "of")

	// On paper everything that matches is there.
	b.open(path, "#q=web")
	b.eval(`dispatchEvent(new Event("beforeprint"))`)
	expect(`document.querySelectorAll("#print li").length === +document.getElementById("found").textContent.split(" ")[0]`, "true")
	b.content(path)

	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + path + "#plain"}, nil)
	b.call("Page.reload", nil, nil)
	b.until(fmt.Sprintf(`document.querySelectorAll("#plain li").length === %d && document.documentElement.className === ""`, result.Rows))
	b.keep("plain")
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	b.keep("dark")
}

// TestBigPageInABrowser: a page of as many rows as one holds can be used.
func TestBigPageInABrowser(t *testing.T) {
	if os.Getenv("REWATCH_BROWSER") == "" {
		t.Skip("takes a browser, and half a minute: set REWATCH_BROWSER=1")
	}
	tp := recorded(t, func(w *tape.Writer) {
		s := w.AddStream(model.StreamInfo{Context: "big", Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true})
		for i := range 50_200 {
			typ := model.Modified
			if i < 200 {
				typ = model.Added
			}
			raw := pod(fmt.Sprintf("web-%d", i%200), i+1, fmt.Sprintf("phase-%d", i/200), fmt.Sprint(i))
			if err := w.Append(model.Record{Time: at(float64(i) / 10), Stream: s, Type: typ, Raw: []byte(raw)}); err != nil {
				t.Fatal(err)
			}
		}
	})
	page, result := exported(t, tp, "html", Options{})
	if result.Rows != 50_000 || result.Cut != 200 {
		t.Fatalf("%d rows, %d cut", result.Rows, result.Cut)
	}
	path := keepPage(t, page)
	b := openBrowser(t)
	begun := time.Now()
	b.open(path, "")
	b.until(`document.querySelectorAll("#view li").length > 10`)
	opened := time.Since(begun)
	// How long the page itself takes, told by its own clock.
	took := func(expression string) string {
		return b.eval(`(() => { const t = performance.now(); ` + expression + `; document.body.offsetHeight; return Math.round(performance.now() - t) })()`)
	}
	search := took(`document.getElementById("q").value = "phase-177"; document.getElementById("q").oninput(); `)
	begun = time.Now()
	b.until(`document.getElementById("found").textContent.startsWith("400 of")`)
	first := time.Since(begun)
	begun = time.Now()
	b.eval(`(document.getElementById("q").value = "phase-178", document.getElementById("q").oninput())`)
	b.until(`document.querySelector("#view .w").textContent.includes("phase-178")`)
	again := time.Since(begun)
	b.key("Escape")
	b.key("End")
	b.until(`document.querySelector("#view li[aria-selected=true]")?.id === "r49999"`)
	key := took(`document.dispatchEvent(new KeyboardEvent("keydown", { key: "k" }))`)
	if n := b.eval(`document.querySelectorAll("*").length`); len(n) > 4 {
		t.Errorf("%s elements at a time", n)
	}
	var heap struct{ UsedSize float64 }
	b.call("Runtime.getHeapUsage", nil, &heap)
	t.Logf("%d MB; opened in %v; first search %v (%s ms to begin), second %v; a key %s ms; heap %.0f MB",
		len(page)>>20, opened, first, search, again, key, heap.UsedSize/(1<<20))
	b.keep("big")
	b.content(path)
}
