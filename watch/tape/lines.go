package tape

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"rewatch/model/jsonscan"
)

// The capture line format: one JSON object per line and frame, in order of
// receipt,
//
//	{"t": receipt in Unix seconds, "stream": "pods", "frame": {"type": …, "object": …}}

var errCaptureLine = errors.New("not a line of a capture")

// ParseLine reads a line of a capture: the time of receipt, the name of the
// stream, and the frame, of which name and frame may be views of the line. The
// whole line is checked to be JSON, and the error quotes nothing of it.
func ParseLine(one []byte) (when time.Time, stream string, frame []byte, err error) {
	if !jsonscan.Valid(one) { // files come from anywhere
		return time.Time{}, "", nil, errCaptureLine
	}
	members, err := jsonscan.AppendMembers(make([]jsonscan.Member, 0, 3), one)
	if err != nil {
		return time.Time{}, "", nil, errCaptureLine
	}
	var t, name []byte
	for _, m := range members {
		switch m.Key {
		case "t":
			t = m.Of(one)
		case "stream":
			name = m.Of(one)
		case "frame":
			frame = m.Of(one)
		}
	}
	if when, err = parseSeconds(string(t)); err != nil {
		return time.Time{}, "", nil, err
	}
	if stream, err = jsonscan.Unquote(name); err != nil || frame == nil {
		return time.Time{}, "", nil, fmt.Errorf("%w: needs t, stream and frame", errCaptureLine)
	}
	return when, stream, frame, nil
}

// parseSeconds reads decimal seconds exactly, to the nanosecond; what is finer
// is cut off. Another spelling of a number is read as floating point.
func parseSeconds(s string) (time.Time, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if seconds, err := strconv.ParseInt(whole, 10, 64); err == nil && seconds >= 0 && seconds < math.MaxInt64/int64(time.Second) {
		digits := (fraction + "000000000")[:9]
		if n, err := strconv.ParseUint(digits, 10, 32); err == nil && strings.Trim(fraction, "0123456789") == "" {
			return time.Unix(seconds, int64(n)), nil
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(f) > float64(math.MaxInt64/int64(time.Second)) {
		return time.Time{}, fmt.Errorf("%w: t", errCaptureLine)
	}
	seconds := math.Floor(f)
	return time.Unix(int64(seconds), int64((f-seconds)*1e9)), nil
}
