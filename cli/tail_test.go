package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rewatch/watch/timeserver"
)

// ended waits for the end of a rewatch, and returns its exit code.
func (r *running) ended() int {
	r.t.Helper()
	select {
	case code := <-r.code:
		r.code <- code
		return code
	case <-time.After(patience):
		r.t.Fatalf("it did not end\nstdout:\n%s\nstderr:\n%s", r.out.String(), r.stderr.String())
		return -1
	}
}

func (r *running) endsWith(code int, stderr string) {
	r.t.Helper()
	if got := r.ended(); got != code || !strings.Contains(r.stderr.String(), stderr) {
		r.t.Errorf("exit code %d, want %d and %q\nstdout:\n%s\nstderr:\n%s", got, code, stderr, r.out.String(), r.stderr.String())
	}
}

// expires runs a tail to the end of its --timeout, which is longer and longer
// until the machine is quick enough to have its watches open before.
func expires(t *testing.T, args ...string) *running {
	t.Helper()
	for timeout := 500 * time.Millisecond; ; timeout *= 4 {
		r := background(t, append(args, "--timeout", timeout.String())...)
		if code := r.ended(); code != exitUnknown || timeout > patience {
			return r
		}
	}
}

func TestTailEndsWhenTheConditionHolds(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	t.Run("already", func(t *testing.T) {
		background(t, "tail", "pods", "--until", "object.status.phase == 'Running'").endsWith(0, "")
	})
	t.Run("later", func(t *testing.T) {
		r := background(t, "tail", "pods/checkout", "-n", "shop", "--until", "object.status.phase == 'Running'")
		r.waitFor(&r.out, "ADDED", "Pod shop/checkout", "(initial)")
		c.put(t, "pods", "shop", "checkout", `"status":{"phase":"Running"}`)
		r.endsWith(0, "")
		if lines := strings.Split(strings.TrimSpace(r.out.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], "Pending→Running") {
			t.Errorf("the row that met the condition is not the last one:\n%s", r.out.String())
		}
	})
	t.Run("of a change", func(t *testing.T) {
		r := background(t, "tail", "pods", "-A", "--changed-only", "--until", "type == 'DELETED'")
		// When its watch is open cannot be seen from here: what was there
		// before is not printed, so there are changes until one is.
		n := 0
		waitUntil(t, func() bool {
			n++
			c.put(t, "pods", "shop", "basket", fmt.Sprintf(`"status":{"phase":"Pending","message":"%d"}`, n))
			time.Sleep(20 * time.Millisecond)
			return r.out.String() != ""
		})
		r.waitFor(&r.out, "Pod shop/basket")
		if _, err := c.store.Delete("pods", "shop", "basket"); err != nil {
			t.Fatal(err)
		}
		r.endsWith(0, "")
		if strings.Contains(r.out.String(), "initial") {
			t.Errorf("--changed-only prints the state at the beginning:\n%s", r.out.String())
		}
	})
	t.Run("filtered", func(t *testing.T) { // the row that would meet it is left out
		expires(t, "tail", "pods", "--filter", "-ns:pay", "--until", "object.status.phase == 'Running' && name == 'ledger'").endsWith(exitTimeout, "did not come true")
	})
}

func TestTailTimesOut(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	t.Run("for sure", func(t *testing.T) {
		expires(t, "tail", "pods", "--until", "object.status.phase == 'Failed'").endsWith(exitTimeout, "the condition did not come true: ")
	})
	t.Run("misspelt", func(t *testing.T) {
		r := expires(t, "tail", "pods", "--until", "object.status.fase == 'Failed'")
		r.endsWith(exitTimeout, "it could not be judged of any of 2 rows, of the first because of: no such key: fase")
	})
	t.Run("nothing there", func(t *testing.T) {
		r := expires(t, "tail", "pods/nobody", "--until", "type == 'DELETED'")
		r.endsWith(exitTimeout, "there was nothing to judge it by")
		if !strings.Contains(r.stderr.String(), "nothing is there yet") {
			t.Errorf("stderr:\n%s", r.stderr.String())
		}
	})
	t.Run("nothing awaited", func(t *testing.T) {
		background(t, "tail", "pods", "--timeout", "300ms").endsWith(0, "")
	})
	t.Run("server silent", func(t *testing.T) { // what is not known is not answered
		silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts into its backlog, never answers
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = silent.Close() }()
		kubeconfig(t, "dev=http://"+silent.Addr().String())
		r := background(t, "tail", "pods", "--until", "object.status.phase == 'Failed'", "--timeout", "300ms")
		r.endsWith(exitUnknown, "no server has answered")
	})
}

