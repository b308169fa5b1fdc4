package ui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/query"
)

// hostile are texts that a cluster may send and a terminal must not get.
var hostile = []string{
	"\x1b]52;c;ZXZpbA==\x07", "\x1bP+q544e\x1b\\", "\u009b31m", "\u202egnp.exe", "a\rb\tc\x00", "\x1b]0;title\x07",
	"日本語のとても長い名前", "👩‍👩‍👧‍👦🇩🇪❤️", "e\u0301\u0301\u0301\u0301", "\xff\xfe", "क्षि", "﷽", "\u200b\u2066x", "",
}

// act does one of the things that users, clusters and terminals do.
func (d *driver) act(op, arg int) {
	all := d.app.keys.all
	switch op % 12 {
	case 0, 1, 2, 3:
		b := all[arg%len(all)]
		if k := b.keys[arg/len(all)%len(b.keys)]; b.id != "quit" && b.id != "suspend" {
			d.press(k)
		}
	case 4:
		d.resize(1+arg%230, 1+arg/230%70)
	case 5:
		d.demo.object(d.now, "prod-eu/pods", model.Type(1+arg%3), model.Flag(arg%32), "Pod", "v1", "ns"+hostile[arg%len(hostile)],
			"pod", fmt.Sprintf(`"spec":{"a":%q}`, hostile[arg/3%len(hostile)]))
	case 6:
		text := hostile[arg%len(hostile)]
		d.demo.step(d.now, "prod-eu/nodes", model.State(arg%16), model.CauseCut, text, d.now.Add(time.Duration(arg%5000)*time.Millisecond), arg%200)
		d.demo.log.Append(model.Record{Time: d.now, Stream: model.StreamID(arg % 6), Type: model.GapFound, Detail: model.Gap{FromRV: text, ToRV: text, Since: d.now}})
		d.demo.log.Append(model.Record{Time: d.now, Stream: model.StreamID(arg % 6), Type: model.Noted, Detail: model.Note{Text: text}})
	case 7:
		d.send(tea.MouseClickMsg{X: arg % 230, Y: arg / 230 % 70, Button: tea.MouseLeft})
		d.send(tea.MouseWheelMsg{X: arg % 230, Y: arg / 230 % 70, Button: tea.MouseButton(4 + arg%2)})
	case 8:
		d.press("/")
		d.send(tea.PasteMsg{Content: hostile[arg%len(hostile)]})
	case 9:
		d.demo.churn(d.now, "prod-eu")
	case 10:
		d.send(tea.MouseMotionMsg{X: arg % 230, Y: arg / 230 % 3, Button: tea.MouseLeft})
		d.send(tea.MouseReleaseMsg{})
		if d.deck != nil {
			d.deck.play.Text, d.deck.play.Damaged = hostile[arg%len(hostile)], arg%5 == 0
		}
	case 11:
		if d.deck != nil {
			d.deck.pass(time.Duration(arg%3000) * time.Millisecond)
		}
	}
	d.settle()
	d.wait(time.Duration(arg%700) * time.Millisecond)
}

// check fails unless the frame has its size and holds no escape but our own.
func (d *driver) check() {
	content := d.app.View().Content
	d.checkSize(content)
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\n' || c >= 0x20 && c != 0x7f:
		case c == 0x1b && i+1 < len(content) && content[i+1] == '[':
			for i += 2; content[i] == ';' || content[i] >= '0' && content[i] <= '9'; i++ {
			}
			if content[i] != 'm' {
				d.t.Fatalf("a sequence that is no style: %q", content[i-5:i+1])
			}
		default:
			d.t.Fatalf("byte %#x on screen: %q", c, content[max(i-20, 0):i+1])
		}
	}
}

// Whatever happens, in whatever order and size, the screen is drawn, it has
// its size, and nothing of a cluster reaches the terminal unseen.
func TestAnythingInAnyOrder(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		d := newDriver(t, 80, 24, []string{"dark", "light", "mono"}[seed%3], "prod-eu")
		d.script()
		for range 150 {
			d.act(r.IntN(12), r.IntN(1<<20))
			d.check()
		}
	}
}

