package recorder

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rewatch/watch/tape"
)

// TestEverythingComesToTheTape: from the start, in the order of the log, with
// exact frames, and those that make no row.
func TestEverythingComesToTheTape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	x := newSource(0)
	x.listen()
	r := start(t, x, Options{Path: path, Tool: "test", Redaction: "nothing else", Flush: 5 * time.Millisecond})
	for range 20 {
		x.add(200)
		time.Sleep(2 * time.Millisecond)
	}
	s := end(t, r)
	p := play(t, path)
	compare(t, p.rows, x.rows)
	if !p.report.Closed || p.report.Verdict() != tape.Whole || s.Lost != 0 || int(s.Events) != len(x.rows) {
		t.Errorf("%+v\n%+v", p.report, s)
	}
	if !maps.Equal(p.last, x.held) {
		t.Error("the state at the end differs")
	}
	if p.info.Redaction != tape.Redacted+"; nothing else" || p.info.Tool != "test" || len(p.info.Streams) != 3 {
		t.Errorf("%+v", p.info)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != s.Bytes || s.Bytes != s.Kept {
		t.Errorf("%v %v %+v", info.Mode(), err, s)
	}
}

// TestRecordFromTheMiddle: the tape begins with the objects that exist, as the
// log goes on.
func TestRecordFromTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	x := newSource(0)
	x.add(3000)
	x.listen()
	before := maps.Clone(x.held)
	r := start(t, x, Options{Path: path})
	x.add(3000)
	end(t, r)
	p := play(t, path)
	compare(t, p.rows, x.rows)
	if !maps.Equal(p.first, before) || !maps.Equal(p.last, x.held) {
		t.Error("the state at the beginning or at the end differs")
	}
	steps := 0
	for _, s := range x.log.Streams(time.Now()) {
		if s.Last.Text != "" {
			steps++
		}
	}
	if steps != 3 {
		t.Fatalf("only %d streams had steps", steps)
	}
}

// TestRecordWhatIsHeld: the rows that the log still holds come first.
func TestRecordWhatIsHeld(t *testing.T) {
	for _, budget := range []int64{0, 1 << 20} {
		path := filepath.Join(t.TempDir(), "a.rwt")
		x := newSource(budget)
		x.listen()
		x.add(8_000)
		held := x.log.Snapshot().Len()
		r := start(t, x, Options{Path: path, Held: true, Flush: 10 * time.Millisecond})
		for r.Status().Safe.Before(x.log.Snapshot().At(x.log.Snapshot().End() - 1).When()) {
			x.add(10)
			time.Sleep(15 * time.Millisecond)
		}
		x.add(3000)
		s := end(t, r)
		p := play(t, path)
		if !maps.Equal(p.last, x.held) {
			t.Error("the state at the end differs")
		}
		if s.Lost != p.lost || budget == 0 && s.Lost != 0 || int(s.Events+s.Lost) < held || budget != 0 && held > 7_500 {
			t.Errorf("%d rows held, %+v", held, s)
		}
		if budget == 0 && p.report.Records < int64(held+3000)*9/10 {
			t.Errorf("%d records of %d", p.report.Records, held+3000)
		}
		// What came live is exact to the frame.
		compare(t, p.rows[len(p.rows)-1000:], x.rows[len(x.rows)-1000:])
	}
}

func TestFilesAreNotOverwritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.rwt")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	x := newSource(0)
	if _, err := Start(x.log, Options{Path: path}); !errors.Is(err, ErrExists) {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "mine" {
		t.Error("it was changed")
	}
	x.add(10)
	end(t, start(t, x, Options{Path: path, Force: true}))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	play(t, path)
	if _, err := Start(x.log, Options{Path: dir}); err == nil {
		t.Error("a directory was taken for a file")
	}
	if _, err := Start(x.log, Options{Path: filepath.Join(dir, "none", "a.rwt")}); err == nil {
		t.Error("a directory that is not there was made")
	}
}

// TestNumberedTapes: nothing is lost between two, each begins with all that
// exists, only the recording's own are deleted, and numbers go on.
func TestNumberedTapes(t *testing.T) {
	for _, o := range []Options{{MaxSize: 40 << 10}, {MaxAge: 20 * time.Millisecond}} {
		dir := t.TempDir()
		o.Path = filepath.Join(dir, "a.rwt")
		o.Flush = 5 * time.Millisecond
		foreign := Numbered(o.Path, 41)
		if err := os.WriteFile(foreign, []byte("not this recording's"), 0o600); err != nil {
			t.Fatal(err)
		}
		x := newSource(0)
		x.listen()
		r := start(t, x, o)
		for n := 0; n < 40 || r.Status().Tapes < 4; n++ {
			x.add(300)
			time.Sleep(3 * time.Millisecond)
		}
		s := end(t, r)
		if s.Tapes < 4 || s.Path != Numbered(o.Path, 41+s.Tapes) {
			t.Fatalf("%+v", s)
		}
		var rows []string
		var state map[string]string
		for n := range s.Tapes {
			p := play(t, Numbered(o.Path, 42+n))
			if len(rows) > 0 && len(p.rows) > 0 && !maps.Equal(p.first, state) {
				t.Errorf("tape %d does not begin with what there was", n)
			}
			if !p.report.Closed {
				t.Errorf("tape %d was not closed", n)
			}
			state = p.last
			rows = append(rows, p.rows...)
		}
		compare(t, rows, x.rows)
	}
}

func TestTheOldestTapesAreDeleted(t *testing.T) {
	o := Options{Path: filepath.Join(t.TempDir(), "a.rwt"), MaxSize: 40 << 10, KeepSize: 120 << 10, Flush: 5 * time.Millisecond}
	foreign := Numbered(o.Path, 1)
	if err := os.WriteFile(foreign, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1000)
	o.Say = func(s string) { said <- s }
	x := newSource(0)
	x.listen()
	r := start(t, x, o)
	for n := 0; n < 60 || r.Status().Deleted == 0; n++ {
		x.add(300)
		time.Sleep(3 * time.Millisecond)
	}
	s := end(t, r)
	files, err := os.ReadDir(filepath.Dir(o.Path))
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			total += info.Size()
		}
	}
	total -= 1 << 20
	if s.Deleted == 0 || len(files) != 1+s.Tapes-s.Deleted || total > o.KeepSize+o.MaxSize/2 || total != s.Kept {
		t.Errorf("%d files, %d bytes, %+v", len(files), total, s)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a tape of another recording was deleted")
	}
	if p := play(t, s.Path); !maps.Equal(p.last, x.held) {
		t.Error("the state at the end differs")
	}
	deleted := 0
	for range len(said) {
		if text := <-said; text[:7] == "deleted" {
			deleted++
		}
	}
	if deleted != s.Deleted {
		t.Errorf("%d deletions were said of %d", deleted, s.Deleted)
	}
}

// TestEmptyTapeIsATape: what was begun can be read before anything happened.
func TestEmptyTapeIsATape(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.rwt")
	x := newSource(0)
	r := start(t, x, Options{Path: path})
	for r.Status().Failed == nil {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			break
		}
	}
	if p := play(t, path); p.info.Records != 0 || len(p.info.Streams) != 3 {
		t.Errorf("%+v", p.info)
	}
	end(t, r)
}
