package ui

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model/cputest"
)

// manyPods is a tape with the Pods of two namespaces and two contexts; of one of
// them changes may be missing.
func manyPods(from, to time.Time) Tape {
	t := aTape(from, to)
	pods := t.Streams[0]
	t.Streams = nil
	for _, x := range [][2]string{{"prod-eu", "shop"}, {"prod-eu", "pay"}, {"staging", "shop"}} {
		s := pods
		s.Context, s.Scope, s.Full = x[0], x[1], "pods in "+x[1]+" @"+x[0]
		s.Gaps, s.Spans, s.Fresh = 0, []TapeSpan{{from, to, true, ""}}, pods.Watched
		t.Streams = append(t.Streams, s)
	}
	t.Streams[0].Gaps = 1
	t.Streams[2].Spans, t.Streams[2].Fresh = pods.Spans, pods.Fresh
	return t
}

func newManyReplay(t *testing.T, w, h int, theme string, change func(*Tape)) *driver {
	d, deck := newReplay(t, w, h, theme)
	tape := manyPods(deck.play.From, deck.play.To)
	change(&tape)
	d.app.o.Tapes = memoryTapes{list: []Tape{tape}}
	return d
}

func TestCoverageOfManyScreens(t *testing.T) {
	goldenScreens(t, "coverage-many", func(t *testing.T, w, h int, theme string) *driver {
		d := newManyReplay(t, w, h, theme, func(*Tape) {})
		d.press("C", "down", "down", "down", "down", "down", "down", "down")
		return d
	})
}

// A gap is drawn on the bar of its own stream, and the lines say of which of
// several a gap or a lapse is.
func TestCoverageTellsStreamsOfOneTypeApart(t *testing.T) {
	for _, size := range sizes {
		d := newManyReplay(t, size[0], size[1], "dark", func(*Tape) {})
		d.press("C")
		streams := 0
		for _, line := range d.lines() {
			if !strings.HasPrefix(line, "  pods ") {
				continue
			}
			streams++
			gap := strings.Contains(line, "═")
			if shop := strings.Contains(line, "prod-eu/shop"); gap != shop || !shop && !strings.Contains(line, "prod-eu/pay") && !strings.Contains(line, "staging/shop") {
				t.Errorf("%v: %q", size, line)
			}
		}
		if streams != 3 {
			t.Errorf("%v: %d streams", size, streams)
		}
		d.press("G") // below, on a screen of 24 lines
		d.has("  pods in shop @prod-eu  rv 100")
		d.has("  pods in shop @staging  ")
	}
}

// What is in no list is counted.
func TestCoverageCountsWhatListsLeaveOut(t *testing.T) {
	d := newManyReplay(t, 120, 60, "dark", func(x *Tape) { x.MoreGaps, x.MoreMarks = 2500, 7 })
	d.press("C")
	d.has("Gaps: changes may be missing  2,501")
	d.has("and 2,500 more")
	d.has("the bars show the first 1 gaps alone")
	d.has("Marks  8")
	d.has("and 7 more")
	d.press("g", "g")
	for !strings.Contains(d.app.page.page.(*coverage).items[d.app.page.page.(*coverage).cursor].section, "Gaps") {
		d.press("down")
	}
	d.press("enter") // folded, nothing is said of bars
	d.hasNot("the bars show")
	d.has("Gaps: changes may be missing  2,501")
}

// All times in which something was not current are in order.
func TestLapsesAreInOrder(t *testing.T) {
	d := newManyReplay(t, 120, 60, "dark", func(*Tape) {})
	over := &d.app.scrub.over
	over.Unwatched = []Span{{From: over.To.Add(-2 * time.Second), To: over.To.Add(-time.Second), Text: "nothing was recorded"}}
	d.press("C")
	c := d.app.page.page.(*coverage)
	i := slices.IndexFunc(c.items, func(x coverageItem) bool { return x.section == "Not current, or not watched" })
	lines := c.items[i+1:]
	if n := c.items[i].n; n != 2 || !lines[0].at.Before(lines[1].at) || !strings.Contains(lines[1].text, "nobody watched") {
		t.Errorf("%d lapses: %+v", n, lines[:2])
	}
}

// However much a tape has, what folds a section looks at what it shows.
func TestFoldingACoverageIsCheap(t *testing.T) {
	d := newManyReplay(t, 120, 36, "dark", func(x *Tape) {
		part := x.To.Sub(x.From) / 10_001
		x.Streams, x.Gaps = nil, nil
		for i := range 11 {
			s := TapeStream{Name: "pods", Full: fmt.Sprint("pods in ", i), Context: "prod-eu", Scope: fmt.Sprint(i), Watched: x.To.Sub(x.From), Gaps: 10_000 / 11}
			for j := range 10_000 {
				from := x.From.Add(time.Duration(j) * part)
				s.Spans = append(s.Spans, TapeSpan{from, from.Add(part), j%2 == 0, fmt.Sprint("RETRY ", i, j)})
			}
			x.Streams = append(x.Streams, s)
		}
		for j := range 10_000 {
			from := x.From.Add(time.Duration(j) * part)
			x.Gaps = append(x.Gaps, TapeMoment{from, from.Add(part), 1 + j%11, "rv 1 to 2"})
		}
	})
	d.press("C")
	c := d.app.page.page.(*coverage)
	if !slices.ContainsFunc(c.items, func(x coverageItem) bool { return x.n >= 55_000 }) || len(c.items) > 3*lineLimit {
		t.Fatalf("%d lines", len(c.items))
	}
	d.screen()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := cputest.Thread()
	const times = 20
	for range times {
		c.build(d.app)
		c.draw(d.app, d.app.lay.page.body())
	}
	each := (cputest.Thread() - begin) / times
	most := cputest.Bound(8 * time.Millisecond)
	t.Logf("%v, of at most %v", each, most)
	if each > most {
		t.Errorf("a fold and its frame take %v, want %v at the most", each, most)
	}
}

// A recording that ended before all was on the disk says so.
func TestCoverageSaysWhatNeverReachedTheDisk(t *testing.T) {
	d := newDriver(t, 120, 36, "dark")
	for _, c := range []struct {
		r    Recording
		want []Fact
	}{
		{Recording{Path: "a", Unsafe: 31}, []Fact{{"lost", "31 records never reached the disk", true}}},
		{Recording{Path: "a"}, nil},
		{Recording{Path: "a", On: true, Unsafe: 31}, []Fact{{"lag", "31 records not on the disk yet, the oldest for 0.0 s", false}}},
	} {
		got := d.app.recordingFacts(c.r)
		got = slices.DeleteFunc(got, func(f Fact) bool { return f.Name != "lost" && (f.Name != "lag" || !c.r.On) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c.r, got)
		}
	}
}
