package moment

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	day := time.Date(2026, 12, 1, 22, 0, 0, 0, berlin)
	for text, want := range map[string]struct {
		at   string
		unit time.Duration
	}{
		"2026-12-01":                  {"2026-11-30T23:00:00Z", 24 * time.Hour},
		"2026-12-01 12:30":            {"2026-12-01T11:30:00Z", time.Minute},
		"2026-12-01T12:30:15":         {"2026-12-01T11:30:15Z", time.Second},
		"2026-12-01T12:30:15.25Z":     {"2026-12-01T12:30:15.25Z", 10 * time.Millisecond},
		"2026-12-01T12:30:15-05:30":   {"2026-12-01T18:00:15Z", time.Second},
		"  7:05 ":                     {"2026-12-01T06:05:00Z", time.Minute},
		"23:59:59.123456789":          {"2026-12-01T22:59:59.123456789Z", 1},
		"2026-12-01T00:00:00.0000001": {"2026-11-30T23:00:00.0000001Z", 100},
	} {
		m, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := m.On(day)
		if m.Dated {
			got = m.In(berlin)
		}
		if s := got.UTC().Format(time.RFC3339Nano); s != want.at || m.Unit != want.unit || m.Relative {
			t.Errorf("%q: %s, %v, want %s, %v", text, s, m.Unit, want.at, want.unit)
		}
	}
	// A clock that jumps: the day has no second hour, or two.
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	m, _ := Parse("12:30")
	if got := m.On(time.Date(2026, 3, 29, 1, 0, 0, 0, zone)); got.Hour() != 12 || got.Minute() != 30 {
		t.Errorf("%v", got)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"90s": 90 * time.Second, "1h30m": 90 * time.Minute, "2.5d": 60 * time.Hour, "250ms": 250 * time.Millisecond} {
		if d, err := Duration(text); err != nil || d != want {
			t.Errorf("%q: %v %v", text, d, err)
		}
		if m, err := Parse("-" + text); err != nil || !m.Relative || m.By != -want {
			t.Errorf("-%q: %+v %v", text, m, err)
		}
	}
	for text, at := range map[string]int{"": 0, "5": 1, "5x": 1, "5m-": 2, "soon": 0, "99999999999d": 0} {
		if d, err := Duration(text); err == nil || err.At != at {
			t.Errorf("%q: %v %+v, want an error at %d", text, d, err, at)
		}
	}
}
