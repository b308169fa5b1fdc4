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

const keyPatience = 8 * time.Second

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
		for deadline := time.Now().Add(keyPatience); lacks != "" && time.Now().Before(deadline); {
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

// replaySessions are replays of the demo's tape.
var replaySessions = [][]keyStep{
	{ // the deck
		{"", "", "playing 1×"},
		{"faster", ">", "playing 2×"},
		{"slower", "<", "playing 1×"},
		{"", "> >", "playing 4×"},
		{"normal-speed", "BSpace", "playing 1×"},
		{"play", "Space", "paused"},
		{"end-of-tape", "$", "end of the tape"},
		{"previous-error", "E", "earlier; paused"},
		{"start", "0", "REPLAY 13:53:11; paused"},
		{"next-error", "e", "later; paused"},
		{"step-back", ",", "earlier; paused"},
		{"step", ".", "later; paused"},
		{"second-back", "(", "earlier; paused"},
		{"second", ")", "later; paused"},
		{"go-to", "t", "go to ›"},
		{"", "abc", "go to › abc"},
		{"prompt-kill", "C-u", "!abc; go to ›"},
		{"prompt-cancel", "Escape", "!go to ›"},
		{"prompt-do", "t 13:54:30 Enter", "REPLAY 13:54:30; paused; !go to ›"},
		{"next-gap", "o", "later; paused; ▌gap:"},
		{"", "o", "later; paused"},
		{"previous-gap", "O", "earlier; paused; ▌gap:"},
		{"next-deletion", "d", "later; paused"},
		{"previous-deletion", "D", "earlier; paused"},
		{"next-mark", "'", "later; paused; ▌mark"},
		{"previous-mark", `"`, "earlier; paused"},
		{"", "/ kind:deploy Enter", "/kind:deploy"},
		{"next-match", "*", "later; paused; ▌Deploy"},
		{"previous-match", "#", "earlier; paused"},
		{"", "t", "go to ›"},
		{"prompt-quit", "C-c", "exit=0"},
	},
	{ // moving, panes, help, lists, the palette
		{"", "Space", "paused"},
		{"", "$", "end of the tape"},
		{"up", "k", "moved"},
		{"", "k", "moved"},
		{"down", "j", "moved"},
		{"page-up", "PageUp", "moved"},
		{"half-up", "C-u", "moved"},
		{"half-down", "C-d", "moved"},
		{"page-down", "PageDown", "moved"},
		{"first", "g g", "moved"},
		{"last", "G", "moved; follow ·"},
		{"follow", "f", "!follow ·"},
		{"", "G", "follow ·"},
		{"noise", "a", "!folded (a)"},
		{"", "a", "folded (a)"},
		{"folded", "A", "╭ Folded"},
		{"list-down", "j", "moved"},
		{"list-up", "k", "moved"},
		{"list-page-down", "PageDown", "moved"},
		{"list-page-up", "PageUp", "moved"},
		{"list-close", "Escape", "!╭ Folded"},
		{"columns", "c", "╭ Columns; [x] time"},
		{"list-switch", "Space", "[ ] time"},
		{"", "Space", "[x] time"},
		{"list-lower", "J", "moved; ▌[x] time"},
		{"list-raise", "K", "moved; ▌[x] time"},
		{"", "Escape", "!╭ Columns"},
		{"times", "T", "─ UTC ·"},
		{"", "T", "─ ago ·"},
		{"", "T", "─ server time ·"},
		{"", "T", "!─ server time ·"},
		{"help", "?", "╭ Keys"},
		{"help-down", "j", "╭ Keys; changed"},
		{"help-up", "k", "╭ Keys; changed"},
		{"help-close", "Escape", "!╭ Keys"},
		{"next-pane", "Tab", "▸Watch"},
		{"previous-pane", "BTab", "▸Timeline"},
		{"pane-left", "h", "▸Streams"},
		{"pane-right", "l", "▸Timeline"},
		{"streams", "g s", "▸Streams"},
		{"object", "g o", "▸Watch"},
		{"timeline", "g t", "▸Timeline"},
		{"zoom", "z", "─ Streams ─▸Timeline ─"},
		{"back", "Escape", "!─ Streams ─▸Timeline ─; ▸Timeline"},
		{"streams-wider", "C-w >", "changed; ┬"},
		{"streams-narrower", "C-w <", "changed; ┬"},
		{"object-higher", "C-w +", "changed; ┬"},
		{"object-lower", "C-w -", "changed; ┬"},
		{"", "C-w +", "changed"},
		{"panes-as-before", "C-w =", "changed; ┬"},
		{"palette", ":", "What to do"},
		{"palette-up", "C-p", "moved"},
		{"palette-down", "C-n", "moved"},
		{"", "them", ": them "},
		{"palette-complete", "Tab", ": theme "},
		{"", "Tab Tab", "/: theme \\w+/"},
		{"palette-complete-back", "BTab", "changed"},
		{"palette-kill", "C-u", "!: theme"},
		{"palette-close", "Escape", "!What to do"},
		{"", ": problems", ": problems"},
		{"palette-do", "Enter", "▸Problems"},
		{"", ":", "What to do"},
		{"palette-recall", "Up", ": Problems"},
		{"palette-recall-back", "Down", "!: Problems"},
		{"palette-quit", "C-c", "exit=0"},
	},
	{ // the filter, hides, what is taken along
		{"", "Space", "paused"},
		{"", "$", "end of the tape"},
		{"filter", "/", "/(?m)^ \\/ /"},
		{"", "kind:", "/ kind:"},
		{"filter-complete", "Tab", "/kind:\\w+/"},
		{"", "Tab", "changed"},
		{"filter-complete-back", "BTab", "changed"},
		{"filter-kill", "C-u", "words, kind:pod"},
		{"", "kind:deploy", "/kind:deploy"},
		{"filter-up", "C-p", "moved"},
		{"filter-down", "C-n", "moved"},
		{"filter-keep", "Enter", "/kind:deploy +13 gaps · ; ▌Deploy; enter open"},
		{"", "/", "/(?m)^ \\/ /"},
		{"filter-recall", "Up", "kind:deploy"},
		{"filter-recall-back", "Down", "changed"},
		{"", "x", "/ x"},
		{"filter-cancel", "Escape", "/kind:deploy +13 gaps · ; enter open"},
		{"", "Escape", "!/kind:deploy"},
		{"find-previous", "N", "moved"},
		{"find-next", "n", "moved"},
		{"open", "Enter", "▸; · open"},
		{"", "Escape", "▸Timeline"},
		{"hide-object", "H o", "hidden:; /-"},
		{"filter-undo", "u", "!/-"},
		{"filter-redo", "C-r", "/-"},
		{"", "u", "!/-"},
		{"hide-kind", "H k", "-kind:"},
		{"", "u", "!-kind:"},
		{"hide-namespace", "H n", "-ns:"},
		{"", "u", "!-ns:"},
		{"hide-manager", "H m", "-manager:"},
		{"", "u", "!-manager:"},
		{"", "/ kind:deploy Enter", "/kind:deploy +13 gaps · ; ▌Deploy"},
		{"group", "B", "by object (B)"},
		{"", "B", "by owner (B"},
		{"into-group", "i", "of Deployment "},
		{"", "Escape", "by owner (B"},
		{"", "B", "!by owner; ▌Deploy"},
		{"copy-filter", "y c", "copied filter"},
		{"copy-row", "y r", "copied row"},
		{"copy-name", "y n", "copied name; shop/checkout"},
		{"copy-diff", "y d", "copied diff"},
		{"copy-yaml", "y y", "copied YAML"},
		{"copy-kubectl", "y k", "copied kubectl command"},
		{"", "Enter", "▸Deployment"},
		{"copy-path", "y p", "copied path"},
		{"copy-value", "y v", "copied value"},
		{"open-pager", "! p", "IN-THE-PAGER"},
		{"", "Enter", "!IN-THE-PAGER; Streams"},
		{"open-editor", "! e", "IN-THE-EDITOR"},
		{"", "Enter", "!IN-THE-EDITOR; Streams"},
		{"save-screen", "w", "save the screen ›"},
		{"", "Escape", "!save the screen ›"},
		{"", "Escape", "▸Timeline"},
		{"fold-like", "x", "╭"},
		{"list-go", "Enter", "!╭"},
		{"", "/", "/(?m)^ \\/ /"},
		{"filter-quit", "C-c", "exit=0"},
	},
	{ // an object
		{"", "Space", "paused"},
		{"", "$", "end of the tape"},
		{"", "/ kind:deploy Enter", "/kind:deploy +13 gaps · ; ▌Deploy"},
		{"", "Enter", "▸Deployment shop/checkout; [diff]"},
		{"older", "[", "changed; version"},
		{"newer", "]", "changed; version"},
		{"view-yaml", "g y", "[yaml]; apiVersion"},
		{"managed-fields", "M", "changed"},
		{"view-blame", "g b", "[blame]"},
		{"view-history", "g v", "[history]"},
		{"view-events", "g e", "[events]"},
		{"view-owners", "g w", "[owners]; ReplicaSet"},
		{"view-story", "g h", "[story]"},
		{"view-diff", "g d", "[diff]"},
		{"next-view", "v", "[yaml]"},
		{"previous-view", "V", "[diff]"},
		{"", "g w", "[owners]; ReplicaSet"},
		{"", "j", "moved; ▌ReplicaSet"},
		{"jump", "Enter", "▸ReplicaSet"},
		{"", "Escape", "▸Deployment shop/checkout"},
		{"", "g y", "[yaml]"},
		{"find", "/", "search ›"},
		{"", "replicas Enter", "!search ›; /replicas 1/"},
		{"", "n", "moved; /replicas 2/"},
		{"", "N", "moved; /replicas 1/"},
		{"", "Escape", "changed"},
		{"leave-object", "Escape", "▸Timeline"},
		{"", "/ C-u kind:node", "kind:node"},
		{"", "Space path:message Enter", "path:message +13 gaps · ; !▾; ▌Node"},
		{"", "Enter z g d", "▸Node; │ +"},
		{"side-by-side", "|", "!│ +"},
		{"", "g y", "[yaml]"},
		{"scroll-right", "l", "changed"},
		{"scroll-left", "h", "changed"},
		{"", "Escape", "changed"},
		{"page-Problems", "F", "▸Problems"},
		{"", "j", "moved"},
		{"problem-open", "Enter", "▸Node node-08"},
		{"", "Escape", "▸Problems"},
		{"page-Coverage", "C", "▸Coverage; ▾ Tape"},
		{"", "k", "▌▾ Tape"},
		{"coverage-go", "Enter", "▌▸ Tape"},
		{"", "C", "▸Timeline"},
		{"", "Escape", "!/kind:node"},
		{"page-Lanes", "L", "▸Lanes"},
		{"", "g g", "▾deploy checkout"},
		{"lane-fold", "x", "▸deploy checkout"},
		{"", "x", "▾deploy checkout"},
		{"lane-left", "h", "changed"},
		{"lane-right", "l", "changed"},
		{"lane-change-before", "[", "changed"},
		{"", "[", "changed"},
		{"lane-change-after", "]", "changed"},
		{"lane-zoom-in", "+", "changed; column = "},
		{"lane-zoom-out", "-", "changed; column = "},
		{"", "+", "changed"},
		{"lane-pan-left", "B", "changed"},
		{"lane-pan-right", "W", "changed"},
		{"lane-fit", "z", "changed"},
		{"lane-fold-all", "X", "changed"},
		{"", "X", "changed"},
		{"lane-flat", "`", "changed"},
		{"", "`", "changed"},
		{"lane-quiet", "u", "changed"},
		{"lane-follow", "f", "changed"},
		{"lane-open", "Enter", "!▸Lanes; [diff]"},
		{"", "Escape", "▸Lanes"},
		{"", "?", "╭ Keys"},
		{"help-quit", "C-c", "exit=0"},
	},
	{
		{"", "Space", "paused"},
		{"", "A", "╭ Folded"},
		{"list-quit", "C-c", "exit=0"},
	},
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

// liveSessions are of two clusters, of which one does not answer.
var liveSessions = [][]keyStep{
	{
		{"", "", "LIVE; RETRY; initial list of pods"},
		{"pause", "Space", "PAUSED"},
		{"", "Space", "!PAUSED"},
		{"mark", "m", "mark ›"},
		{"", "before-lunch Enter", "before-lunch; !mark ›"},
		{"retry", "b", "changed"},
		{"redraw", "C-l", "Timeline"},
		{"record", "R", "from now"},
		{"record-cancel", "Escape", "!from now"},
		{"", "R", "from now"},
		{"record-now", "n", "REC"},
		{"", "R", "!REC "},
		{"", "R", "from now"},
		{"record-held", "h", "REC"},
		{"", "R", "!REC "},
		{"", "g s", "▸Streams"},
		{"details", "Enter", "▸Protocol; pods"},
		{"protocol-next", "l", "changed"},
		{"protocol-previous", "h", "▸Protocol; pods"},
		{"protocol-follow", "f", "changed"},
		{"protocol-zoom", "z", "changed"},
		{"", "z", "changed"},
		{"protocol-copy", "Enter", "copied"},
		{"protocol-pause", "p", "PAUSED"},
		{"", "p", "!PAUSED"},
		{"", "Escape", "▸Streams"},
		{"page-Protocol", "P", "▸Protocol"},
		{"", "P", "!▸Protocol"},
		{"page-Server", "S", "▸Server; context 1 of 2"},
		{"server-next", "l", "context 2 of 2"},
		{"server-previous", "h", "context 1 of 2"},
		{"", "S", "!▸Server; ▸Streams"},
		{"pause-stream", "p", "▌PAUSED"},
		{"", "p", "!▌PAUSED"},
		{"remove-stream", "x", "changed"},
		{"leave-streams", "Escape", "▸Timeline"},
		{"", "R", "from now"},
		{"record-quit", "C-c", "exit=0"},
	},
	{
		{"", "", "LIVE; initial list of pods"},
		{"suspend", "C-z", "!Timeline; in-the-shell"},
		{"", "Enter", "Timeline; LIVE"},
		{"quit", "q", "exit=0"},
	},
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
