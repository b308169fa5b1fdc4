package tape

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// repaired repairs a tape, nil if nothing of it is left, and returns the new
// one and its records, without what the repair added.
func repaired(t *testing.T, b []byte) (tape *Tape, records []string, did *Repaired) {
	t.Helper()
	old, err := Open(bytes.NewReader(b), int64(len(b)), Limits{})
	if errors.Is(err, ErrNotTape) {
		return nil, nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	did, err = Repair(old, &out)
	if errors.Is(err, ErrLimit) || errors.Is(err, ErrVersion) {
		return nil, nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	tape = mustOpen(t, out.Bytes())
	report, err := tape.Verify()
	if err != nil || report.Verdict() == Damaged || !report.Closed {
		t.Fatalf("a repaired tape is not whole: %+v %v %v", report, report.Damages, err)
	}
	lost := 0
	for e, err := range tape.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if g, ok := e.Detail.(model.Gap); ok && g.Cause == CauseDamaged {
			lost++
			continue
		}
		if n, ok := e.Detail.(model.Note); ok && strings.HasPrefix(n.Text, "repaired: ") || e.Has(model.Synthetic) {
			continue
		}
		records = append(records, fmt.Sprintf("%d %v %v %s %v", e.Time.UnixNano(), e.Type, e.Identity, e.Raw, e.Detail))
	}
	said := false
	for _, d := range did.Damages {
		said = said || d.Records != 0
	}
	if said != (lost > 0) && len(tape.Info().Streams) > 0 {
		t.Fatalf("%d gaps tell of %v", lost, did.Damages)
	}
	return tape, records, did
}

func TestRepairOfAWholeTapeChangesNothing(t *testing.T) {
	b, want := smallTape(t, 60, true)
	tape, got, did := repaired(t, b)
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(did.Damages) > 0 || did.Restored > 0 || did.Records != 60 {
		t.Errorf("%+v\n%s", did, strings.Join(got, "\n"))
	}
	old := mustOpen(t, b)
	if a, b := tape.Info(), old.Info(); a.Tool != b.Tool || !a.Created.Equal(b.Created) || a.Redaction != b.Redaction || a.Records != b.Records {
		t.Errorf("%+v, was %+v", a, b)
	}
	lines := firstPart(shopLines(t), 4) // with Secrets, which are redacted once
	shop := importTape(t, lines, Options{})
	tape, _, _ = repaired(t, shop)
	checkSame(t, exported(t, tape), redactedLines(t, lines))
}

// TestRepairOfATapeThatBeginsInTheMiddle: what existed before its first record
// is on the new tape too.
func TestRepairOfATapeThatBeginsInTheMiddle(t *testing.T) {
	b, _ := smallTape(t, 40, true)
	r, err := mustOpen(t, b).Seek(testHeader().Created.Add(2 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := NewWriter(&out, testHeader(), Options{})
	for _, s := range r.Streams() {
		w.AddStream(s.StreamInfo)
	}
	var objects []Object
	for o, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		o.Raw = bytes.Clone(o.Raw)
		objects = append(objects, o)
	}
	err = w.Begin(r.Time(), r.Streams(), len(objects), func(yield func(Object) bool) {
		for _, o := range objects {
			if !yield(o) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tape, got, did := repaired(t, out.Bytes())
	s, err := tape.Seek(r.Time())
	if err != nil || len(got) > 0 || len(did.Damages) > 0 || len(objects) == 0 || state(t, s) != state(t, r) {
		t.Errorf("%v %+v %d records\n%s\nwant\n%s", err, did, len(got), state(t, s), state(t, r))
	}
}

// TestRepairOfATornTape: all that opening finds survives, cut anywhere.
func TestRepairOfATornTape(t *testing.T) {
	b, want := smallTape(t, 20, false)
	for n := 0; n <= len(b); n += ordinary(17) {
		_, got, did := repaired(t, b[:n])
		if did == nil {
			continue
		}
		found, _, err := readDamaged(b[:n])
		if err != nil || len(got) != len(found) {
			t.Fatalf("%d bytes: %d of %d records, %v", n, len(got), len(found), err)
		}
		checkSurvivors(t, fmt.Sprint(n), got, want)
	}
}

// TestRepairOfFlippedBits: nothing that never was comes out, and behind the
// last checkpoint the state is what it was.
func TestRepairOfFlippedBits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	b, want := smallTape(t, 60, true)
	old := mustOpen(t, b)
	end, err := old.Seek(old.Info().To)
	if err != nil {
		t.Fatal(err)
	}
	last := int64(0) // where the last segment begins
	for _, f := range old.Frames() {
		if f.Segment {
			last = f.Offset
		}
	}
	restored := int64(0)
	for round := range 120 / ordinary(2) {
		x := bytes.Clone(b)
		early := true
		for range 1 + rnd.IntN(2) {
			at := rnd.IntN(len(x))
			early = early && int64(at) < last
			x[at] ^= 1 << rnd.IntN(8)
		}
		tape, got, did := repaired(t, x)
		if did == nil {
			continue
		}
		restored += did.Restored
		checkSurvivors(t, fmt.Sprint(round), got, want)
		if !early {
			continue
		}
		r, err := tape.Seek(tape.Info().To)
		if err != nil || objectsOf(t, r) != objectsOf(t, end) {
			t.Fatalf("round %d: %v, the state at the end is\n%s\nwant\n%s\n%v", round, err, objectsOf(t, r), objectsOf(t, end), did.Damages)
		}
	}
	if restored == 0 {
		t.Error("no round needed a checkpoint")
	}
}

func objectsOf(t *testing.T, r *Reader) string {
	t.Helper()
	lines := map[string]bool{}
	for x, err := range r.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		lines[string(x.Raw)] = true
	}
	return fmt.Sprint(lines)
}

// FuzzRepair: what comes out of any bytes is a whole tape, or an error.
func FuzzRepair(f *testing.F) {
	for _, close := range []bool{true, false} {
		b, _ := smallTape(f, 45, close)
		f.Add(b)
		f.Add(b[:len(b)-30])
	}
	f.Add(handmade(f, handmadeHeader+`{"t":0,"e":"A","o":1,"s":0,"b":0,"r":1,"d":[0,"{}"],"w":["a","b"],"n":3}`+"\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		tape, err := Open(bytes.NewReader(b), int64(len(b)), Limits{Frame: 1 << 18, Object: 1 << 16, State: 1 << 20, Rebuilt: 1 << 22})
		if err != nil {
			return
		}
		_, _ = tape.Survey()
		var out bytes.Buffer
		if _, err := Repair(tape, &out); err != nil {
			return
		}
		x, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := x.Verify(); err != nil || r.Verdict() == Damaged {
			t.Fatalf("%+v %v", r, err)
		}
	})
}
