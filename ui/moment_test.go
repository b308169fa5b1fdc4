package ui

import (
	"strings"
	"testing"
	"time"
)

func TestParseMoment(t *testing.T) {
	berlin := time.FixedZone("", 3600)
	at := func(s string) time.Time {
		x, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	p := Playback{From: at("2026-11-30T22:00:00Z"), To: at("2026-12-02T10:30:15.5Z"), Now: at("2026-12-01T12:00:00.25Z")}
	for text, want := range map[string]string{
		"2026-12-01T09:30:00Z":        "2026-12-01T09:30:00Z",
		"2026-12-01T09:30:00.125Z":    "2026-12-01T09:30:00.125Z",
		"2026-12-01t09:30:00z":        "2026-12-01T09:30:00Z",
		"2026-12-01T09:30:00-05:30":   "2026-12-01T15:00:00Z",
		" 2026-12-01 09:30 ":          "2026-12-01T08:30:00Z",
		"2026-12-01 9:05:07":          "2026-12-01T08:05:07Z",
		"2026-12-01":                  "2026-11-30T23:00:00Z",
		"13:30":                       "2026-12-01T12:30:00Z",
		"0:10":                        "2026-11-30T23:10:00Z", // today's, though tomorrow's is nearer
		"23:05:00.5":                  "2026-12-01T22:05:00.5Z",
		"11:30:15":                    "2026-12-01T10:30:15Z",
		"+5m":                         "2026-12-01T12:05:00.25Z",
		"-30s":                        "2026-12-01T11:59:30.25Z",
		"+1h30m":                      "2026-12-01T13:30:00.25Z",
		"-1.5s":                       "2026-12-01T11:59:58.75Z",
		"+250ms":                      "2026-12-01T12:00:00.5Z",
		"+1d":                         "2026-12-02T10:30:15.5Z", // ends at the end
		"-3d":                         "2026-11-30T22:00:00Z",
		"2026-11-30T22:00:00Z":        "2026-11-30T22:00:00Z",
		"2026-12-02T11:30:15.5+01:00": "2026-12-02T10:30:15.5Z",
	} {
		got, err := parseMoment(text, p, berlin)
		if err != nil {
			t.Errorf("%q: %s at %d", text, err.Text, err.At)
		} else if !got.Equal(at(want)) {
			t.Errorf("%q is %v, want %s", text, got.UTC(), want)
		}
	}
	for text, want := range map[string]struct {
		at   int
		text string
	}{
		"":                           {0, "a moment is expected: 15:04:05, "},
		"x":                          {0, "a moment is expected: 15:04:05, "},
		"25:00":                      {0, "hour is at most 23"},
		"12":                         {2, ": is expected"},
		"12:60":                      {3, "minute is at most 59"},
		"12:30:99":                   {6, "second is at most 59"},
		"12:30:10.":                  {9, "digits"},
		"12:30:10 x":                 {8, "nothing more"},
		"12:30é":                     {5, "nothing more"},
		"2026-13-01 12:00":           {5, "month is at most 12"},
		"2026-02-30 12:00":           {0, "no such day"},
		"2026-12-01x":                {10, "a space or T"},
		"2026-12-01 12:00:00X":       {19, "zone"},
		"2026-12-01T12:00:00+0100":   {22, "expected before the minute of the zone"},
		"2025-12-01T12:00:00Z":       {0, "not on the tape, which is from 2026-11-30 23:00:00 to 2026-12-02 11:30:15"},
		"+":                          {1, "a number"},
		"+5":                         {2, "a unit"},
		"+5x":                        {2, "a unit"},
		"+5mx":                       {3, "a number"},
		"  -.":                       {4, "a unit"},
		"+99999999999999999999d":     {1, "no tape is that long"},
		"2026-":                      {5, "month is missing"},
		"2026-12-01 12:00:00 +01:00": {19, "zone"},
	} {
		if got, err := parseMoment(text, p, berlin); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		} else if err.At != want.at || !strings.Contains(err.Text, want.text) {
			t.Errorf("%q: %q at %d, want %q at %d", text, err.Text, err.At, want.text, want.at)
		}
	}
	// A tape within a day: a time that it does not have is none.
	p = Playback{From: at("2026-12-01T12:00:00Z"), To: at("2026-12-01T13:00:00Z"), Now: at("2026-12-01T12:00:00Z")}
	if got, err := parseMoment("14:30", p, time.UTC); err == nil || !strings.HasSuffix(err.Text, "from 12:00:00 to 13:00:00") {
		t.Errorf("14:30 is %v, %v", got, err)
	}
}

func FuzzParseMoment(f *testing.F) {
	for _, s := range []string{"12:30:00.5", "+1h30m", "2026-12-01T12:00:00+01:00", "-1.5s", "2026-1-1 9:5"} {
		f.Add(s)
	}
	from := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	p := Playback{From: from, To: from.Add(48 * time.Hour), Now: from.Add(time.Hour)}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseMoment(s, p, time.UTC)
		if err != nil {
			if err.At < 0 || err.At > len([]rune(s)) || err.Text == "" {
				t.Fatalf("%q: %+v", s, err)
			}
			return
		}
		if got.Before(p.From) || got.After(p.To) {
			t.Fatalf("%q is %v, which is not on the tape", s, got)
		}
	})
}
