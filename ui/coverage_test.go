package ui

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"rewatch/model"
)

// What was watched, when: a stream that is lost for a while has a bar that says
// so, and its share of the time.
func TestCoverageScreens(t *testing.T) {
	goldenScreens(t, "coverage", func(t *testing.T, w, h int, theme string) *driver {
		d := newDriver(t, w, h, theme)
		d.script()
		d.wait(10 * time.Second)
		d.trouble()
		d.wait(10 * time.Second)
		d.press("C")
		d.wait(time.Second)
		return d
	})
}

func TestCoverageCountsTheTimeThatAStreamWasCurrent(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.demo.start(d.now, "prod-eu", 3)
	d.wait(10 * time.Second)
	d.trouble()
	d.wait(10 * time.Second)
	d.press("C")
	d.wait(0)
	d.has("50.0%")
	d.has("100.0%")
	d.has("═")
	d.has("░")
	d.press("C")
	d.hasNot("▸Coverage")
}

func TestSharesAreRoundedDown(t *testing.T) {
	for want, part := range map[string][2]int64{"100.0": {68144949607423, 68144949607423}, "99.9": {99_960, 100_000}, "0.0": {1, 100_000}, "50.0": {1, 2}, "33.3": {1, 3}, "29.0": {math.MaxInt64 / 100 * 29, math.MaxInt64 / 100 * 100}} {
		if got := Share(part[0], part[1]); got != want {
			t.Errorf("%d of %d is %s, want %s", part[0], part[1], got, want)
		}
	}
}

// Each part of a bar is what it would be if all steps and gaps were looked at.
func TestBarsOfCoverage(t *testing.T) {
	s := &watchedStream{}
	for i := range int64(40) {
		s.steps = append(s.steps, watchedStep{i*i*10 + 5, i%2 == 0})
		s.gaps = append(s.gaps, watchedGap{i * i * 9, i*i*9 + i%7, noRow})
	}
	from, to, n := int64(100), int64(17_000), 60
	for x, missed := range s.missed(from, to, n) {
		a, b := partAt(from, to, x, n), partAt(from, to, x+1, n)
		want := slices.ContainsFunc(s.gaps, func(g watchedGap) bool { return g.from < g.to && g.from < b && g.to > a })
		if missed != want {
			t.Errorf("part %d: missed %v, want %v", x, missed, want)
		}
		var fresh, known int64
		for i, step := range s.steps {
			end := b
			if i+1 < len(s.steps) {
				end = min(end, s.steps[i+1].at)
			}
			if d := end - max(step.at, a); d > 0 {
				known += d
				if step.fresh {
					fresh += d
				}
			}
		}
		if f, k := s.current(a, b); f != fresh || k != known {
			t.Errorf("part %d: %d of %d, want %d of %d", x, f, k, fresh, known)
		}
	}
}

// memoryTapes tells of tapes that nobody has.
type memoryTapes struct {
	list []Tape
	err  error
}

func (m memoryTapes) Tapes(context.Context) ([]Tape, error) { return m.list, m.err }

// aTape is a tape with all that there may be on one, over the span of a replay.
func aTape(from, to time.Time) Tape {
	at := func(part float64) time.Time { return from.Add(time.Duration(part * float64(to.Sub(from)))) }
	part := func(x float64) time.Duration { return at(x).Sub(from) }
	return Tape{Name: "shop.rwt", From: from, To: to,
		Facts: func(clock func(time.Time) string) []Fact {
			return []Fact{{"recorded", clock(from) + " to " + clock(to), false}, {"by", "rewatch v1.2.3, " + clock(from), false},
				{"ended", "not closed: its recorder was killed or ran out of disk; up to " + clock(to) + " it has what was recorded", true},
				{"size", "65 KiB, 0.97 % of the 6.6 MiB of its frames alone, 29.1 bytes a frame, in 1 segment", false},
				{"redacted", "values of Secrets (data, stringData, copies in annotations) are keyed fingerprints\x1b[31m", false}}
		},
		Streams: []TapeStream{
			{Name: "pods", Full: "pods", Context: "prod-eu", Scope: "shop", Initial: 12, Added: 3, Modified: 140, Deleted: 2, Objects: 13, Gaps: 1, Bytes: 1_200_000, Watched: part(1), Fresh: part(0.75), State: "LIVE",
				Spans: []TapeSpan{{at(0), at(0.5), true, ""}, {at(0.5), at(0.75), false, "RETRY connection refused"}, {at(0.75), to, true, ""}}},
			{Name: "deployments.apps", Full: "deployments.apps", Context: "prod-eu", Scope: "shop", Initial: 4, Modified: 9, Objects: 4, Bytes: 80_000, Watched: part(0.75), Fresh: part(0.5), State: "LIVE",
				Spans: []TapeSpan{{at(0), at(0.5), true, ""}, {at(0.5), at(0.75), false, "RETRY connection refused"}}},
			{Name: "secrets", Full: "secrets", Context: "prod-eu", Scope: "shop", Watched: part(1), State: "DENIED", Failure: "DENIED secrets is forbidden",
				Spans: []TapeSpan{{at(0), to, false, "DENIED secrets is forbidden"}}},
		},
		Gaps:    []TapeMoment{{at(0.5), at(0.75), 1, "rv 100 to 180, 3s  history lost; found 1 added, 0 modified, 0 deleted"}},
		Marks:   []TapeMoment{{at(0.25), at(0.25), 0, "checkout 1.5.0 goes out"}},
		Damages: []TapeMoment{{at(0.9), at(0.95), 0, "byte 4,711, 20 bytes, 3 records lost: checksum"}},
	}
}

