package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCheckKeys(t *testing.T) {
	for _, keys := range []map[string][]string{
		nil, {"find-next": {"ctrl+n"}}, {"quit": {"ctrl+q", "ctrl+c"}}, {"mark": {}}, {"follow": {"f2"}}, {"mark": {"b"}, "retry": {"m"}},
		{"hide-kind": {"H K"}}, {"first": {"home"}, "next-view": {"v v"}}, {"filter-up": {"ctrl+k"}}, {"mark": {"alt+m", "é"}},
	} {
		if err := CheckKeys(keys); err != nil {
			t.Errorf("%v: %v", keys, err)
		}
	}
	for _, c := range []struct {
		keys map[string][]string
		want string
	}{
		{map[string][]string{"quitt": {"x"}}, "quitt: there is no such key"},
		{map[string][]string{"quit": {}}, "quit: there must be a key to quit"},
		{map[string][]string{"filter-quit": {}}, "filter-quit: there must be a key to quit"},
		{map[string][]string{"mark": {"f"}}, `mark: "f" is also the key of follow (Everywhere)`},
		{map[string][]string{"open": {"?"}}, `open: "?" is also the key of help (Everywhere)`},
		{map[string][]string{"mark": {"enter"}}, `mark: "enter" is also the key of `},
		{map[string][]string{"mark": {"g"}}, `mark: "g" does not go with g g, the key of first`},
		{map[string][]string{"mark": {"f f"}}, `mark: "f f" does not go with f, the key of follow`},
		{map[string][]string{"mark": {"E"}}, `mark: "E" is also the key of previous-error (Replay)`},
		{map[string][]string{"mark": {"ctrl+i"}}, "cannot be told from tab"},
		{map[string][]string{"mark": {"ctrl+shift+m"}}, "is no key that every terminal has"},
		{map[string][]string{"mark": {"mm"}}, "is no key that every terminal has"},
		{map[string][]string{"mark": {""}}, "is not spelled as a key"},
		{map[string][]string{"mark": {"\x1b"}}, "is no key that every terminal has"},
		{map[string][]string{"mark": {"7"}}, "begins a number"},
		{map[string][]string{"mark": {"f3", "f3"}}, "is there twice"},
		{map[string][]string{"filter-keep": {"k"}}, "is text there"},
		{map[string][]string{"prompt-do": {"y"}}, "is text there"},
		{map[string][]string{"help-close": {"j"}}, "is also the key of help-down (Help)"},
	} {
		err := CheckKeys(c.keys)
		if e := (*KeyError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.keys, err, c.want)
		}
	}
	if !slices.Contains(KeyIDs(), "quit") || !slices.IsSorted(KeyIDs()) {
		t.Errorf("%v", KeyIDs())
	}
}

func TestKeysOfAUser(t *testing.T) {
	d := &driver{t: t, now: epoch, demo: newDemoLog("prod-eu"), controls: &demoControls{}}
	keys := map[string][]string{"mark": {}, "help": {"f2"}, "follow": {"ctrl+y"}, "quit": {"Q"}}
	if err := CheckKeys(keys); err != nil {
		t.Fatal(err)
	}
	d.app = NewApp(context.Background(), Options{Log: d.demo.log, Now: func() time.Time { return d.now }, Location: time.UTC, Theme: "mono", Keys: keys})
	t.Cleanup(func() { d.app.Close() })
	d.resize(120, 36)
	d.script()
	d.press("m")
	if d.app.prompt.shown {
		t.Error("a key that was taken away works")
	}
	if f := d.footer(); !strings.Contains(f, "Q quit") || strings.Contains(f, "q quit") {
		t.Errorf("the footer says %q", f)
	}
	d.press("f2")
	d.has("Keys")
	d.press("esc", "q")
	if d.quit {
		t.Error("q quits")
	}
	if d.press("Q"); !d.quit {
		t.Error("Q does not quit")
	}
}
