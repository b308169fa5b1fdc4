package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// Objects that change a little at a time until nothing of them is left as it
// was, large ones, and ones that resemble nothing.
func TestDriftingAndLargeObjects(t *testing.T) {
	for _, size := range []int{0, 1, 300, 9_000, slabSize, 300_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(uint64(size), 1))
			l := NewLog(Options{})
			st := l.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "things", Kind: "Thing"})
			want := map[versionKey][]byte{}
			raw := make([]byte, size)
			for i := range raw {
				raw[i] = byte(rnd.IntN(256))
			}
			for i := range min(150, 10+3_000_000/(size+1)) {
				for range min(size, 1+size/2000) {
					raw[rnd.IntN(size)]++
				}
				if i%40 == 39 {
					rnd.Shuffle(len(raw), func(i, j int) { raw[i], raw[j] = raw[j], raw[i] })
				}
				e := l.Append(Record{Stream: st, Type: Modified, Raw: raw, RV: fmt.Sprint(i + 1), Identity: Identity{Name: "big", UID: "u"}})
				want[versionKey{e.Object, e.Version}] = bytes.Clone(raw)
				if size > 0 && len(want) == 1 { // so that the large one does not stay in hand
					other := l.Append(Record{Stream: st, Type: Added, Raw: bytes.Repeat([]byte("x"), 400_000), RV: "7", Identity: Identity{Name: "other", UID: "o"}})
					want[versionKey{other.Object, other.Version}] = bytes.Repeat([]byte("x"), 400_000)
				}
			}
			checkVersions(t, l, want)
		})
	}
}

// What a log says that it holds must be what it holds, also after most of what
// it once held has left.
func TestBytesAreCountedHonestly(t *testing.T) {
	if raceEnabled {
		t.Skip("a minute of work under the race detector, and nothing in it runs at a time")
	}
	for _, budget := range []int64{1 << 30, 5 << 20} {
		before, _ := heap()
		l := NewLog(Options{Budget: budget})
		n := 20_000
		if testing.Short() {
			n = 3_000
		}
		generate(l, n)
		after, _ := heap()
		grown, counted := after-before, l.Stats().Bytes
		t.Logf("budget %d MB: counted %d KB, the heap grew by %d KB; %+v", budget>>20, counted>>10, grown>>10, l.Stats())
		if counted > budget {
			t.Errorf("%d bytes held of %d allowed", counted, budget)
		}
		if grown > counted*5/4+(1<<19) || counted > grown*5/4+(1<<19) {
			t.Errorf("counted %d bytes, the heap grew by %d", counted, grown)
		}
		runtime.KeepAlive(l)
	}
}

func TestFewVersionsAreWholeTexts(t *testing.T) {
	l := NewLog(Options{})
	st := l.AddStream(StreamInfo{Context: "c", Version: "v1", Resource: "pods", Kind: "Pod"})
	filler := strings.Repeat(`{"name":"LOG_LEVEL","value":"info"},`, 250)
	const n = 4_000
	before := l.Stats().Bytes
	for i := range n {
		name := fmt.Sprintf("web-%d-%05d", i%4, i)
		l.Append(Record{Stream: st, Type: Added, RV: fmt.Sprint(i + 1), Identity: Identity{Namespace: "shop", Name: name, UID: name},
			Raw: fmt.Appendf(nil, `{"metadata":{"name":%q},"spec":[%s]}`, name, filler)})
	}
	if each := (l.Stats().Bytes - before) / n; each > 400 {
		t.Errorf("%d bytes for each of many siblings of 9 KB", each)
	}
}
