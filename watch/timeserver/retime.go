package timeserver

import (
	"strings"
	"time"
)

// rewriter copies JSON with some of its strings replaced by others of the
// same form. Everything else keeps its bytes.
type rewriter struct {
	moment func(time.Time) time.Time // for strings that are RFC 3339 times
	uid    func(string) string       // for strings that have the form of a UID
}

// rewrite returns a copy of raw, valid JSON, with its times and UIDs mapped.
func (w rewriter) rewrite(raw []byte) []byte {
	out := make([]byte, 0, len(raw)+16)
	done := 0
	for i := 0; i < len(raw); {
		if raw[i] != '"' {
			i++
			continue
		}
		end := skipString(raw, i)
		if text := raw[i+1 : max(end-1, i+1)]; len(text) >= len("2006-01-02T15:04:05Z") && len(text) <= 36 {
			if s, ok := w.replace(text); ok {
				out = append(append(out, raw[done:i+1]...), s...)
				done = end - 1
			}
		}
		i = end
	}
	return append(out, raw[done:]...)
}

func (w rewriter) replace(text []byte) (string, bool) {
	switch {
	case len(text) == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-':
		return w.uid(string(text)), true
	case text[4] == '-' && text[7] == '-' && text[10] == 'T':
		return shiftTime(string(text), w.moment)
	}
	return "", false
}

// shiftTime maps an RFC 3339 time and keeps its form: the zone as it was
// written and as many digits of the second. false is for what is no time.
func shiftTime(text string, moment func(time.Time) time.Time) (string, bool) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return "", false
	}
	layout := "2006-01-02T15:04:05"
	if rest := text[len(layout):]; rest[0] == '.' {
		layout += "." + strings.Repeat("0", len(rest)-len(strings.TrimLeft(rest[1:], "0123456789"))-1)
	}
	return moment(t).In(t.Location()).Format(layout + "Z07:00"), true
}

// reborn is the UID of an object in another run of a history: the same one
// in run 0, and for each other run another one of the same form.
func reborn(uid string, run int) string {
	if run == 0 {
		return uid
	}
	const hex = "0123456789abcdef"
	b := []byte(uid)
	for i := len(b) - 1; run > 0 && i >= 24; i-- {
		if d := strings.IndexByte(hex, b[i]); d >= 0 {
			b[i] = hex[d^run&15]
		}
		run >>= 4
	}
	return string(b)
}
