package export

import (
	"bufio"
	"strconv"
	"strings"
	"time"

	"rewatch/model/jsonscan"
)

// writeWatchJSON writes the frames as a capture: package capture takes them back.
func writeWatchJSON(j *job) error {
	bw := bufio.NewWriterSize(j.out, 256<<10)
	var buf []byte
	j.wire = true
	err := j.rows(false, func(r *row) error {
		if len(r.frame) == 0 {
			return nil
		}
		buf = appendSeconds(append(buf[:0], `{"t":`...), r.time)
		buf = jsonscan.AppendQuote(append(buf, `,"stream":`...), r.stream.Resource)
		buf = append(buf, `,"frame":`...)
		before := len(buf)
		buf = append(buf, r.frame...)
		for i, c := range buf[before:] { // space between tokens: a server may write over several lines
			if c == '\n' {
				buf[before+i] = ' '
			}
		}
		buf = append(buf, '}', '\n')
		j.result.Rows++
		_, err := bw.Write(buf)
		return err
	})
	if err != nil {
		return err
	}
	return bw.Flush()
}

// appendSeconds appends Unix seconds: to the microsecond, or to the nanosecond
// where that is not exact.
func appendSeconds(dst []byte, t time.Time) []byte {
	n := t.UnixNano()
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	fraction := strconv.FormatInt(1e9+n%1e9, 10)[1:]
	return append(append(strconv.AppendInt(dst, n/1e9, 10), '.'), strings.TrimSuffix(fraction, "000")...)
}
