package export

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// TestLinesAreThoseOfAnExport: the rows of a log are written as those of the
// tape that it was filled from.
func TestLinesAreThoseOfAnExport(t *testing.T) {
	tp := recorded(t, trouble(t, hostile))
	exportedText, _ := exported(t, tp, "events-json", Options{})
	var want []map[string]any
	for _, l := range eventLines(t, exportedText) {
		switch l["type"] {
		case "TAPE", "END", "FRAME": // the log has no row for these
		case "LOST": // a gap of the recording
			l["type"] = "GAP"
			delete(l, "lost")
			want = append(want, l)
		default:
			want = append(want, l)
		}
	}

	log := model.NewLog(model.Options{})
	for _, s := range tp.Info().Streams {
		log.AddStream(s)
	}
	var out strings.Builder
	lines := NewLines(&out, log, LinesHead{From: tp.Info().From, Tape: "a.rwt", Filter: "x"})
	for in := tp.Reader(); ; {
		e, err := in.Next()
		if err == io.EOF {
			break
		}
		if d := (*tape.Damage)(nil); err != nil && !errors.As(err, &d) {
			t.Fatal(err)
		}
		if err == nil && e.Type != 0 {
			if err := lines.Row(log.Append(e.Record)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := lines.Lost(7, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := lines.End(LinesEnd{Result: "met"}); err != nil {
		t.Fatal(err)
	}

	var got []map[string]any
	sc := bufio.NewScanner(strings.NewReader(out.String()))
	for sc.Scan() {
		d := json.NewDecoder(strings.NewReader(sc.Text()))
		d.UseNumber()
		var m map[string]any
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		got = append(got, m)
	}
	head, lost, end := got[0], got[len(got)-2], got[len(got)-1]
	if head["type"] != "TAIL" || head["schema"] != eventsSchema || jsonOf(head["schemaVersion"]) != "1" || head["tape"] != "a.rwt" || head["filter"] != "x" {
		t.Errorf("head %v", head)
	}
	if lost["type"] != "LOST" || jsonOf(lost["lost"]) != "7" {
		t.Errorf("lost %v", lost)
	}
	if end["type"] != "END" || end["result"] != "met" || jsonOf(end["rows"]) != itoa(len(want)) {
		t.Errorf("end %v, of %d rows", end, len(want))
	}
	got = got[1 : len(got)-2]
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		delete(got[i], "row") // FRAMEs count on a tape
		delete(want[i], "row")
		if g, w := jsonOf(got[i]), jsonOf(want[i]); g != w {
			t.Errorf("got  %s\nwant %s", g, w)
		}
	}
}

// TestLinesStopAtAnError: what cannot be written is told, once and again.
func TestLinesStopAtAnError(t *testing.T) {
	log := model.NewLog(model.Options{})
	e := log.Append(model.Record{Time: time.Unix(1, 0), Stream: log.AddStream(model.StreamInfo{Resource: "pods"}), Type: model.Noted, Detail: model.Note{Text: "x"}})
	l := NewLines(failing{}, log, LinesHead{})
	for range 2 {
		_ = l.Row(e)
		if err := l.Flush(); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%v", err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
