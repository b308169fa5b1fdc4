package ui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rewatch/model"
)

// waking is an App in a bubble of time, and what its waiting command brings.
func waking(t *testing.T) (d *driver, next func() wakeMsg) {
	d = newDriver(t, 120, 36, "mono")
	d.script()
	d.take(d.app.wait()().(wakeMsg)) // what the script has appended
	return d, func() wakeMsg {
		t.Helper()
		msg, ok := d.app.wait()().(wakeMsg)
		if !ok {
			t.Fatal("no wake-up")
		}
		return msg
	}
}

// take takes a wake-up in, without waiting for the next.
func (d *driver) take(msg wakeMsg) {
	d.app.handle(msg)
	d.run(d.app.lack())
}

func TestTheFirstWakeUpComesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, next := waking(t)
		time.Sleep(time.Second)
		begin := time.Now()
		for i := range 5 {
			d.demo.pod(d.now, "prod-eu", d.demo.pods[i], model.Modified, 0, "Pending", i)
			d.take(next())
			if took := time.Since(begin); took != time.Duration(i)*d.app.wake.brief {
				t.Errorf("wake-up %d came after %v", i, took)
			}
		}
	})
}

// However fast the log grows, there is one wake-up per frame, and none is lost.
func TestAStormWakesOncePerFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, next := waking(t)
		time.Sleep(time.Second)
		go func() {
			for i := range 1000 {
				time.Sleep(time.Millisecond)
				d.demo.pod(d.now, "prod-eu", d.demo.pods[i%12], model.Modified, 0, "Running", i)
			}
		}()
		frame := d.app.wake.frame
		begin, n := time.Now(), 0
		for end := d.app.last.End() + 1000; d.app.last.End() < end; n++ {
			msg := next()
			if len(msg.infos) > d.app.timeline.height {
				t.Fatalf("%d texts for %d rows", len(msg.infos), d.app.timeline.height)
			}
			d.take(msg)
		}
		if most := int(time.Since(begin)/frame) + 2; n > most {
			t.Errorf("%d wake-ups in %v, want %d at the most", n, time.Since(begin), most)
		}
	})
}

// A new row comes with its text: nothing is left to ask for.
func TestRowsComeWithTheirTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, next := waking(t)
		for _, filter := range []string{"", "name:checkout"} {
			if filter != "" {
				d.press("/")
				d.press(strings.Split(filter, "")...)
				d.press("enter")
			}
			for i := range 60 { // more than fit
				d.demo.pod(d.now, "prod-eu", d.demo.pods[i%12], model.Modified, 0, "Pending", 1000+i)
				d.demo.deployment(d.now, "prod-eu", "cart", model.Modified, 0)
				d.demo.bookmark(d.now, "prod-eu/pods")
			}
			requests := d.app.infoRequest
			msg := next()
			d.demo.pod(d.now, "prod-eu", d.demo.pods[0], model.Modified, 0, "Running", 1) // too late for this frame
			d.app.handle(msg)
			if n := len(d.app.timeline.missing()); n != 0 || d.app.infoRequest != requests {
				t.Errorf("with the filter %q, %d rows came without their texts", filter, n)
			}
			d.has("containerStatuses[app].restartCou…") // the row and its text, in one frame
			d.take(next())
		}
	})
}

// Who does not follow gets no texts for rows that are not shown.
func TestNoTextsForRowsOutOfSight(t *testing.T) {
	for _, keys := range [][]string{{"up"}, {"space"}, {"g", "s", "z"}} {
		synctest.Test(t, func(t *testing.T) {
			d, next := waking(t)
			d.press(keys...)
			d.demo.pod(d.now, "prod-eu", d.demo.pods[0], model.Modified, 0, "Pending", 1)
			if msg := next(); len(msg.infos) != 0 {
				t.Errorf("after %v, %d texts", keys, len(msg.infos))
			}
		})
	}
}
