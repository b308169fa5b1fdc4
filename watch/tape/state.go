package tape

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"rewatch/model"
)

// StreamState is a stream as of the Reader's place.
type StreamState struct {
	model.StreamInfo
	// Last is its newest step, and Since when that was; zero before the first.
	Last  model.Transition
	Since time.Time
}

// Object is an object that exists in a stream as of the Reader's place.
type Object struct {
	Stream   model.StreamID
	Identity model.Identity
	RV       string
	Raw      []byte
	// Text is where Raw can be had as long as somebody wants it, nil where Raw
	// has to be copied.
	Text model.Text
}

// Time is that of the newest record read.
func (r *Reader) Time() time.Time { return time.Unix(0, r.now) }

// Number is how many records of the tape come before the Reader's place, those
// that are damaged included: the number of the record that Next returns.
func (r *Reader) Number() int64 { return r.before + r.records }

// Whole reports whether the state is all that existed. It is not where
// something that it hangs by is damaged; the next checkpoint makes it whole.
func (r *Reader) Whole() bool { return r.whole }

// Missed returns the damage that was met on the way to the place sought.
func (r *Reader) Missed() []*Damage { return r.missed }

// Streams returns the streams as of the Reader's place, by number.
func (r *Reader) Streams() []StreamState {
	out := make([]StreamState, 0, len(r.streams))
	for _, s := range r.streams {
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b StreamState) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Objects yields the objects that exist as of the Reader's place, in the order
// in which they came to. One is valid until the next is asked for. An error is
// a *Damage, after which they go on, or ends them.
func (r *Reader) Objects() iter.Seq2[Object, error] { return r.all(false) }

// Identities is Objects for who needs no more than to tell them apart: where
// that is much quicker, Raw is nil. Text makes it then, and cannot fail.
func (r *Reader) Identities() iter.Seq2[Object, error] { return r.all(true) }

func (r *Reader) all(brief bool) iter.Seq2[Object, error] {
	return func(yield func(Object, error) bool) {
		objects := make([]*object, 0, r.objects.n)
		for o := range r.objects.all() {
			if !o.bookmark {
				objects = append(objects, o)
			}
		}
		r.yield(objects, brief, yield)
	}
}
