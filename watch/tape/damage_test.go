package tape

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
)

// smallTape is a tape of a few objects with all that a tape can hold, in
// several data frames and segments, and what comes back of it.
func smallTape(tb testing.TB, records int, close bool) (tape []byte, want []string) {
	tb.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{FrameSize: 900, SegmentFloor: 1200, Checkpoint: 1})
	s := w.AddStream(model.StreamInfo{Context: "c", Resource: "pods", Kind: "Pod", Version: "v1"})
	when := testHeader().Created
	for i := range records {
		when = when.Add(100 * time.Millisecond)
		r := model.Record{Time: when, Stream: s, Type: model.Modified,
			Raw: fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p%d","uid":"u%d","resourceVersion":"%d"},"n":"%0*d"}`, i%5, i%5, i+1, 30+i%7, i*i)}
		switch {
		case i%13 == 12:
			r = model.Record{Time: when, Stream: s, Type: model.StreamChange, Detail: model.Transition{From: model.Live, To: model.Backoff, Cause: model.CauseCut, Until: when}}
		case i%17 == 16:
			r.Type = model.Deleted
		case i%11 == 10:
			r.Type, r.Raw = model.Bookmark, fmt.Appendf(nil, `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}`, i)
		}
		if err := w.Append(r); err != nil {
			tb.Fatal(err)
		}
		if i%3 == 0 {
			if err := w.Flush(); err != nil {
				tb.Fatal(err)
			}
		}
	}
	if close {
		if err := w.Close(); err != nil {
			tb.Fatal(err)
		}
	}
	got, damages, err := readDamaged(b.Bytes())
	if err != nil || close && len(damages) > 0 {
		tb.Fatal(err, damages)
	}
	return b.Bytes(), got
}

// readDamaged reads what it can of a tape, as text.
func readDamaged(b []byte) (records []string, damages []*Damage, err error) {
	t, err := Open(bytes.NewReader(b), int64(len(b)), Limits{Frame: 1 << 20, Object: 1 << 20})
	if err != nil {
		return nil, nil, err
	}
	r := t.Reader()
	for {
		e, err := r.Next()
		var d *Damage
		switch {
		case err == io.EOF:
			if !t.Info().Closed && len(damages) == 0 {
				damages = append(damages, &Damage{Text: "not closed"})
			}
			return records, damages, nil
		case errors.As(err, &d):
			damages = append(damages, d)
			continue
		case err != nil:
			return records, damages, err
		}
		records = append(records, fmt.Sprintf("%d %v %v %s %v", e.Time.UnixNano(), e.Type, e.Identity, e.Raw, e.Detail))
	}
}

// checkSurvivors fails unless got is what was written, with parts left out.
func checkSurvivors(t *testing.T, what string, got, want []string) {
	t.Helper()
	i := 0
	for _, g := range got {
		for i < len(want) && want[i] != g {
			i++
		}
		if i == len(want) {
			t.Fatalf("%s: this was never recorded, or not in this place: %s", what, g)
		}
		i++
	}
}

// TestTornAnywhere cuts a tape at every byte, or in ordinary runs every fifth: what was flushed before comes
// back, and there is a message.
func TestTornAnywhere(t *testing.T) {
	b, want := smallTape(t, 20, true)
	least := 0
	for n := 0; n < len(b); n += ordinary(5) {
		got, damages, err := readDamaged(b[:n])
		if err != nil {
			if !errors.Is(err, ErrNotTape) || least > 0 {
				t.Fatalf("%d of %d bytes: %v", n, len(b), err)
			}
			continue
		}
		if len(damages) == 0 && n < len(b) {
			t.Fatalf("%d of %d bytes: no message", n, len(b))
		}
		if len(got) < least {
			t.Fatalf("%d of %d bytes: %d records, %d of a shorter one", n, len(b), len(got), least)
		}
		least = len(got)
		checkSurvivors(t, fmt.Sprint(n), got, want[:len(got)])
	}
	if got, _, err := readDamaged(b); err != nil || len(got) != len(want) || least != len(want) {
		t.Errorf("at the end %d of %d records, one byte before %d: %v", len(got), len(want), least, err)
	}
}

