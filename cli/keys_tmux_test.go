package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rewatch/ui"
	"rewatch/watch/timeserver"
)

// keyStep is what somebody types, and what is on the screen then.
type keyStep struct {
	id    string // the binding that it proves; "" only goes there
	types string // keys as tmux names them, and texts, with spaces between
	// shows are what the screen must have, with "; " between: a text; !text for
	// what must be gone; ▌text for the line of the cursor; "moved" for another
	// line under the cursor; "later" and "earlier" for the clock of a replay;
	// "changed" for a screen that is another; "/regexp/".
	shows string
}

// named are the keys that are not letters, and what docs/keys.md calls them.
var named = map[string]string{"Up": "↑", "Down": "↓", "Left": "←", "Right": "→", "PageUp": "pgup", "PageDown": "pgdn", "Home": "home", "End": "end",
	"Enter": "enter", "Escape": "esc", "Tab": "tab", "BTab": "shift+tab", "Space": "space", "BSpace": "backspace"}

// typeStep types the keys of a step.
func (term *terminal) typeStep(keys string) {
	term.t.Helper()
	for _, k := range strings.Fields(keys) {
		if named[k] != "" || strings.HasPrefix(k, "C-") && len(k) == 3 {
			term.tmux("send-keys", k)
		} else {
			term.tmux("send-keys", "-l", "--", k)
		}
	}
}

func (term *terminal) screen() string { return term.tmux("capture-pane", "-p") }

// cursor is the line under the cursor, and where it is.
func cursor(screen string) string {
	for i, line := range strings.Split(screen, "\n") {
		if _, row, ok := strings.Cut(line, "▌"); ok {
			return fmt.Sprint(i, " ", row)
		}
	}
	return ""
}

var replayClock = regexp.MustCompile(`REPLAY (?:\d{4}-\d\d-\d\d )?(\d\d:\d\d:\d\d[.\d]*)`)

func clockOf(screen string) string {
	if m := replayClock.FindStringSubmatch(screen); m != nil {
		return m[1]
	}
	return ""
}

// shown reports what is not yet as it should be, "" if all is.
func shown(before, now, shows string) string {
	for _, want := range strings.Split(shows, "; ") {
		ok := true
		switch {
		case want == "moved":
			ok = cursor(now) != "" && cursor(now) != cursor(before)
		case want == "later":
			ok = clockOf(now) > clockOf(before)
		case want == "earlier":
			ok = clockOf(now) != "" && clockOf(now) < clockOf(before)
		case want == "changed":
			ok = now != before
		case strings.HasPrefix(want, "!"):
			ok = !strings.Contains(now, want[1:])
		case strings.HasPrefix(want, "▌"):
			ok = strings.Contains(cursor(now), strings.TrimPrefix(want, "▌"))
		case len(want) > 2 && strings.HasPrefix(want, "/") && strings.HasSuffix(want, "/"):
			ok = regexp.MustCompile(want[1 : len(want)-1]).MatchString(now)
		default:
			ok = strings.Contains(now, want)
		}
		if !ok {
			return want
		}
	}
	return ""
}

// play types the steps one after the other; each must show what it should.
func (term *terminal) play(steps []keyStep) {
	term.t.Helper()
	for _, s := range steps {
		before := term.screen()
		// Only a redraw has nothing new to show.
		if s.types != "" && s.id != "redraw" && shown(before, before, s.shows) == "" {
			term.t.Errorf("%s: %q stood before %q was typed: that shows nothing, and the next keys may come too early", s.id, s.shows, s.types)
		}
		term.typeStep(s.types)
		now, lacks := "", "?"
		for deadline := time.Now().Add(patience); lacks != "" && time.Now().Before(deadline); {
			now = term.screen()
			if lacks = shown(before, now, s.shows); lacks != "" {
				time.Sleep(15 * time.Millisecond)
			}
		}
		if lacks != "" {
			term.t.Fatalf("%s: after %q the screen never had %q; before:\n%s\nnow:\n%s", s.id, s.types, lacks, before, now)
		}
	}
}

