// Package query is the query language: one text that says which rows of the
// log are meant, the same on the screen, for tail, export and record. The
// language is described in docs/query.md.
//
// [Parse] reads a text and says by the column what is wrong with it;
// [Query.Filter] makes a filter of it for one log, and [Complete] tells how a
// text that is being typed may go on.
//
// What a filter costs: terms about the identity of an object, its stream, the
// type of the row and its time look at no bytes, and what they find out is kept
// for each object, stream and kind of row, 8 bytes an object while the filter is
// held. A row that does not match takes some nanoseconds then, so no summaries of
// rows are kept: see skip. Words and regular expressions look at those first, and at
// the text of the change only where they have not been found there. path:,
// manager: and that text take one or two versions of the object and a
// comparison of them; cel: reads only those fields that the expression touches.
package query

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rewatch/model"
)

// Query is a text that was read. It may be used from any goroutine.
type Query struct {
	text   string
	root   *node // nil matches every row
	leaves []*leaf
}

// String is the text that was read.
func (q *Query) String() string { return q.text }

// Empty reports whether the query has no terms: then every row matches.
func (q *Query) Empty() bool { return q.root == nil }

// Alternatives reports whether the query is terms joined by OR: then it has to
// stand in parentheses where terms are put beside it.
func (q *Query) Alternatives() bool { return q.root != nil && q.root.op == or }

// Deep reports whether matching a row may take its bytes: then a filter costs
// tens of microseconds for a row rather than tens of nanoseconds, and a screen
// runs it outside of its event loop.
func (q *Query) Deep() bool {
	for _, l := range q.leaves {
		if l.deep() {
			return true
		}
	}
	return false
}

// Reads reports whether a cel: term of the query names one of these variables.
func (q *Query) Reads(variables ...string) bool {
	for _, l := range q.leaves {
		if l.cel == nil {
			continue
		}
		for _, v := range variables {
			if v == "namespace" {
				v = namespaceAlias
			}
			if slices.Contains(l.cel.reads, v) {
				return true
			}
		}
	}
	return false
}

// AsksForGaps reports whether the rows of gaps are what the query looks for, by
// their type or by the word, rather than shown beside it.
func (q *Query) AsksForGaps() bool {
	if q.root == nil || q.Reads("gap") {
		return q.root != nil
	}
	judge := func(named verdict) verdict {
		return q.root.judge(func(l *leaf) verdict {
			switch {
			case l.field == typeField && matchAny(l.any, "gap"), l.field == words && len(l.any) == 1 && l.any[0].text == "gap":
				return named
			case l.field == typeField:
				return no
			}
			return unknown
		})
	}
	// Either all of them match, or some, and those only because they are gaps.
	v := judge(yes)
	return v == yes || v == unknown && judge(no) == no
}

// Error says what is wrong with a query.
type Error struct {
	// Column is the character, from 1, at which the mistake is; one past the
	// last where something is missing at the end.
	Column  int
	Message string // one line
	Hint    string // what to do instead, one line; may be ""
}

// Error is the message with its column and hint.
func (e *Error) Error() string {
	s := fmt.Sprintf("column %d: %s", e.Column, e.Message)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// maxTerms is how many terms a query may have: what is known of an object is
// one bit for each of them.
const maxTerms = 60

// maxText bounds a query, in bytes.
const maxText = 16 << 10

// Parse reads a query. A text without terms is a query that matches every row.
// The error is an *[Error].
func Parse(text string) (*Query, error) {
	if len(text) > maxText {
		return nil, &Error{Column: 1, Message: fmt.Sprintf("the query is longer than %d bytes", maxText)}
	}
	p := parser{text: []rune(text)}
	root, err := p.parse()
	if err != nil {
		return nil, err
	}
	return &Query{text: strings.TrimSpace(text), root: root, leaves: p.leaves}, nil
}

// Options are what a filter may need besides its log.
type Options struct {
	// Now is the moment that since:5m counts back from, and its location is
	// that of times of day such as after:12:30. The zero value is the time of
	// the newest row, in UTC. The moment is fixed: a filter does not move on
	// with the clock.
	Now time.Time
	// Cache keeps what deep terms found out about rows, for the next filter
	// over the same log; nil means that nothing is kept.
	Cache *Cache
}

// Filter makes a filter over the rows of a log, like [Query.Compile] without
// options.
func (q *Query) Filter(l *model.Log) model.Filter { return q.Compile(l, Options{}).Match }

// Compile makes a matcher for the rows of a log. It belongs to one goroutine
// at a time.
func (q *Query) Compile(l *model.Log, o Options) *Matcher { return newMatcher(q, l, o) }