// TestFlushedComesBack: of a recorder that is killed nothing is lost that was
// flushed, at any byte that follows the flush.
func TestFlushedComesBack(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, testHeader(), Options{})
	s := w.AddStream(model.StreamInfo{Resource: "pods"})
	flushed := 0
	for i := range 200 {
		if err := w.Append(model.Record{Time: testHeader().Created, Stream: s, Type: model.Added, Raw: fmt.Appendf(nil, `{"metadata":{"uid":"u%d"}}`, i)}); err != nil {
			t.Fatal(err)
		}
		if i%20 != 7 {
			continue
		}
		from := b.Len()
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for n := from; n <= b.Len(); n += 5 {
			got, damages, err := readDamaged(b.Bytes()[:n])
			if flushed > 0 && (err != nil || len(got) < flushed || len(damages) == 0) {
				t.Fatalf("%d bytes: %d of %d records, %v, %v", n, len(got), flushed, damages, err)
			}
		}
		flushed = i + 1
	}
}

// TestFlippedBits: whatever bits are wrong, a record that comes back is one
// that was written, and what does not is missed.
func TestFlippedBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, close := range []bool{true, false} {
		b, want := smallTape(t, 45, close)
		for round := range 150 {
			x := bytes.Clone(b)
			for range 1 + rnd.IntN(3) {
				x[rnd.IntN(len(x))] ^= 1 << rnd.IntN(8)
			}
			if round%5 == 0 {
				x = x[:rnd.IntN(len(x))]
			}
			got, damages, err := readDamaged(x)
			checkSurvivors(t, fmt.Sprint(close, round), got, want)
			if err == nil && len(damages) == 0 && len(got) != len(want) {
				t.Fatalf("round %d: %d of %d records and no message", round, len(got), len(want))
			}
			if len(got) < len(want) || len(damages) > 0 { // else it was a bit without meaning, as of the size of a window
				verifyDamaged(t, b, x)
			}
		}
	}
}

// verifyDamaged: no difference escapes Verify.
func verifyDamaged(t *testing.T, b, x []byte) {
	t.Helper()
	tape, err := Open(bytes.NewReader(x), int64(len(x)), Limits{})
	if err != nil || bytes.Equal(b, x) {
		return
	}
	if r, err := tape.Verify(); err == nil && r.Verdict() != Damaged && len(x) >= len(b) {
		at := 0
		for x[at] == b[at] {
			at++
		}
		t.Fatalf("byte %d of %d is not what it was, and Verify finds %+v", at, len(b), r)
	}
}

// TestDamageEndsAtTheCheckpoint: a damaged data frame costs what hangs by it,
// and the next segment is whole again.
func TestDamageEndsAtTheCheckpoint(t *testing.T) {
	b, want := smallTape(t, 60, true)
	tape := mustOpen(t, b)
	var segments []int
	for i, p := range tape.parts {
		if p.Segment {
			segments = append(segments, i)
		}
	}
	if len(segments) < 3 {
		t.Fatalf("%d segments", len(segments))
	}
	if tape.parts[segments[1]+1].Segment {
		t.Fatal("needs a segment of two frames")
	}
	p := tape.parts[segments[1]]
	x := bytes.Clone(b)
	x[p.offset+p.Size/2] ^= 0x10
	got, damages, err := readDamaged(x)
	if err != nil || len(damages) == 0 {
		t.Fatal(err, damages)
	}
	checkSurvivors(t, "segment 1", got, want)
	after := 0
	for i := segments[2]; i < len(tape.parts); i++ {
		after += int(tape.parts[i].Records)
	}
	if len(got) < after || got[len(got)-after] != want[len(want)-after] {
		t.Errorf("%d records, %d must come back after the checkpoint", len(got), after)
	}
	r, err := mustOpen(t, x).Seek(tape.Info().To)
	if err != nil || !r.Whole() {
		t.Errorf("%v, whole %v", err, r.Whole())
	}
	if r, err = mustOpen(t, x).Seek(time.Unix(0, tape.parts[segments[2]-1].To-1)); err != nil || r.Whole() || len(r.Missed()) == 0 {
		t.Errorf("in the damaged segment: %v, whole %v, missed %v", err, r.Whole(), r.Missed())
	}
}

