package tape

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"testing"
)

// python reads a tape with docs/tape_reader.py; false after a skip.
func python(t *testing.T, tape []byte) ([]byte, bool) {
	t.Helper()
	for _, tool := range []string{"zstd", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("needs "+tool+": ", err)
			return nil, false
		}
	}
	unzstd := exec.Command("zstd", "-dc")
	unzstd.Stdin = bytes.NewReader(tape)
	text, err := unzstd.Output()
	if err != nil {
		t.Fatal("zstd: ", err)
	}
	reader := exec.Command("python3", "../../docs/tape_reader.py")
	reader.Stdin = bytes.NewReader(text)
	var complaint bytes.Buffer
	reader.Stderr = &complaint
	out, err := reader.Output()
	if err != nil {
		t.Fatal("tape_reader.py: ", err, complaint.String())
	}
	return out, true
}

func TestPythonReader(t *testing.T) {
	lines := firstPart(shopLines(t), ordinary(4))
	if got, ok := python(t, importTape(t, lines, Options{SegmentFloor: 32 << 10, Checkpoint: 1})); ok {
		checkSame(t, got, redactedLines(t, lines))
	}
}

func TestPythonReaderOnRandomRecords(t *testing.T) {
	b := randomTape(t, 99)
	if got, ok := python(t, b); ok {
		checkSame(t, got, exported(t, mustOpen(t, b)))
	}
}

// TestPythonReaderOnARotatedTape: it begins with objects of the one before.
func TestPythonReaderOnARotatedTape(t *testing.T) {
	p := &property{rnd: rand.New(rand.NewPCG(98, 3)), now: testHeader().Created, live: map[key][]byte{}}
	var first, second bytes.Buffer
	p.w = NewWriter(&first, testHeader(), Options{})
	for i := range 200 {
		if i == 100 {
			if err := p.w.Next(&second, p.now); err != nil {
				t.Fatal(err)
			}
		}
		p.step(t)
	}
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, ok := python(t, second.Bytes()); ok {
		checkSame(t, got, exported(t, mustOpen(t, second.Bytes())))
	}
}

func randomTape(t *testing.T, seed uint64) []byte {
	t.Helper()
	p := &property{rnd: rand.New(rand.NewPCG(seed, 3)), now: testHeader().Created, live: map[key][]byte{}}
	var b bytes.Buffer
	p.w = NewWriter(&b, testHeader(), Options{FrameSize: 4 << 10, SegmentFloor: 8 << 10, Checkpoint: 1})
	for range 600 {
		p.step(t)
	}
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
