package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"rewatch/model"
)

// seal is a place in a file behind a Flush, and how many records are before it.
type seal struct{ offset, records int }

// sealedTape is a tape of several data frames, some of them without a
// checkpoint, with several seals in each, and the records that are on it.
func sealedTape(tb testing.TB, close bool) (file []byte, want []string, seals []seal) {
	tb.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{FrameSize: 3000, SegmentFloor: 5000, Checkpoint: 1})
	s := w.AddStream(model.StreamInfo{Context: "c", Resource: "pods", Kind: "Pod", Version: "v1"})
	when := testHeader().Created
	for i := range 120 {
		when = when.Add(100 * time.Millisecond)
		r := model.Record{Time: when, Stream: s, Type: model.Modified,
			Raw: fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d","uid":"u%d","resourceVersion":"%d"},"n":"%0*x"}`, i%7, i%7, i+1, 40+i%7, i*i*7919)}
		switch {
		case i%17 == 16:
			r.Type = model.Deleted
		case i%23 == 22:
			r = model.Record{Time: when, Stream: s, Type: model.GapFound, Detail: model.Gap{FromRV: "1", Text: "lost"}}
		}
		if err := w.Append(r); err != nil {
			tb.Fatal(err)
		}
		if i%4 == 3 {
			if err := w.Flush(); err != nil {
				tb.Fatal(err)
			}
			seals = append(seals, seal{b.Len(), i + 1})
		}
	}
	if close {
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	file = b.Bytes()
	want, _, err := readDamaged(file)
	if frames := len(mustOpen(tb, file).Frames()); err != nil || len(want) != 120 || frames < 4 || frames > len(seals)/3 {
		tb.Fatal(err, len(want), frames)
	}
	return file, want, seals
}

// sealedBefore is how many records are sealed before a place.
func sealedBefore(seals []seal, at int) (records int) {
	for _, s := range seals {
		if s.offset <= at {
			records = s.records
		}
	}
	return records
}

// TestSealedComesBackOfADamagedFrame flips a bit in each byte of a tape, or in
// ordinary runs of some, and cuts some of them behind it: what was sealed before
// comes back for everybody that reads, and what does not is counted.
func TestSealedComesBackOfADamagedFrame(t *testing.T) {
	for _, closed := range []bool{true, false} {
		b, want, seals := sealedTape(t, closed)
		whole := mustOpen(t, b)
		for at := 0; at < len(b); at += ordinary(101) {
			x := bytes.Clone(b)
			x[at] ^= 1 << (at % 8)
			cut := at%3 == 2
			if cut {
				x = x[:at+1+at*7919%(len(x)-at)]
			}
			what, n := fmt.Sprint(closed, " byte ", at), sealedBefore(seals, at)
			got, damages, err := readDamaged(x)
			if err != nil {
				if !errors.Is(err, ErrNotTape) || n > 0 {
					t.Fatalf("%s: %v", what, err)
				}
				continue
			}
			if len(got) < n || !slices.Equal(got[:n], want[:n]) {
				t.Fatalf("%s: %d of %d records, and %d were sealed before it: %v", what, len(got), len(want), n, damages)
			}
			checkSurvivors(t, what, got, want)
			counted := len(got)
			for _, d := range damages {
				if counted += d.Records; d.Records < 0 {
					counted = len(want)
					break
				}
			}
			if closed && !cut && counted != len(want) {
				t.Fatalf("%s: %d records and %v, of %d", what, len(got), damages, len(want))
			}
			tape := mustOpen(t, x)
			checkTold(t, what, tape, n)
			if n >= 2 {
				checkPlace(t, what, whole, tape, n)
			}
			checkRepair(t, what, tape, got)
		}
	}
}

// checkTold: the overviews tell n records, too.
func checkTold(t *testing.T, what string, tape *Tape, n int) {
	t.Helper()
	s, err := tape.Survey()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	told := int64(0)
	for i := range s.Streams {
		for _, c := range s.Streams[i].Counts.all() {
			told += *c
		}
	}
	outlined := 0
	for i := range tape.Frames() {
		records, _ := tape.Outline(i)
		outlined += len(records)
	}
	if told < int64(n) || outlined < n {
		t.Fatalf("%s: %d records surveyed, %d in outlines, %d are sealed", what, told, outlined, n)
	}
}

// checkPlace: a moment before the newest of n records is exact, and a Reader
// apart goes on as the one that it comes from.
func checkPlace(t *testing.T, what string, whole, tape *Tape, n int) {
	t.Helper()
	when := testHeader().Created.Add(time.Duration(n-1) * 100 * time.Millisecond) // of record n-2
	want, err := whole.Seek(when)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tape.Seek(when)
	if err != nil || !got.Whole() || got.Number() != int64(n-1) || len(got.Missed()) > 0 {
		t.Fatalf("%s: whole is %v, record %d, missed %v, %v", what, got.Whole(), got.Number(), got.Missed(), err)
	}
	if a, b := stateText(t, got), stateText(t, want); a != b {
		t.Fatalf("%s: at record %d\n%s\nnot\n%s", what, n-1, a, b)
	}
	apart, err := tape.SeekApart(when, when.Add(time.Hour))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	first := true
	for {
		e, err := got.Next()
		f, other := apart.Next()
		if first && (err != nil || !e.Time.Equal(when.Add(100*time.Millisecond))) {
			t.Fatalf("%s: the next record is %v, %v", what, e, err)
		}
		if first = false; fmt.Sprint(err) != fmt.Sprint(other) || err == nil && (!e.Time.Equal(f.Time) || string(e.Raw) != string(f.Raw)) {
			t.Fatalf("%s: apart %v %v, not %v %v", what, f, other, e, err)
		}
		if err != nil {
			break
		}
	}
	behind, err := tape.SeekRecords(when, 1)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := behind.Next(); err != nil || !e.Time.Equal(when) {
		t.Fatalf("%s: one record before %v is %v, %v", what, when, e, err)
	}
}

func stateText(t *testing.T, r *Reader) string {
	t.Helper()
	var b bytes.Buffer
	for o, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%v %s\n", o.Identity, o.Raw)
	}
	return b.String()
}