// keyDocs are the keys of each binding, as docs/keys.md lists them.
func keyDocs(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| (`.*?`) \\| .* \\| `?([A-Za-z-]+)`? \\|$")
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		for _, k := range strings.Split(m[1], " ") {
			k = strings.TrimSuffix(strings.TrimPrefix(k, "`"), "`")
			out[m[2]] = append(out[m[2]], strings.ReplaceAll(k, `\|`, "|")) // as a table must have it
		}
	}
	return out
}

// typed is how the docs write keys as tmux names them.
func typed(keys string) string {
	var b strings.Builder
	for _, k := range strings.Fields(keys) {
		switch {
		case named[k] != "":
			k = named[k]
		case strings.HasPrefix(k, "C-"):
			k = "ctrl+" + k[2:]
		}
		b.WriteString(k)
	}
	return b.String()
}

// Every binding of the table has a step that types one of its keys.
func TestEveryBindingHasASession(t *testing.T) {
	docs, proved := keyDocs(t), map[string]bool{}
	for _, session := range append(append([][]keyStep{}, replaySessions...), liveSessions...) {
		for _, s := range session {
			if s.id == "" {
				continue
			}
			proved[s.id] = true
			ok := false
			for _, key := range docs[s.id] {
				ok = ok || strings.HasSuffix(typed(s.types), key)
			}
			if !ok {
				t.Errorf("the session of %s ends with %q; its keys are %q", s.id, typed(s.types), docs[s.id])
			}
		}
	}
	for _, id := range ui.KeyIDs() {
		if !proved[id] {
			t.Errorf("no session in a terminal types the keys of %s", id)
		}
	}
}

// standIns are programs that stand for $PAGER and $EDITOR.
func standIns(t *testing.T) {
	t.Helper()
	for name, variable := range map[string]string{"pager": "PAGER", "editor": "EDITOR"} {
		path := filepath.Join(t.TempDir(), name)
		script := "#!/bin/sh\necho; echo IN-THE-" + strings.ToUpper(name) + "; read x </dev/tty\n"
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv(variable, path)
	}
	t.Setenv("VISUAL", "")
}

// long leaves a test to the runs that take their time.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("REWATCH_LONG") == "" {
		t.Skip("types every key of the table, half a minute: REWATCH_LONG=1")
	}
}

func TestKeysInAReplay(t *testing.T) {
	long(t)
	isolate(t)
	standIns(t)
	t.Setenv("TZ", "UTC")
	for i, steps := range replaySessions {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			term := inTerminal(t, 120, 36, "replay "+demoFile(t))
			term.play(steps)
		})
	}
}

// underAShell is a terminal with a shell that has control of its jobs.
func underAShell(t *testing.T, args string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "shell")
	text := fmt.Sprintf("set -m\nenv %s=1 %s %s\necho in-the-shell\nread x\nfg\necho exit=$?\nexec cat\n", beMain, exe, args)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("no tmux")
	}
	term := &terminal{t: t, socket: fmt.Sprintf("rewatch-test-%d-shell", os.Getpid())}
	term.tmux("-f", "/dev/null", "new-session", "-d", "-x", "120", "-y", "36", "bash "+script)
	t.Cleanup(func() { _ = exec.Command("tmux", "-L", term.socket, "kill-server").Run() })
	return term
}

func TestKeysLive(t *testing.T) {
	long(t)
	t.Chdir(t.TempDir()) // where tapes are written
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url, "prod="+refusing(t))
	for i, steps := range liveSessions {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			if i > 0 {
				underAShell(t, "pods,nodes,cm --context dev -A").play(steps)
				return
			}
			inTerminal(t, 120, 36, "pods,nodes,cm --context dev --context prod -A").play(steps)
		})
	}
}
