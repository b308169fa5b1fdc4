package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// column is a part of the rows of objects that can be shown or left out.
type column uint8

const (
	colTime column = iota
	colSign
	colContext
	colKind
	colNamespace
	colName
	colChange
	colManager
	colVersion
	colRV
	colStream
	allColumns
)

// columnInfo tells of each column, in the order in which they stand at first.
var columnInfo = [allColumns]struct {
	name, help string
	usual      bool // it is shown at first
}{
	colTime:      {"time", "when it happened; T chooses by which clock", true},
	colSign:      {"sign", "+ created, ~ modified, - deleted, = there before", true},
	colContext:   {"context", "of which cluster, where there are several", true},
	colKind:      {"kind", "the kind of the object", true},
	colNamespace: {"namespace", "in a column of its own, not before the name", false},
	colName:      {"name", "the name of the object", true},
	colChange:    {"change", "what changed; it is always there", true},
	colManager:   {"manager", "who changed it", true},
	colVersion:   {"version", "which version of the object this is, counted from 1", false},
	colRV:        {"resourceVersion", "the resourceVersion that it came with", false},
	colStream:    {"stream", "the watch that it came by", false},
}

func (x column) String() string { return columnInfo[x].name }

// Columns are the names of the columns that rows can have.
func Columns() []string {
	out := make([]string, allColumns)
	for x := range allColumns {
		out[x] = x.String()
	}
	return out
}

// CheckColumns says what is wrong with a list of columns.
func CheckColumns(names []string) error {
	for i, s := range names {
		if !slices.Contains(Columns(), s) {
			return fmt.Errorf("there is no column %q; they are %s", s, strings.Join(Columns(), ", "))
		}
		if slices.Contains(names[:i], s) {
			return errors.New("the column " + s + " is there twice")
		}
	}
	return nil
}

// Rows is what the rows of the timeline show at first.
type Rows struct {
	// Columns in their order, as CheckColumns takes them; none are the usual ones.
	Columns []string
	Times   string // one of TimeModes; "" is the first
	// Save keeps both for the next time, in Options.NoiseFile; nil: it cannot.
	Save func(columns []string, times string) error
}

// columnSet is which columns are wanted, and in which order. All are in the
// order, also those that are not wanted: they come back to their place.
type columnSet struct {
	order [allColumns]column
	shown [allColumns]bool
}

// newColumnSet has the columns of a list, which CheckColumns takes, in its
// order; an empty list is the usual ones. What changed is always among them.
func newColumnSet(names []string) (s columnSet) {
	n := 0
	put := func(x column, shown bool) {
		s.order[n], s.shown[x] = x, shown
		n++
	}
	for _, name := range names {
		if x := slices.Index(Columns(), name); x >= 0 {
			put(column(x), true)
		}
	}
	for x := range allColumns {
		if !slices.Contains(s.order[:n], x) {
			put(x, x == colChange || len(names) == 0 && columnInfo[x].usual)
		}
	}
	return s
}

// names lists the columns that are wanted.
func (s columnSet) names() (out []string) {
	for _, x := range s.order {
		if s.shown[x] {
			out = append(out, x.String())
		}
	}
	return out
}

// columns are those that a timeline of a given width has room for, and their
// widths.
type columns struct {
	w     int
	n     int
	order [allColumns]column // the first n are shown
	width [allColumns]int    // 0 is left out
}

const (
	// leastChange is what is kept for what changed before columns are left out
	// that can be missed, someChange before the context is, and barelyChange
	// before those are that can hardly be missed.
	leastChange, someChange, barelyChange = 24, 16, 10
	// narrowTimeline is where times lose what they can.
	narrowTimeline = 64
)

// The order in which columns are left out where there is no room for all.
var (
	leftOutFirst = [...]column{colRV, colVersion, colStream, colManager, colNamespace}
	leftOutLast  = [...]column{colKind, colTime}
)

func newColumns(w int, contexts bool, set columnSet, mode timeMode) columns {
	c := columns{w: w, width: [allColumns]int{colTime: mode.width(w), colSign: 1, colContext: min(max(w*9/100, 8), 16), colKind: 7,
		colNamespace: min(max(w*10/100, 10), 18), colManager: 14, colVersion: 6, colRV: 11, colStream: 14}}
	if w >= 130 {
		c.width[colManager] = 23
	}
	for _, x := range set.order {
		if set.shown[x] && (x != colContext || contexts) {
			c.order[c.n] = x
			c.n++
		}
	}
	for x := range allColumns {
		if !slices.Contains(c.order[:c.n], x) {
			c.width[x] = 0
		}
	}
	c.share()
	for _, x := range leftOutFirst {
		if c.width[colChange] < leastChange {
			c.leaveOut(x)
		}
	}
	if c.width[colChange] < someChange {
		c.leaveOut(colContext)
	}
	for _, x := range leftOutLast {
		if c.width[colChange] < barelyChange {
			c.leaveOut(x)
		}
	}
	if wide := c; w >= 100 && c.width[colKind] > 0 {
		wide.width[colKind] = 13
		if wide.share(); wide.width[colChange] >= leastChange {
			return wide
		}
	}
	return c
}

// leaveOut makes room.
func (c *columns) leaveOut(x column) {
	if i := slices.Index(c.order[:c.n], x); i >= 0 {
		copy(c.order[i:], c.order[i+1:c.n])
		c.n--
		c.order[c.n], c.width[x] = 0, 0
		c.share()
	}
}

// gap is how many cells are between a column and the next.
func (x column) gap() int {
	if x == colName {
		return 2
	}
	return 1
}

// share gives to the name and to what changed what the others leave.
func (c *columns) share() {
	rest := c.w - 1 // the marker
	for i, x := range c.order[:c.n] {
		if x != colName && x != colChange {
			rest -= c.width[x]
		}
		if i < c.n-1 {
			rest -= x.gap()
		}
	}
	if slices.Contains(c.order[:c.n], colName) {
		name := max(min(c.w*30/100, 38, rest), 16)
		c.width[colName] = max(min(name, rest), 0)
	}
	c.width[colChange] = max(rest-c.width[colName], 0)
}
