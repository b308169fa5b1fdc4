package timeserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// frames writes the frames of one watch, with the faults it has to suffer.
type frames struct {
	x     *exchange
	form  *representation
	fault Fault // the zero value without one
	rc    *http.ResponseController
	n     int // written
	timer <-chan time.Time
}

func newFrames(x *exchange, form *representation) *frames {
	f := &frames{x: x, form: form, rc: http.NewResponseController(x.w)}
	if x.fault != nil {
		f.fault = *x.fault
	}
	return f
}

// begin does what the fault does right after the headers, and starts its
// clock.
func (f *frames) begin() error {
	if d := max(f.fault.CloseAfterTime, f.fault.CutAfterTime); d > 0 {
		f.timer = time.After(d)
	}
	n := f.fault.ErrorAfter
	if f.fault.ErrorFrame != nil && n <= 0 {
		return f.errorFrame()
	}
	return f.reached(func(after int) bool { return after < 0 })
}

// due is ready when the fault's time has come.
func (f *frames) due() <-chan time.Time { return f.timer }

// expire ends the watch when the fault's time has come.
func (f *frames) expire() error {
	if f.fault.CloseAfterTime > 0 {
		return errEnd
	}
	if f.fault.CutMidFrame {
		f.half(EncodeFrame(watch.Modified, []byte(`{"kind":"Unfinished","apiVersion":"v1","metadata":{}}`)))
	}
	abort()
	return nil
}

// frame sends one frame. Without a fault it is not flushed.
func (f *frames) frame(typ watch.EventType, object []byte) error {
	if f.x.silent.Load() {
		return f.hang()
	}
	object = f.form.object(object)
	if f.x.fault == nil {
		_, err := f.x.w.Write(EncodeFrame(typ, object))
		f.n++
		return err
	}
	return f.faulty(typ, object)
}

func (f *frames) faulty(typ watch.EventType, object []byte) error {
	if typ == watch.Bookmark && f.fault.NoBookmarks {
		return nil
	}
	if f.fault.FrameDelay > 0 && !f.x.sleep(f.fault.FrameDelay) {
		return errEnd
	}
	if f.fault.RV != nil {
		object, _ = stampRV(object, *f.fault.RV)
	}
	b := EncodeFrame(typ, object)
	if f.fault.Frame != nil {
		b = f.fault.Frame(typ, object)
	}
	if f.fault.CutMidFrame && f.fault.CutAfter != 0 && f.n >= max(f.fault.CutAfter, 0) {
		f.half(b)
		abort()
	}
	if _, err := f.x.w.Write(b); err != nil {
		return err
	}
	if err := f.flush(); err != nil {
		return err
	}
	f.n++
	if f.fault.ErrorFrame != nil && f.n == f.fault.ErrorAfter {
		return f.errorFrame()
	}
	return f.reached(func(after int) bool { return after == f.n })
}

// reached does what is to be done after as many frames as were sent.
func (f *frames) reached(now func(after int) bool) error {
	switch {
	case now(f.fault.CloseAfter):
		return errEnd
	case now(f.fault.CutAfter) && !f.fault.CutMidFrame:
		abort()
	case now(f.fault.SilentAfter):
		return f.hang()
	}
	return nil
}

func (f *frames) hang() error {
	if err := f.flush(); err != nil {
		return err
	}
	f.x.hang()
	return errEnd
}

// half sends the first half of a frame.
func (f *frames) half(b []byte) {
	_, _ = f.x.w.Write(b[:len(b)/2])
	_ = f.flush()
}

func (f *frames) errorFrame() error {
	if _, err := f.x.w.Write(EncodeFrame(watch.Error, f.fault.ErrorFrame)); err != nil {
		return err
	}
	return errEnd
}

// status sends an error as an ERROR frame.
func (f *frames) status(err error) error {
	b, err := json.Marshal(statusOf(err))
	if err == nil {
		_, err = f.x.w.Write(EncodeFrame(watch.Error, b))
	}
	return err
}

func (f *frames) bookmark(r Resource, rv int64, end bool) error {
	note := ""
	if end {
		if f.fault.NoEndBookmark {
			return nil
		}
		note = `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	return f.frame(watch.Bookmark, fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":"%d"%s}}`,
		r.Kind, r.APIVersion(), rv, note))
}

func (f *frames) flush() error { return f.rc.Flush() }

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // only for our own types
	}
	return b
}
