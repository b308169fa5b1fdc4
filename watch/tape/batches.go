package tape

import (
	"runtime"
	"sync"
	"sync/atomic"

	"rewatch/model"
)

// Rebuilding many objects
//
// Most objects of a state that was read for itself hang by a root and the
// splices that wait, which nobody changes. So several goroutines rebuild them, a
// batch each, while who wanted them takes in the batch before. The others are
// left to the Reader itself, whose store of texts changes with each use.

const (
	perBatch = 128     // objects
	maxBatch = 1 << 20 // bytes of texts from which on the rest of a batch is left
)

// rebuilt is what is made of an object.
type rebuilt struct {
	object Object
	spent  int64 // bytes that were made on the way
	err    error
	left   bool // to the Reader
}

// batch is some objects. Its memory is used again.
type batch struct {
	text []byte
	made [perBatch]rebuilt
}

// rebuilders rebuild objects.
type rebuilders struct {
	reader  *Reader
	objects []*object
	brief   bool // without the texts of those that can be told without
	claimed atomic.Int64
	free    chan *batch
	done    []chan *batch // in turn: no more are on the way than there is memory for
	stop    chan struct{}
	work    sync.WaitGroup
}

// rebuild begins to rebuild objects; nil where that is not worth while.
func (r *Reader) rebuild(objects []*object, brief bool) *rebuilders {
	batches := (len(objects) + perBatch - 1) / perBatch
	workers := min(runtime.GOMAXPROCS(0), maxReaders, batches/2)
	if workers < 2 {
		return nil
	}
	b := &rebuilders{reader: r, objects: objects, brief: brief, free: make(chan *batch, 2*workers), done: make([]chan *batch, 2*workers), stop: make(chan struct{})}
	for i := range b.done {
		b.done[i] = make(chan *batch, 1)
		b.free <- &batch{}
	}
	for range workers {
		b.work.Go(b.run)
	}
	return b
}

// close returns when every goroutine has ended.
func (b *rebuilders) close() {
	if b != nil {
		close(b.stop)
		b.work.Wait()
	}
}

func (b *rebuilders) run() {
	w := workshop{}
	for {
		select {
		case <-b.stop:
			return
		case x := <-b.free: // before the claim, or nobody might have room for the batch that is waited for
			n := int(b.claimed.Add(1)) - 1
			if n*perBatch >= len(b.objects) {
				return
			}
			x.text = x.text[:0]
			for i, o := range b.objects[n*perBatch : min((n+1)*perBatch, len(b.objects))] {
				b.reader.remake(o, x, &x.made[i], &w, b.brief)
			}
			b.done[n%len(b.done)] <- x
		}
	}
}

// take returns a batch; give gives it back.
func (b *rebuilders) take(n int) *batch { return <-b.done[n%len(b.done)] }

func (b *rebuilders) give(x *batch) { b.free <- x }

// remake rebuilds an object, or tells it if that is enough. It changes nothing of
// the Reader.
func (r *Reader) remake(o *object, x *batch, out *rebuilt, w *workshop, brief bool) {
	if *out = (rebuilt{}); !o.afresh || o.splices == nil || len(x.text) > maxBatch {
		out.left = true
		return
	}
	info := &r.streams[o.stream].StreamInfo
	if brief && x.tell(o, info, &out.object, &out.spent, w, r.t.limits.Object) {
		return
	}
	from := len(x.text)
	x.text, out.spent, out.err = w.rebuild(x.text, o.splices, r.t.limits.Object)
	if out.err == nil {
		raw := x.text[from:len(x.text):len(x.text)]
		out.object = Object{Stream: o.stream, Raw: raw, Text: o.later()}
		out.object.Identity, out.object.RV = identify(info, raw)
	}
}

// tell makes out an object without its text, if that can be.
func (x *batch) tell(o *object, info *model.StreamInfo, out *Object, size *int64, w *workshop, limit int) bool {
	s := o.splices
	if s.form == nil || s.before != nil {
		return false
	}
	sketch := w.sketches.get(s)
	if sketch == nil {
		return false
	}
	values, ok := w.speller.values(s)
	if !ok {
		return false
	}
	n := 0
	if out.Identity, out.RV, n, x.text, ok = sketch.tell(x.text, info, values, w.speller.ends); !ok || n > limit {
		return false
	}
	out.Stream, out.Text, *size = o.stream, s, int64(n)
	return true
}