// handmade packs lines as a writer of another hand might.
func handmade(tb testing.TB, frames ...string) []byte {
	tb.Helper()
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(true), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(64<<10),
		zstd.WithLowerEncoderMem(true), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	var out []byte
	for _, f := range frames {
		out = e.EncodeAll([]byte(f), out)
	}
	return out
}

const handmadeHeader = `{"frame":0,"t":1,"format":"rewatch-tape","version":1,"created":"2026-12-01T00:00:00Z"}` + "\n" + `{"stream":{"id":0,"resource":"pods"}}` + "\n"

func TestBombs(t *testing.T) {
	huge := bytes.Repeat([]byte("x"), 5<<20)
	double := handmadeHeader + `{"t":0,"e":"A","o":1,"s":0,"b":0,"d":[0,"` + string(huge[:1<<20]) + `"]}` + "\n"
	for range 30 {
		double += `{"t":0,"e":"M","o":1,"d":[1048576,"",-1048576,1048576]}` + "\n"
	}
	form := handmadeHeader + `{"form":0,"holes":"","line":["{\"t\":0,\"s\":0,\"note\":{\"text\":\"` + string(huge[:4<<20]) + `\"}}"]}` + "\n" + strings.Repeat("\"0\"\n", 1<<10)
	pieces := handmadeHeader + `{"form":0,"holes":"s","line":["{}"` + strings.Repeat(`,0,""`, 1<<16) + `]}` + "\n" + strings.Repeat("\"0 \"\n", 1<<14)
	value := handmadeHeader + `{"form":0,"holes":"s","line":["{}"` + strings.Repeat(`,0,""`, 1<<6) + `]}` + "\n" + strings.Repeat("\"0 "+string(huge[:1<<19])+"\"\n", 60)
	for name, c := range map[string]struct {
		frames []string
		limits Limits
	}{
		"forms":             {[]string{form}, Limits{}},
		"pieces of a form":  {[]string{pieces}, Limits{}},
		"values of a form":  {[]string{value}, Limits{}},
		"a frame":           {[]string{handmadeHeader, `{"frame":1,"t":1}` + "\n" + string(huge)}, Limits{Frame: 4 << 20}},
		"an object":         {[]string{double}, Limits{Object: 1<<21 - 1}},
		"a frame's objects": {[]string{double}, Limits{Rebuilt: 8 << 20}},
		"the state":         {[]string{double}, Limits{State: 1 << 20}},
		"a line":            {[]string{double}, Limits{Line: 1 << 10}},
		"roots": {[]string{handmadeHeader + `{"t":0,"e":"A","o":1,"s":0,"b":0,"r":1,"d":[0,"aaaaaaaaaaaaaaaaaaaaaaaa"]}` + "\n"},
			Limits{Roots: 8}},
	} {
		b := handmade(t, c.frames...)
		tape, err := Open(bytes.NewReader(b), int64(len(b)), c.limits)
		if errors.Is(err, ErrLimit) || errors.Is(err, ErrNotTape) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		report, err := tape.Verify()
		if err == nil && report.Verdict() != Damaged || err != nil && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
}

func TestOtherVersionsAndLines(t *testing.T) {
	later := handmade(t, `{"frame":0,"t":1,"format":"rewatch-tape","version":2,"created":"2026-12-01T00:00:00Z"}`+"\n")
	if _, err := Open(bytes.NewReader(later), int64(len(later)), Limits{}); !errors.Is(err, ErrVersion) {
		t.Error(err)
	}
	for _, b := range [][]byte{nil, []byte("{}"), handmade(t, "{}\n"), handmade(t, ""), []byte("PK\x03\x04"), handmade(t, `{"frame":0,"t":1}`+"\n")} {
		if _, err := Open(bytes.NewReader(b), int64(len(b)), Limits{}); !errors.Is(err, ErrNotTape) {
			t.Errorf("%q: %v", b, err)
		}
	}
	// Members and spaces that this version does not know are passed over; a
	// line that is none is damage, and reading goes on.
	b := handmade(t, handmadeHeader+` { "d" : [ 0 , "{}" ] , "more" : {} , "b" : 0 , "s" : 0 , "o" : 7 , "e" : "A" , "t" : 5 } `+"\n"+`{"t":1,"s":0,"note":{"text":"n"}}`+"\n")
	records, damages, err := readDamaged(b)
	if err != nil || len(records) != 2 || len(damages) != 1 {
		t.Error(records, damages, err)
	}
}

func FuzzOpen(f *testing.F) {
	for _, close := range []bool{true, false} {
		b, _ := smallTape(f, 45, close)
		f.Add(b)
		f.Add(b[:len(b)-30])
	}
	f.Add(handmade(f, handmadeHeader+`{"t":0,"e":"A","o":1,"s":0,"b":0,"r":1,"d":[0,"{}"],"w":["a","b"],"n":3}`+"\n"))
	f.Fuzz(func(t *testing.T, b []byte) { openAndRead(t, b) })
}

// FuzzIndex puts an index behind a tape, under a checksum that is right.
func FuzzIndex(f *testing.F) {
	b, _ := smallTape(f, 20, true)
	at := int(binary.LittleEndian.Uint64(unskip(b[len(b)-trailerSize:], trailerMagic)))
	f.Add(unskip(b[at:len(b)-trailerSize], indexMagic))
	f.Add([]byte(`{"header":{"format":"rewatch-tape","version":1,"created":"2026-12-01T00:00:00Z"},"streams":[{"id":7}],"frames":[[0,100,9e9,5,1,2,1,0,0,0,0,0,0,0,0,0,-1]]}`))
	f.Add([]byte(`{"header":{"format":"rewatch-tape","version":2},"frames":null}`))
	f.Fuzz(func(t *testing.T, index []byte) {
		trailer := append(binary.LittleEndian.AppendUint64(nil, uint64(at)), trailerWord...)
		x := skippable(skippable(bytes.Clone(b[:at]), indexMagic, index), trailerMagic, trailer)
		openAndRead(t, x)
		if tape, err := Open(bytes.NewReader(x), int64(len(x)), Limits{}); err == nil {
			for i, frame := range tape.Frames() {
				if frame.Damage == nil {
					_, _ = tape.Outline(i)
				}
			}
			_, _ = tape.SeekRecords(tape.Info().To, 3)
		}
	})
}

// FuzzLines puts the text of a data frame behind a header, under checksums
// that are right.
func FuzzLines(f *testing.F) {
	f.Add(`{"t":0,"e":"A","o":1,"s":0,"b":0,"r":1,"d":[0,"{}"],"w":["a","b"],"n":3}` + "\n" + `{"t":1,"e":"D","o":1}`)
	f.Add(`{"t":-1,"s":0,"transition":{"from":"LIVE","to":"RETRY"}}` + "\n" + `{"t":1,"s":0,"e":"F","x":"e30="}`)
	f.Add(`{"t":1,"s":0,"e":"D","id":{"uid":"u"},"rv":"1","f":2}` + "\n" + `{"e":"L","o":3,"s":0,"b":0,"d":[0,""]}` + "\n" + `{"frame":3,"t":0}`)
	f.Add(`{"form":0,"holes":"msw","line":["{\"t\":",0,"000,\"e\":\"A\",\"s\":0,\"b\":0,\"d\":[0,\"",2,"\"],\"x\":",1,"}"]}` + "\n" + `"0 1 2 abc"` + "\n" + `"0 -1 2 ~"`)
	f.Fuzz(func(t *testing.T, text string) { openAndRead(t, handmade(t, handmadeHeader+text+"\n")) })
}

func openAndRead(t *testing.T, b []byte) {
	tape, err := Open(bytes.NewReader(b), int64(len(b)), Limits{Frame: 1 << 18, Object: 1 << 16, State: 1 << 20, Rebuilt: 1 << 22})
	if err != nil {
		return
	}
	if _, err := tape.Verify(); err != nil && !errors.Is(err, ErrLimit) && !errors.Is(err, ErrVersion) {
		t.Fatal(err)
	}
	r, err := tape.Seek(tape.Info().To)
	if err != nil {
		return
	}
	for _, err := range r.Objects() {
		var d *Damage
		if err != nil && !errors.As(err, &d) && !errors.Is(err, ErrLimit) {
			t.Fatal(err)
		}
	}
	_ = exportLines(tape, io.Discard, func(*Damage) {})
}
