package ui

import (
	"strconv"
	"strings"
	"testing"
	"unicode"

	"rewatch/themes"
)

// checkPaint fails if a frame has a text in a colour or on a background that
// the contrast of the themes is not checked for: what can be read is decided
// there (themes.Palette.Readings), of every role but that of rules, on the
// terminal's own background, the bar and the selected row.
func (d *driver) checkPaint(content string) {
	d.t.Helper()
	if d.app.st.Name != "dark" { // roles of others are chosen in the same way
		return
	}
	p, _ := themes.Find(themes.Builtin(), "dark")
	for _, r := range paints(content) {
		if why := unread(p.Roles, r); why != "" {
			d.t.Fatalf("%q: %s", r.text, why)
		}
	}
}

// run is text of one look.
type painted struct {
	text   string
	fg, bg themes.Colour // "" is the terminal's own; reversed they are as far apart
	faint  bool
}

// paints are the runs of a frame.
func paints(content string) []painted {
	var all []painted
	var now painted
	for i, part := range strings.Split(content, "\x1b[") {
		text := part
		if i > 0 {
			var params string
			params, text, _ = strings.Cut(part, "m")
			now.set(strings.Split(params, ";"))
		}
		if strings.TrimSpace(text) != "" {
			now.text = text
			all = append(all, now)
		}
	}
	return all
}

func (r *painted) set(params []string) {
	for i := 0; i < len(params); i++ {
		switch p := params[i]; p {
		case "", "0":
			*r = painted{}
		case "2":
			r.faint = true
		case "38", "48":
			to := &r.fg
			if p == "48" {
				to = &r.bg
			}
			*to = "#"
			for _, v := range params[min(i+2, len(params)):min(i+5, len(params))] {
				n, _ := strconv.Atoi(v)
				*to += themes.Colour(string("0123456789abcdef"[n>>4&15]) + string("0123456789abcdef"[n&15]))
			}
			i += 4
		}
	}
}

// unread says why nobody has checked that r can be read.
func unread(roles themes.Roles, r painted) string {
	if r.faint {
		return "is faint: terminals show that at half the contrast"
	}
	known := r.fg == ""
	for _, role := range roles.ByName() {
		known = known || !role.Ground && strings.EqualFold(string(*role.Colour), string(r.fg))
	}
	if !known {
		return "has a colour of no role: " + string(r.fg)
	}
	if r.bg != "" && !strings.EqualFold(string(r.bg), string(roles.Bar)) && !strings.EqualFold(string(r.bg), string(roles.Selected)) {
		return "is on a background of no role: " + string(r.bg)
	}
	isText := strings.ContainsFunc(r.text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
	if isText && r.fg != "" && strings.EqualFold(string(r.fg), string(roles.Rule)) && !strings.EqualFold(string(roles.Rule), string(roles.Dim)) {
		return "is text in the colour of rules, whose contrast is not checked"
	}
	return ""
}

func TestWhatIsNotRead(t *testing.T) {
	p, _ := themes.Find(themes.Builtin(), "dark")
	for content, why := range map[string]string{
		"\x1b[2mold":                 "faint",
		"\x1b[38;2;1;2;3mold":        "no role: #010203",
		"\x1b[1;48;2;1;2;3mold":      "background",
		"\x1b[2m\x1b[0mnew\x1b[2m  ": "",
	} {
		got := ""
		for _, r := range paints(content) {
			got += unread(p.Roles, r)
		}
		if why == "" && got != "" || !strings.Contains(got, why) {
			t.Errorf("%q: %q, want %q", content, got, why)
		}
	}
}