func TestTailInterrupted(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	r := background(t, "tail", "pods")
	r.waitFor(&r.out, "ADDED")
	r.stop() // exit code 0
	r = background(t, "tail", "pods", "--until", "false")
	r.waitFor(&r.out, "ADDED")
	r.cancel()
	r.endsWith(1, "interrupted before the condition came true")
}

// TestTailAfterAGap: what the list after a gap makes up for is answered; what
// may have happened in the gap is not.
func TestTailAfterAGap(t *testing.T) {
	const failed, failing = "name == 'checkout' && object.status.phase == 'Failed'", "object.status.phase == 'Failed' && old.status.phase == 'Pending'"
	for _, c := range []struct {
		name, until string
		args        string
		missed      []string // phases of the pod that nobody sees, the last of them found by the list; "" deletes it
		after       string   // its phase when the watch is there again
		code        int
		stderr      string
	}{
		{name: "a state that lasts", until: failed, missed: []string{"Running", "Failed"}},
		{name: "a state that did not last", until: failed, missed: []string{"Failed", "Running"}, code: exitTimeout, stderr: "did not come true: "},
		{name: "a change", until: failing, missed: []string{"Failed", "Running"}, code: exitUnknown, stderr: "changes may be missing: history lost"},
		{name: "a change that the list shows", until: failing, missed: []string{"Failed"}},
		{name: "a change, risked", until: failing, args: "--allow-gaps", missed: []string{"Running", "Pending"}, after: "Failed"},
		{name: "a change, risked in vain", until: failing, args: "--allow-gaps", missed: []string{"Failed", "Pending"}, code: exitTimeout, stderr: "did not come true"},
		{name: "a deletion", until: "type == 'DELETED'", missed: []string{"Running", ""}},
		{name: "gaps awaited", until: "gap", missed: []string{"Running"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			// What happens to it, with a cluster of its own; false is that it ended
			// before the watch was there again.
			attempt := func(more ...string) (r *running, ok bool) {
				server := newTestCluster(t, timeserver.Options{})
				kubeconfig(t, "dev="+server.url)
				args := append([]string{"tail", "pods", "-A", "--until", c.until}, strings.Fields(c.args)...)
				r = background(t, append(args, more...)...)
				if !r.tells(&r.out, "ADDED", "Pod shop/checkout", "(initial)") || !r.tells(&r.out, "ADDED", "Pod pay/ledger", "(initial)") || !server.follows(t, r) {
					return r, false
				}
				lift := server.Inject(timeserver.Fault{Status: 503})
				server.CloseAll()
				for _, phase := range c.missed {
					if phase != "" {
						server.put(t, "pods", "shop", "checkout", `"status":{"phase":"`+phase+`"}`)
					} else if _, err := server.store.Delete("pods", "shop", "checkout"); err != nil {
						t.Fatal(err)
					}
				}
				for range 3 { // what came before is forgotten
					server.put(t, "pods", "pay", "ledger", `"status":{"phase":"Running"},"n":`+strconv.Itoa(int(server.store.RV())))
				}
				server.store.SetWindow(1)
				lift()
				if c.after != "" {
					r.waitFor(&r.out, "GAP")
					server.store.SetWindow(1000)
					server.put(t, "pods", "shop", "checkout", `"status":{"phase":"`+c.after+`"}`)
				}
				r.ended()
				return r, strings.Contains(r.out.String(), "GAP")
			}
			if c.code != exitTimeout {
				r, _ := attempt()
				r.endsWith(c.code, c.stderr)
				return
			}
			for timeout := 2 * time.Second; ; timeout *= 3 { // until the machine is quick enough
				if r, ok := attempt("--timeout", timeout.String()); ok && r.ended() == c.code || timeout > patience {
					r.endsWith(c.code, c.stderr)
					return
				}
			}
		})
	}
}

// TestTailWithoutItsWatch: what cannot be seen when the time is over is not
// answered.
func TestTailWithoutItsWatch(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	for args, code := range map[string]int{"": exitUnknown, "--allow-gaps": exitTimeout} {
		for timeout := 1500 * time.Millisecond; ; timeout *= 3 { // until the machine is quick enough
			r := background(t, append([]string{"tail", "pods", "--timeout", timeout.String(), "--until", "object.status.phase == 'Failed'"}, strings.Fields(args)...)...)
			follows := r.tells(&r.out, "ADDED", "Pod shop/checkout", "(initial)") && server.follows(t, r)
			lift := server.Inject(timeserver.Fault{Status: 503})
			server.CloseAll()
			r.ended()
			lift()
			if timeout < patience && (!follows || !strings.Contains(r.stderr.String(), "RETRY")) {
				continue
			}
			if r.endsWith(code, ""); code == exitUnknown && !strings.Contains(r.stderr.String(), "the watch of pods is ") {
				t.Errorf("stderr:\n%s", r.stderr.String())
			}
			break
		}
	}
}

