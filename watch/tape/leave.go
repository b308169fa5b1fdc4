package tape

import "rewatch/model"

// A stream that its user removed leaves no state behind: nobody has followed
// its objects since, as in the model.Log.

// leave forgets the objects of a stream, which the next checkpoint then does
// not name.
func (w *Writer) leave(s model.StreamID) {
	for _, o := range w.objects {
		if o.stream == s && !o.bookmark {
			w.forget(o)
		}
	}
}

// leave forgets the objects of a stream.
func (r *Reader) leave(s model.StreamID) {
	for o := range r.objects.all() {
		if o.stream == s && !o.bookmark {
			r.forget(o)
		}
	}
}

// leave counts the objects of a stream no more.
func (s *surveyor) leave(stream model.StreamID) {
	for o := range s.live {
		if s.of[o] == stream {
			delete(s.live, o)
			delete(s.sizes.objects, o)
			delete(s.of, o)
		}
	}
}
