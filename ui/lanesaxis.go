package ui

import (
	"time"
)

// laneScales are how much time a column may stand for: what a minute, an hour
// or a day has a whole number of.
var laneScales = [...]int64{
	10 * ms, 20 * ms, 50 * ms, 100 * ms, 200 * ms, 500 * ms,
	1 * sec, 1500 * ms, 2 * sec, 3 * sec, 4 * sec, 5 * sec, 6 * sec, 10 * sec, 12 * sec, 15 * sec, 20 * sec, 30 * sec,
	60 * sec, 90 * sec, 120 * sec, 180 * sec, 240 * sec, 300 * sec, 360 * sec, 600 * sec, 720 * sec, 900 * sec, 1200 * sec, 1800 * sec,
	1 * hour, 2 * hour, 3 * hour, 4 * hour, 6 * hour, 8 * hour, 12 * hour, 24 * hour,
}

const (
	ms   = int64(time.Millisecond)
	sec  = int64(time.Second)
	hour = int64(time.Hour)
)

// fitScale is the finest scale in which a span fits into n columns.
func fitScale(span int64, n int) int {
	for i, cell := range laneScales {
		if span/cell < int64(max(n, 1)) {
			return i
		}
	}
	return len(laneScales) - 1
}

// axisSteps are the round times between the labels of the axis.
var axisSteps = [...]int64{
	200 * ms, 500 * ms, 1 * sec, 2 * sec, 5 * sec, 10 * sec, 15 * sec, 30 * sec,
	60 * sec, 120 * sec, 300 * sec, 600 * sec, 900 * sec, 1800 * sec,
	1 * hour, 2 * hour, 3 * hour, 4 * hour, 6 * hour, 12 * hour, 24 * hour, 48 * hour, 7 * 24 * hour, 28 * 24 * hour,
}

// axisMark is a label of the axis.
type axisMark struct {
	column int
	text   string
}

// axis labels columns of cell nanoseconds from the one that begins at first, by
// the clock of a place: at round times, far enough from one another.
func axis(first, cell int64, n int, loc *time.Location) []axisMark {
	const label = 12 // columns, with some space
	step := axisSteps[len(axisSteps)-1]
	for _, s := range axisSteps {
		if s >= cell && s%cell == 0 && s/cell >= label {
			step = s
			break
		}
	}
	_, offset := time.Unix(0, first).In(loc).Zone()
	shift := int64(offset) * sec
	layout := "15:04:05"
	switch {
	case step < sec:
		layout = "15:04:05.0"
	case step >= 24*hour:
		layout = "2006-01-02"
	case step >= 60*sec:
		layout = "15:04"
	}
	var marks []axisMark
	at := (first + shift) / step * step
	for ; ; at += step {
		c := int((at - shift - first) / cell)
		if at-shift < first {
			continue
		}
		if c >= n {
			return marks
		}
		t := time.Unix(0, at-shift).In(loc)
		text := t.Format(layout)
		if step < 24*hour && t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 {
			text = t.Format("01-02 15:04")
		}
		marks = append(marks, axisMark{c, text})
	}
}

// scaleName writes what a column stands for.
func scaleName(cell int64) string {
	d := time.Duration(cell)
	switch {
	case d < time.Second:
		return count(int(d/time.Millisecond)) + " ms"
	case d%time.Second != 0:
		return seconds(d)
	case d < time.Minute, d%time.Minute != 0:
		return count(int(d/time.Second)) + " s"
	case d < time.Hour:
		return count(int(d/time.Minute)) + " min"
	}
	return count(int(d/time.Hour)) + " h"
}
