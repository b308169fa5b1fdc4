package query

import (
	"strings"

	"rewatch/model"
)

// Cache keeps what deep terms found out about the rows of one log, so that a
// query that is typed on, or taken back, is not judged all over. It belongs to
// the goroutine of the matchers that use it, one of them at a time.
type Cache struct {
	terms map[string]*findings
	turn  int
}

const (
	// maxCached is how many terms are remembered; a term takes a quarter of a
	// byte for each row that was judged.
	maxCached   = 12
	rowsPerPart = 1024
	// maxParts bounds a term by the rows that it covers, 4 million.
	maxParts = 4096
)

// NewCache returns an empty cache.
func NewCache() *Cache { return &Cache{terms: map[string]*findings{}} }

// findings are the rows that one term was judged for.
type findings struct {
	parts map[model.Seq]*part
	used  int
}

// part is what was found for a run of rows.
type part struct{ known, holds [rowsPerPart / 64]uint64 }

// term returns the findings of a term.
func (c *Cache) term(key string) *findings {
	if c == nil {
		return nil
	}
	c.turn++
	f := c.terms[key]
	if f == nil {
		f = &findings{parts: map[model.Seq]*part{}}
		if len(c.terms) >= maxCached {
			c.dropOldest()
		}
		c.terms[key] = f
	}
	f.used = c.turn
	return f
}

func (c *Cache) dropOldest() {
	oldest := ""
	for key, f := range c.terms {
		if oldest == "" || f.used < c.terms[oldest].used {
			oldest = key
		}
	}
	delete(c.terms, oldest)
}

func (f *findings) at(seq model.Seq) verdict {
	if f == nil {
		return unknown
	}
	p := f.parts[seq/rowsPerPart]
	i := seq % rowsPerPart
	switch {
	case p == nil || p.known[i/64]>>(i%64)&1 == 0:
		return unknown
	case p.holds[i/64]>>(i%64)&1 == 0:
		return no
	}
	return yes
}

func (f *findings) put(seq model.Seq, holds bool) {
	if f == nil {
		return
	}
	p := f.parts[seq/rowsPerPart]
	if p == nil {
		if len(f.parts) >= maxParts {
			clear(f.parts)
		}
		p = &part{}
		f.parts[seq/rowsPerPart] = p
	}
	i := seq % rowsPerPart
	p.known[i/64] |= 1 << (i % 64)
	if holds {
		p.holds[i/64] |= 1 << (i % 64)
	}
}

// wordKey begins the keys of words.
const wordKey = "word:"

// within returns the findings of words that are parts of a word: where those
// are not, it is not either.
func (c *Cache) within(word string) (wider []*findings) {
	for key, f := range c.terms {
		if w, ok := strings.CutPrefix(key, wordKey); ok && w != word && strings.Contains(word, w) {
			wider = append(wider, f)
		}
	}
	return wider
}
