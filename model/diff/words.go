package diff

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rewatch/model/jsonscan"
)

// Words says what a change of a value amounts to, where that is not plain from
// the two: of quantities and durations how much more or less ("doubled", "+25%",
// "the same amount"), of timestamps how much later. It is "" for other values.
func Words(c Change) string {
	if c.Op != Replace {
		return ""
	}
	old, new := scalar(c.Old), scalar(c.New)
	if old == "" || new == "" {
		return ""
	}
	if a, b, ok := both(old, new, parseTime); ok {
		return later(b.Sub(a))
	}
	if isQuantity(c.Path) {
		if a, b, ok := both(old, new, quantity); ok {
			return ratio(a, b)
		}
		return ""
	}
	if a, b, ok := both(old, new, parseDuration); ok {
		return ratio(a.Seconds(), b.Seconds())
	}
	return ""
}

// scalar is the text of a JSON string or number, "" of anything else.
func scalar(raw string) string {
	switch {
	case raw == "":
		return ""
	case raw[0] == '"':
		return text([]byte(raw))
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return raw
	}
	return ""
}

func both[T any](a, b string, parse func(string) (T, bool)) (x, y T, ok bool) {
	x, okX := parse(a)
	y, okY := parse(b)
	return x, y, okX && okY
}

// isQuantity reports whether the value at a path is an amount of a resource:
// elsewhere 5m is five minutes, or just a text.
func isQuantity(path string) bool {
	for _, part := range []string{"limits", "requests", "capacity", "allocatable", "hard", "used", "overhead", "allocatedResources"} {
		if i := strings.Index(path, part); i >= 0 && (i == 0 || path[i-1] == '.') && len(path) > i+len(part) && strings.IndexByte(".[", path[i+len(part)]) >= 0 {
			return true
		}
	}
	return strings.HasSuffix(path, ".sizeLimit") || strings.HasSuffix(path, ".averageValue")
}

// quantity reads an amount as Kubernetes writes it: 250m, 1.5Gi, 2e3.
func quantity(s string) (float64, bool) {
	digits := strings.IndexFunc(s, func(r rune) bool { return r != '.' && r != '-' && r != '+' && (r < '0' || r > '9') })
	if digits < 0 {
		digits = len(s)
	}
	n, err := strconv.ParseFloat(s[:digits], 64)
	if err != nil {
		return 0, false
	}
	suffix := s[digits:]
	if binary, ok := strings.CutSuffix(suffix, "i"); ok {
		i := strings.Index("KMGTPE", binary)
		if len(binary) != 1 || i < 0 {
			return 0, false
		}
		return n * math.Pow(1024, float64(i+1)), true
	}
	if len(suffix) > 1 && (suffix[0] == 'e' || suffix[0] == 'E') {
		exponent, err := strconv.Atoi(suffix[1:])
		return n * math.Pow10(exponent), err == nil
	}
	switch i := strings.Index("num kMGTPE", suffix); {
	case suffix == "":
		return n, true
	case len(suffix) != 1 || i < 0 || suffix == " ":
		return 0, false
	default:
		return n * math.Pow10(3*(i-3)), true
	}
}

func parseTime(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t, err == nil
}

// parseDuration reads a duration with a unit; a bare number is none.
func parseDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil && s != "0"
}

// ratio says what became of an amount.
func ratio(a, b float64) string {
	switch {
	case a == b:
		return "the same amount"
	case a <= 0 || b <= 0:
		return ""
	}
	switch r := b / a; {
	case r == 2:
		return "doubled"
	case r == 3:
		return "tripled"
	case r == 0.5:
		return "halved"
	case r > 3:
		return "×" + strconv.FormatFloat(math.Round(r*10)/10, 'f', -1, 64)
	case math.Round(r*100) == 100:
		return "" // what differs can be seen
	case r > 1:
		return "+" + strconv.Itoa(int(math.Round(r*100))-100) + "%"
	default:
		return "−" + strconv.Itoa(100-int(math.Round(r*100))) + "%"
	}
}

// later says how far apart two times are.
func later(d time.Duration) string {
	word := " later"
	if d < 0 {
		d, word = -d, " earlier"
	}
	unit, name := time.Millisecond, " ms"
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, " s"}, {time.Minute, " min"}, {time.Hour, " h"}, {24 * time.Hour, " d"}} {
		if d >= 2*u.unit || u.unit == time.Second && d >= u.unit {
			unit, name = u.unit, u.name
		}
	}
	if d == 0 {
		return "the same time"
	}
	return strconv.FormatInt(int64(math.Round(float64(d)/float64(unit))), 10) + name + word
}

// maxInside bounds the texts that are compared as JSON, in bytes of both.
const maxInside = 512 << 10

// Inside compares the JSON within a text that was changed: an annotation or an
// entry of a config map that holds a document. The paths are those in the
// document. ok is false if one of the texts is no JSON object; [TextDiff] is for
// those.
func Inside(c Change) (r Result, ok bool) {
	if c.Op != Replace || len(c.Old)+len(c.New) > maxInside || !strings.HasPrefix(c.Old, `"`) || !strings.HasPrefix(c.New, `"`) {
		return Result{}, false
	}
	old, new := strings.TrimSpace(text([]byte(c.Old))), strings.TrimSpace(text([]byte(c.New)))
	if !strings.HasPrefix(old, "{") || !strings.HasPrefix(new, "{") || !jsonscan.Valid([]byte(old)) || !jsonscan.Valid([]byte(new)) {
		return Result{}, false
	}
	return Objects([]byte(old), []byte(new)), true
}

// inside tells the first change within a text that holds JSON, and counts the
// others.
func inside(c Change) (s string, ok bool) {
	r, ok := Inside(c)
	if !ok || len(r.Changes) == 0 {
		return "", false
	}
	s = fact{Change: r.Changes[0]}.text()
	if n := len(r.Changes) - 1; n > 0 {
		s += " +" + strconv.Itoa(n) + " inside"
	}
	return s, true
}
