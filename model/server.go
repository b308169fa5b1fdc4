package model

import "time"

// ServerStats is what a server said of itself at a moment: figures of its
// metrics, or why there are none.
type ServerStats struct {
	Context string // kubeconfig context
	At      time.Time
	Took    time.Duration
	Bytes   int64 // of the page that was read
	// Err is in words why the metrics could not be read, "" if they could. Advice
	// says what to do about it, in lines. Both are not yet sanitised.
	Err    string
	Advice []string
	// Restarted says that what the server counts began anew since the reading
	// before: it was restarted, or another server answered.
	Restarted bool
	Figures   []Figure
	Every     time.Duration // until the next reading
}

// Unit is what a figure counts.
type Unit string

// Units of figures; those of a rate are meant per second.
const (
	UnitNone    Unit = ""
	UnitRate    Unit = "/s"
	UnitBytes   Unit = "B"
	UnitFlow    Unit = "B/s"
	UnitSeconds Unit = "s"
)

// Figure is one figure of a server.
type Figure struct {
	Name string
	Help string // what it is, for people
	Unit Unit
	// Given says that the server has the metric at all, Known that the value is
	// known: rates and percentiles take two readings, and percentiles need
	// something that was observed between the two.
	Given, Known bool
	Value        float64 // of a distribution, the 99th percentile
	Spread       bool    // it is a distribution, of what happened since the reading before
	Median       float64
	PerSecond    float64 // observations of a distribution
}
