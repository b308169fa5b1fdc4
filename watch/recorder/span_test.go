package recorder

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestQuiet: a tape tells from when to when it was recorded, even if nothing
// happened meanwhile.
func TestQuiet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	x := newSource(0)
	x.add(500)
	x.listen()
	began := time.Now()
	r := start(t, x, Options{Path: path, Flush: 5 * time.Millisecond})
	time.Sleep(30 * time.Millisecond)
	if s := end(t, r); s.Events != 0 {
		t.Errorf("%d events", s.Events)
	}
	p := play(t, path)
	if took := p.info.To.Sub(p.info.From); p.info.From.Before(began) || took < 30*time.Millisecond || len(p.spans) != 2 || len(p.rows) > 0 {
		t.Errorf("from %v to %v, begun %v; %d rows", p.info.From, p.info.To, began, len(p.rows))
	}
	if !maps.Equal(p.last, x.held) {
		t.Error("the objects differ")
	}
}

// slowDisk takes a moment for every write, and looks at what there is by then.
type slowDisk struct {
	output
	each time.Duration
	look func()
}

func (d *slowDisk) Write(p []byte) (int, error) {
	d.look()
	time.Sleep(d.each)
	return d.output.Write(p)
}

// TestNoHalfTapes: a slow disk is waited for while it takes anything, and at no
// time before is there a numbered tape that cannot be read.
func TestNoHalfTapes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.rwt")
	x := newSource(0)
	x.listen()
	looked := 0
	look := func() {
		files, _ := filepath.Glob(filepath.Join(dir, "*.rwt"))
		for _, f := range files {
			if strings.HasSuffix(f, "0001.rwt") && looked == 0 {
				continue // it has just been begun
			}
			if info, err := os.Stat(f); err != nil || info.Size() == 0 {
				t.Errorf("%s is empty: %v", f, err)
				continue
			}
			if p := play(t, f); f != files[len(files)-1] && !p.info.Closed {
				t.Errorf("%s is not closed, and there is a later one", f)
			}
		}
		looked++
	}
	r := start(t, x, Options{Path: path, MaxSize: 30 << 10, Flush: 5 * time.Millisecond, slow: func(o output) output {
		return &slowDisk{o, 40 * time.Millisecond, look}
	}})
	x.add(4000)
	if !r.Close(time.Minute) {
		t.Fatal("it was not waited for")
	}
	if s := r.Status(); s.Unsafe != 0 || s.OnDisk != int64(len(x.rows)) || s.Tapes < 2 {
		t.Errorf("%+v, %d rows", s, len(x.rows))
	}
	if looked < 5 {
		t.Errorf("only %d writes", looked)
	}
}