func newTapeReplay(t *testing.T, w, h int, theme string) *driver {
	d, deck := newReplay(t, w, h, theme)
	d.app.o.Tapes = memoryTapes{list: []Tape{aTape(deck.play.From, deck.play.To)}}
	return d
}

// Of a replay it says what rewatch info says.
func TestCoverageOfATapeScreens(t *testing.T) {
	goldenScreens(t, "coverage-tape", func(t *testing.T, w, h int, theme string) *driver {
		d := newTapeReplay(t, w, h, theme)
		d.press("C", "G", "up")
		return d
	})
}

// Live it says how the recording stands.
func TestCoverageOfARecordingScreens(t *testing.T) {
	goldenScreens(t, "coverage-recording", func(t *testing.T, w, h int, theme string) *driver {
		d := newDriver(t, w, h, theme)
		d.script()
		r := &memoryRecorder{path: "/home/dev/shop.tape", bytes: 4_200_000}
		d.app.recording.recorder = r
		d.press("R", "n")
		r.now.Since, r.now.Wire, r.now.Unsafe, r.now.Behind, r.now.Safe = d.now, 120_000_000, 31, 300*time.Millisecond, d.now
		d.demo.step(d.now, "prod-eu/deployments", model.Stopped, model.CauseUser, "removed by the user", time.Time{}, 0)
		d.wait(2 * time.Second)
		d.press("C")
		d.wait(time.Second)
		return d
	})
}

func TestCoverageGoesToMoments(t *testing.T) {
	d := newTapeReplay(t, 120, 36, "dark")
	tape := d.app.o.Tapes.(memoryTapes).list[0]
	d.press("C", "G", "enter")
	d.hasNot("▸Coverage")
	if want := tape.Marks[0].From; !d.deck.play.Now.Equal(want) {
		t.Errorf("the replay is at %v, the mark at %v", d.deck.play.Now, want)
	}
	d.press("C", "g", "g", "enter")
	d.has("▸ Tape shop.rwt")
	d.hasNot("29.1 bytes a frame")
	d.press("down", "enter", "G") // streams are folded
	d.has("pods +1  ")
	d.hasNot("140")
}

func TestCoverageSaysThatATapeCannotBeRead(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "dark")
	d.app.o.Tapes = memoryTapes{err: errors.New("input/output error")}
	d.press("C")
	d.has("cannot be told of: input/output error")
	d.has("pods")
}

// Narrower than any terminal should be, and wider: no line breaks out.
func TestCoverageFitsAnyWidth(t *testing.T) {
	for _, w := range []int{24, 40, 61, 80, 99, 140, 300} {
		d := newTapeReplay(t, w, 24, "mono")
		d.press("C", "down", "down", "G")
		d.screen()
	}
}

func TestTheCommandThatPlaysARecording(t *testing.T) {
	for path, want := range map[string]string{"a.rwt": "a.rwt", "-a.rwt": "./-a.rwt", "my tape's.rwt": `'my tape'\''s.rwt'`} {
		if got := ReplayCommand(path); got != "rewatch replay "+want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
