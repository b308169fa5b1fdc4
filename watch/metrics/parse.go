package metrics

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
)

// The text format of Prometheus, version 0.0.4, as far as it is needed:
//
//	# HELP …
//	name{label="value",…} 1.5e+06 1796122426030
//
// https://prometheus.io/docs/instrumenting/exposition_formats/

const (
	maxLine    = 64 << 10 // bytes of one; longer ones are passed over
	maxBuckets = 200      // of one family
)

// errNoMetrics says that what was read is something else.
var errNoMetrics = errors.New("the answer has no metrics in the text format of Prometheus")

// reading is one page added up.
type reading struct {
	sums  []sum // of the families, in their order
	start float64
	lines int // samples of any family
}

// sum is a family added up over its labels.
type sum struct {
	given   bool
	value   float64 // of a gauge or a counter; of a distribution, what was observed in all
	count   float64 // observations of a distribution
	buckets map[float64]float64
}

// startFamily is when the process began, which tells two of them apart.
const startFamily = "process_start_time_seconds"

// read adds up a page.
func read(r io.Reader) (*reading, error) {
	out := &reading{sums: make([]sum, len(families))}
	index := byName()
	in := bufio.NewReaderSize(r, maxLine)
	for long := false; ; {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			long = true
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		if !long {
			out.line(index, bytes.TrimSpace(line))
		}
		long = false
		if err != nil {
			break
		}
	}
	if out.lines == 0 {
		return nil, errNoMetrics
	}
	return out, nil
}

// line takes one line in.
func (r *reading) line(index map[string]sample, b []byte) {
	if len(b) == 0 || b[0] == '#' {
		return
	}
	end := bytes.IndexAny(b, "{ \t")
	if end <= 0 {
		return
	}
	name, labels, rest := b[:end], []byte(nil), b[end:]
	s, wanted := index[string(name)]
	if !wanted && string(name) != startFamily {
		r.lines++
		return
	}
	if rest[0] == '{' {
		stop := labelsEnd(rest)
		if stop < 0 {
			return
		}
		labels, rest = rest[1:stop], rest[stop+1:]
	}
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return
	}
	v, err := strconv.ParseFloat(string(fields[0]), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return
	}
	r.lines++
	if !wanted {
		r.start = v
		return
	}
	r.add(s, labels, v)
}

// labelsEnd is where the labels end that b begins with; -1 if they do not.
func labelsEnd(b []byte) int {
	quoted := false
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '}':
			return i
		}
	}
	return -1
}

// label is the value of a label, as it is written; nil without it.
func label(labels []byte, name string) []byte {
	for len(labels) > 0 {
		key, rest, ok := bytes.Cut(labels, []byte(`="`))
		if !ok {
			return nil
		}
		end := 0
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(rest) {
			return nil
		}
		if string(bytes.Trim(key, ", ")) == name {
			return rest[:end]
		}
		labels = rest[end+1:]
	}
	return nil
}

// add adds a sample to its family.
func (r *reading) add(s sample, labels []byte, v float64) {
	f, to := &families[s.family], &r.sums[s.family]
	if f.label != "" && string(label(labels, f.label)) != f.is {
		return
	}
	to.given = true
	switch s.part {
	case partValue:
		if f.kind == highest {
			to.value = max(to.value, v)
		} else {
			to.value += v
		}
	case partSum:
		to.value += v
	case partCount:
		to.count += v
	case partBucket:
		le, err := strconv.ParseFloat(string(label(labels, "le")), 64) // "+Inf" is one
		if err != nil || math.IsNaN(le) {
			return
		}
		if to.buckets == nil {
			to.buckets = map[float64]float64{}
		}
		if _, known := to.buckets[le]; known || len(to.buckets) < maxBuckets {
			to.buckets[le] += v
		}
	}
}