// checkRepair: all that can be read is on the repaired tape, which is whole.
func checkRepair(t *testing.T, what string, tape *Tape, got []string) {
	t.Helper()
	var out bytes.Buffer
	did, err := Repair(tape, &out)
	if err != nil || did.Records != int64(len(got)) {
		t.Fatalf("%s: %v, %+v, %d can be read", what, err, did, len(got))
	}
	repaired, damages, err := readDamaged(out.Bytes())
	if err != nil || len(damages) > 0 {
		t.Fatalf("%s: repaired: %v %v", what, damages, err)
	}
	checkSurvivors(t, what, got, repaired)
}

// TestDamageSaysWhenItIs: from the newest record that came back to the end of
// the data frame.
func TestDamageSaysWhenItIs(t *testing.T) {
	b, _, seals := sealedTape(t, true)
	p := mustOpen(t, b).parts[1]
	i := slices.IndexFunc(seals, func(s seal) bool { return int64(s.offset) > p.offset+p.Size/2 })
	if seals[i].offset >= int(p.offset+p.Size) {
		t.Fatal("no seal in the second half of the frame")
	}
	x := bytes.Clone(b)
	x[seals[i].offset+1] ^= 0xff // the next block is of an impossible size
	_, damages, err := readDamaged(x)
	if err != nil || len(damages) == 0 {
		t.Fatal(damages, err)
	}
	d := damages[0]
	from := testHeader().Created.Add(time.Duration(seals[i].records) * 100 * time.Millisecond)
	if d.Offset != p.offset || d.Size != p.Size || !d.From.Equal(from) || d.To.UnixNano() != p.To {
		t.Errorf("%+v, want from %v to %v", d, from, time.Unix(0, p.To))
	}
}

// TestACheckpointThatWasCutMakesNothingWhole: neither the rest of it, nor that
// of a later one whose beginning is lost.
func TestACheckpointThatWasCutMakesNothingWhole(t *testing.T) {
	live := func(o, n int) (lines string) {
		for i := range n {
			lines += fmt.Sprintf(`{"e":"L","o":%d,"s":0,"b":0,"d":[0,"{\"metadata\":{\"name\":\"p%d\"}}"]}`+"\n", 1+min(i, 0)*o, o+i)
		}
		return lines
	}
	header := `{"frame":%d,"t":1,"format":"rewatch-tape","version":1,"live":4,"created":"2026-12-01T00:00:00Z"}` + "\n" + `{"stream":{"id":0,"resource":"pods"}}` + "\n"
	b := handmade(t, fmt.Sprintf(header, 0)+live(0, 2),
		`{"frame":3,"t":1,"o":9}`+"\n"+live(9, 2)+`{"t":1,"s":0,"note":{"text":"n"}}`+"\n")
	r := mustOpen(t, b).Reader()
	for {
		e, err := r.Next()
		if err == io.EOF {
			t.Fatal("no record")
		}
		if e == nil {
			continue
		}
		if r.Whole() {
			t.Errorf("whole, of %d objects", r.Len())
		}
		return
	}
}
