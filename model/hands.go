package model

// hand is the newest version of an object, kept as text because the object
// may soon change again.
type hand struct {
	id       ObjectID
	text     []byte
	template uint32 // of the object's last splice against one: the first to try
	// The chain of splices against next versions that ends here: how many, and
	// how many slabs they lie in, the last of them being slab.
	depth, slabs int
	slab         uint64
	newer, older *hand
}

const handMemory = 128

// hands are the hands in the order of their last use.
type hands struct {
	of             map[ObjectID]*hand
	newest, oldest *hand
	memory         int64
	spare          []byte // the text of one that was dropped, to be used again
}

// put makes a text the one of a hand, and the hand the newest.
func (s *hands) put(h *hand, text []byte) {
	if s.of[h.id] == nil {
		s.of[h.id] = h
		h.text, s.spare = s.spare, nil
		s.memory += handMemory
	} else {
		s.unlink(h)
		s.memory -= int64(cap(h.text))
	}
	if cap(h.text) < len(text) || cap(h.text) > 2*len(text)+1024 {
		h.text = make([]byte, 0, len(text)+len(text)/16)
	}
	h.text = append(h.text[:0], text...)
	s.memory += int64(cap(h.text))
	h.older, h.newer = s.newest, nil
	if s.newest != nil {
		s.newest.newer = h
	} else {
		s.oldest = h
	}
	s.newest = h
}

func (s *hands) unlink(h *hand) {
	if h.newer != nil {
		h.newer.older = h.older
	} else {
		s.newest = h.older
	}
	if h.older != nil {
		h.older.newer = h.newer
	} else {
		s.oldest = h.newer
	}
}

func (s *hands) drop(h *hand) {
	s.unlink(h)
	delete(s.of, h.id)
	s.memory -= handMemory + int64(cap(h.text))
	s.spare, h.text = h.text, nil
}
