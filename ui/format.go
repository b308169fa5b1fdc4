package ui

import (
	"strconv"
	"time"
)

// count writes 1204 as "1,204".
func count[T int | int64 | uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size writes bytes as "41 MB".
func size(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 1000_000:
		return strconv.FormatInt(n/1000, 10) + " kB"
	case n < 10_000_000:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
	case n < 10_000_000_000:
		return strconv.FormatInt(n/1000_000, 10) + " MB"
	}
	return strconv.FormatFloat(float64(n)/1e9, 'f', 1, 64) + " GB"
}

// age writes a time span to one unit: "0s", "12s", "4m", "2h", "3d".
func age(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 100*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < 100*time.Minute:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// seconds writes a short span with a decimal: "1.6 s", "12 s", "4m10s".
func seconds(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < 100*time.Second:
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	return d.Truncate(time.Second).String()
}

// plural writes "1 row", "2 rows".
func plural[T int | int64 | uint64](n T, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + one + "s"
}

// bars are the eight heights of a sparkline.
var bars = [...]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}

// spark draws the last n values, the highest as a full block; nothing is a
// flat line.
func spark(values []uint32, n int) string {
	if n > len(values) {
		n = len(values)
	}
	values = values[len(values)-n:]
	var top uint32
	for _, v := range values {
		top = max(top, v)
	}
	b := make([]byte, 0, 3*n)
	for _, v := range values {
		i := 0
		if v > 0 {
			// Low rates stay low: a single event is not a full block.
			i = 1 + int(uint64(v)*6/uint64(max(top, 7)))
		}
		b = append(b, bars[i]...)
	}
	return string(b)
}

// lasted writes a span of which fractions of a millisecond matter: "0.57 ms",
// "340 ms", "1.6 s".
func lasted(d time.Duration) string {
	switch ms := float64(d) / float64(time.Millisecond); {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
	case ms < 1000:
		return strconv.Itoa(int(ms)) + " ms"
	}
	return seconds(d)
}
