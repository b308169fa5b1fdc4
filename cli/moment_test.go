package cli

import (
	"strings"
	"testing"
	"time"
)

func TestMoments(t *testing.T) {
	loc := time.FixedZone("CET", 3600)
	at := func(s string) time.Time {
		t.Helper()
		when, err := time.ParseInLocation("2006-01-02 15:04:05.999999999", s, loc)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	from, to := at("2026-12-01 12:00:20.5"), at("2026-12-01 12:10:00.25")
	night, morning := at("2026-12-01 22:00:00"), at("2026-12-02 07:30:00")
	for _, c := range []struct {
		text     string
		from, to time.Time
		want     string // a time, or what the error says
	}{
		{"2026-12-01T11:03:00Z", from, to, "2026-12-01 12:03:00"},
		{"2026-12-01T12:03:00.123456789+01:00", from, to, "2026-12-01 12:03:00.123456789"},
		{"2025-01-01T00:00:00Z", from, to, "2025-01-01 01:00:00"}, // outside: the caller's
		{"2026-12-01 12:03", from, to, "2026-12-01 12:03:00"},
		{"2026-12-01T12:03", from, to, "2026-12-01 12:03:00"},
		{"2026-12-01 12:03:04.5", from, to, "2026-12-01 12:03:04.5"},
		{" 12:03:04 ", from, to, "2026-12-01 12:03:04"},
		{"12:03:04.001", from, to, "2026-12-01 12:03:04.001"},
		{"12:03", from, to, "2026-12-01 12:03:00"},
		{"+1m30s", from, to, "2026-12-01 12:01:50.5"},
		{"-250ms", from, to, "2026-12-01 12:10:00"},
		{"+0s", from, to, "2026-12-01 12:00:20.5"},
		// What names the second or minute of the beginning means that.
		{"12:00:20", from, to, "2026-12-01 12:00:20.5"},
		{"12:00", from, to, "2026-12-01 12:00:20.5"},
		{"2026-12-01 12:00", from, to, "2026-12-01 12:00:20.5"},
		{"2026-12-01T11:00:20Z", from, to, "2026-12-01 12:00:20.5"},
		{"2026-12-01", from, to, "2026-12-01 12:00:20.5"},
		{"2026-12-02", night, morning, "2026-12-02 00:00:00"},
		{"2026-12-01T11:00:20.4Z", from, to, "2026-12-01 12:00:20.4"},
		{"12:00:20.4", from, to, "is not on the tape, which is from 12:00:20.500 to 12:10:00.250 (CET, 9m39.75s)"},
		{"12:10:01", from, to, "is not on the tape"},
		{"11:59", from, to, "is not on the tape"},
		{"+10m", from, to, "is not on the tape"},
		{"-10m", from, to, "is not on the tape"},
		// Over midnight.
		{"23:00", night, morning, "2026-12-01 23:00:00"},
		{"07:00", night, morning, "2026-12-02 07:00:00"},
		{"12:00", night, morning, "is not on the tape, which is from 2026-12-01 22:00:00.000 to 2026-12-02 07:30:00.000"},
		{"23:00", night, morning.AddDate(0, 0, 5), `more than once during the recording; name the day too: "2026-12-01 23:00:00"`},
		{"noon", from, to, `"noon" is no moment; it must be`},
		{"+soon", from, to, `"+soon" is no moment`},
		{"2026-12-01 25:00", from, to, "is no moment"},
		{"12", from, to, "is no moment"},
		{"", from, to, "is no moment"},
		{"12:03", time.Time{}, time.Time{}, "nothing was recorded"},
		{"12:03", time.Unix(0, -1<<63), time.Unix(0, 1<<63-1), "more than once"},
	} {
		got, err := parseMoment(c.text, c.from, c.to, loc)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: %v, want %s", c.text, err, c.want)
			}
			continue
		}
		if s := got.In(loc).Format("2006-01-02 15:04:05.999999999"); s != c.want {
			t.Errorf("%q: %s, want %s", c.text, s, c.want)
		}
	}
}

func FuzzMoment(f *testing.F) {
	f.Add("12:03:04.5", int64(0), int64(1e15))
	f.Add("2026-12-01T11:00:20.4Z", int64(-1<<62), int64(1<<62))
	f.Add("+1h", int64(0), int64(1))
	f.Fuzz(func(t *testing.T, text string, from, to int64) {
		_, _ = parseMoment(text, time.Unix(0, from), time.Unix(0, to), time.UTC)
	})
}