// The same of a replay: what is shown is always of the moment of its clock.
func TestAnythingInAnyOrderOfAReplay(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 11))
		d, deck := newReplay(t, 80, 24, []string{"dark", "light", "mono"}[seed%3])
		for range 150 {
			d.act(r.IntN(12), r.IntN(1<<20))
			d.check()
			if d.app.log != deck.log || !d.app.now.Equal(deck.play.Now) {
				t.Fatalf("the screen shows %v, the tape is at %v", d.app.now, deck.play.Now)
			}
			if s := d.app.last; s.Len() > 0 && s.At(s.End()-1).When().After(d.app.now) {
				t.Fatalf("a row of %v is shown at %v", s.At(s.End()-1).When(), d.app.now)
			}
		}
	}
}

func FuzzScreen(f *testing.F) {
	f.Add([]byte{4, 80, 24, 5, 6, 7, 8, 9, 200, 1, 2, 3})
	f.Fuzz(func(t *testing.T, ops []byte) {
		d := newDriver(t, 100, 30, "dark")
		d.script()
		for i := 0; i+2 < len(ops) && i < 300; i += 3 {
			d.act(int(ops[i]), int(ops[i+1])<<8|int(ops[i+2]))
			d.check()
		}
	})
}

// The index that grows in steps and forgets lists what a new one does.
func TestIndexGrowsAsIfMadeAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	d := newDemoLog("prod-eu")
	d.start(epoch, "prod-eu", 300)
	all := newOverall(d.log.Streams(epoch), epoch)
	states := []model.State{model.Backoff, model.Connecting, model.Backoff, model.Live, model.Relisting}
	q, err := query.Parse("name:checkout")
	if err != nil {
		t.Fatal(err)
	}
	match := q.Filter(d.log)
	for _, noise := range []bool{false, true} {
		for _, f := range []model.Filter{nil, match} {
			grown := newIndex(f, noise, 0, all.host)
			for range 50 {
				for range r.IntN(40) {
					d.churn(epoch, "prod-eu")
					for _, stream := range []string{"prod-eu/pods", "prod-eu/nodes"}[:r.IntN(3)] {
						d.step(epoch, stream, states[r.IntN(len(states))], "", "", time.Time{}, 1)
					}
				}
				grown.extend(d.log.Snapshot())
			}
			fresh := newIndex(f, noise, 0, all.host)
			fresh.extend(d.log.Snapshot())
			if fmt.Sprint(grown.seqs) != fmt.Sprint(fresh.seqs) || grown.hidden != fresh.hidden || len(grown.folds) != len(fresh.folds) {
				t.Fatalf("noise %v: grown %d rows, at once %d", noise, len(grown.seqs), len(fresh.seqs))
			}
		}
	}
}

// What has left the log leaves the timeline, and positions stand.
func TestRowsThatLeftTheLog(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.demo.log = model.NewLog(model.Options{Budget: 1 << 20})
	demo := newDemoLog("prod-eu")
	demo.log = d.demo.log
	for _, s := range []string{"pods", "deployments", "replicasets", "configmaps", "nodes", "events"} {
		demo.streams["prod-eu/"+s] = demo.log.AddStream(model.StreamInfo{Resource: s, Context: "prod-eu"})
	}
	d.demo = demo
	d.app = NewApp(t.Context(), Options{Log: demo.log, Now: func() time.Time { return d.now }, Location: time.UTC, Theme: "mono"})
	defer d.app.Close()
	d.resize(120, 36)
	demo.start(d.now, "prod-eu", 50)
	d.wait(0)
	d.press("g", "g")
	d.screen()
	for range 60 {
		for range 200 {
			demo.churn(d.now, "prod-eu")
		}
		d.wait(time.Second)
		d.check()
	}
	if demo.log.Stats().Evicted == 0 {
		t.Fatal("nothing was evicted; the test shows nothing")
	}
	if first := d.app.timeline.index.at(d.app.timeline.index.first()); first < demo.log.Snapshot().First() {
		t.Errorf("the timeline begins at row %d, the log at %d", first, demo.log.Snapshot().First())
	}
	d.has("evicted")
}