// follows waits until r prints changes: a watch is open before it has sent what
// was there, and what is put then may come as part of that. false is that r ended
// without.
func (c *testCluster) follows(t *testing.T, r *running) bool {
	t.Helper()
	n, over := 0, false
	waitUntil(t, func() bool {
		n++
		c.put(t, "pods", "pay", "ledger", fmt.Sprintf(`"status":{"phase":"Running","message":"%d"}`, n))
		time.Sleep(20 * time.Millisecond)
		over = len(r.code) > 0
		return over || strings.Contains(r.out.String(), "MODIFIED")
	})
	return !over
}

func waitUntil(t *testing.T, what func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come")
		}
	}
}

func TestTailJSON(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	r := background(t, "tail", "pods/checkout", "-n", "shop", "-o", "json", "--until", "type == 'MODIFIED'")
	r.waitFor(&r.out, `"type":"ADDED"`)
	c.put(t, "pods", "shop", "checkout", `"status":{"phase":"Running"},"n":9007199254740993`)
	r.endsWith(0, "")
	var types []string
	for line := range strings.Lines(r.out.String()) {
		var row struct{ Type, Schema, Result string }
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if row.Type != "STREAM" && row.Type != "NOTE" && row.Type != "BOOKMARK" {
			types = append(types, row.Type+row.Schema+row.Result)
		}
	}
	if got, want := strings.Join(types, " "), "TAILrewatch-events ADDED MODIFIED ENDmet"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r.waitFor(&r.out, `"changes":[`, `"path":"status.phase","op":"replace","old":"Pending","new":"Running"`, "9007199254740993")
}

func TestTailJSONPath(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	r := background(t, "tail", "pods/checkout", "-n", "shop", "-o", "jsonpath={.metadata.name}\t{.status.phase} {.n}", "--changed-only",
		"--until", "object.?status.?phase.orValue('') == 'Failed'")
	n := 0
	waitUntil(t, func() bool { // what is there before the watch follows is not printed
		n++
		c.put(t, "pods", "shop", "checkout", fmt.Sprintf(`"status":{"phase":"Pending"},"n":%d`, n))
		time.Sleep(20 * time.Millisecond)
		return r.out.String() != ""
	})
	for _, rest := range []string{`"status":{"phase":"Running"},"n":9007199254740993`, `"status":{"phase":"Running"},"n":9007199254740993,"m":1`, `"status":{"phase":"Failed"}`} {
		c.put(t, "pods", "shop", "checkout", rest)
	}
	r.endsWith(0, "")
	if got := r.out.String(); !strings.HasSuffix(got, "checkout\tRunning 9007199254740993\ncheckout\tFailed \n") {
		t.Errorf("%q", got)
	}
}

func TestTailRefuses(t *testing.T) {
	c := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+c.url)
	fails(t, 2, "--until: column 9: CEL knows no objct here; did you mean object?", "tail", "--until", "true || objct.a == 1")
	fails(t, 2, "--until: column 1: the expression is no condition", "tail", "--until", "name")
	fails(t, 2, "--filter: column 1: there is no field", "tail", "--filter", "knd:pod")
	fails(t, 2, "must be text, json, diff or jsonpath=TEMPLATE", "tail", "-o", "yaml")
	fails(t, 2, "no JSONPath", "tail", "-o", "jsonpath={.a")
	fails(t, 2, "no JSONPath", "tail", "-o", "jsonpath=")
	fails(t, 2, "--timeout must be above 0", "tail", "--timeout", "-1s")
	fails(t, 2, "--allow-gaps is about --until", "tail", "--allow-gaps")
	fails(t, 1, "has no type", "tail", "nonsense")
	fails(t, 1, "the tape has no nonsense; it has ", "tail", "nonsense", "--from", "demo.rwt")
	fails(t, 2, "selectors are for servers", "tail", "-l", "a=b", "--from", "demo.rwt")
	fails(t, 1, "the tape has nothing of these", "tail", "--context", "other", "--from", "demo.rwt")
	fails(t, 1, "there is no file", "tail", "--from", filepath.Join(t.TempDir(), "none.rwt"))
}
