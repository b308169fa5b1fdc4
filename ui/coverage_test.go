package ui

import (
	"slices"
	"testing"
	"time"
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
	for want, part := range map[string][2]int64{"100.0%": {7, 7}, "99.9%": {99_960, 100_000}, "0.0%": {1, 100_000}, "50.0%": {1, 2}, "33.3%": {1, 3}} {
		if got := share(part[0], part[1]); got != want {
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

// What fits does not scroll away.
func TestCoverageScrollsOnlyAsFarAsThereIsMore(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	d.script()
	d.press("C")
	d.wait(0)
	before := d.screen()
	d.press("G", "down")
	if after := d.screen(); after != before {
		t.Errorf("it scrolls:\n%s", after)
	}
}
