package export

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"
	"time"

	"rewatch/model/clean"
)

// The page: one template for each part of it, a style and a script. Both are
// the same in every page, and named by their hashes in its policy: nothing
// else runs in it, whatever a tape holds.
var (
	//go:embed page/page.tmpl
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
)

// policy is the Content-Security-Policy of the page.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(pageScript) + "; style-src " + hash(pageStyle) + "; base-uri 'none'; form-action 'none'"
}

// chunkRows is how many rows the script unpacks at a time.
const chunkRows = 500

// page is one page under way.
type page struct {
	j     *job
	t     *template.Template
	out   *bufio.Writer
	s     *survey
	many  bool // several contexts
	clock string
	index pageIndex
	names map[objectName]int
	last  int64 // time of the row before, microseconds since the start
}

type objectName struct{ kind, ns, name, context string }

// pageIndex is what the script needs to know of all rows before it looks at
// one.
type pageIndex struct {
	From    int64             `json:"from"` // microseconds since the Unix epoch
	Span    int64             `json:"span"` // microseconds
	Per     int               `json:"per"`  // rows in a chunk
	Long    bool              `json:"long"` // times have a date
	Times   []int64           `json:"t"`    // each less the one before
	Classes string            `json:"c"`
	Objects []int             `json:"o"` // numbers in the list of names, -1 for none
	Streams []int             `json:"s"`
	Names   [][4]string       `json:"objects"` // kind, namespace, name, context
	Watched [][2]string       `json:"streams"` // name, context
	Words   map[string]string `json:"names"`   // of classes
}

// writeHTML writes the page: a first pass over the tape for what stands above
// the rows, and a second one for them.
func writeHTML(j *job) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	s, err := j.survey()
	if err != nil {
		return err
	}
	p := &page{j: j, t: t, s: s, out: bufio.NewWriterSize(j.out, 256<<10), names: map[objectName]int{}, clock: clockFormat(s.from, s.to)}
	p.many = contexts(s) > 1
	p.index = pageIndex{From: s.from.UnixMicro(), Span: s.to.UnixMicro() - s.from.UnixMicro(), Per: chunkRows, Long: p.clock != shortClock,
		Times: []int64{}, Objects: []int{}, Streams: []int{}, Names: [][4]string{}, Watched: [][2]string{}, Words: map[string]string{}}
	for _, w := range s.streams {
		p.index.Watched = append(p.index.Watched, [2]string{clean.Line(streamName(&w.info)), clean.Line(w.info.Context)})
	}
	if s.rows > int64(j.limit) {
		j.result.Cut = s.rows - int64(j.limit)
	}
	if err := t.ExecuteTemplate(p.out, "head", p.head()); err != nil {
		return err
	}
	if err := p.rows(); err != nil {
		return err
	}
	if err := t.ExecuteTemplate(p.out, "foot", p.foot()); err != nil {
		return err
	}
	return p.out.Flush()
}

const (
	shortClock = "15:04:05.000"
	longClock  = "2006-01-02 15:04:05.000"
)

// clockFormat is how times of a span are written: with the date if it needs one.
func clockFormat(from, to time.Time) string {
	if from.YearDay() != to.YearDay() || from.Year() != to.Year() {
		return longClock
	}
	return shortClock
}

func contexts(s *survey) int {
	names := map[string]bool{}
	for _, w := range s.streams {
		names[w.info.Context] = true
	}
	return len(names)
}

// rows writes the rows, in chunks. To a browser that runs no scripts a
// noscript element is not there; to others its content is a text, which costs
// them nothing until it is looked at.
func (p *page) rows() error {
	open := "<noscript class=\"rows\"><ol>\n"
	if p.index.Long {
		open = "<noscript class=\"rows\"><ol class=\"long\">\n"
	}
	const end = "</ol></noscript>\n"
	var classes strings.Builder
	_, err := p.j.timeline(true, func(r *row) error {
		n := int(p.j.result.Rows)
		if n >= p.j.limit {
			return errEnough
		}
		p.j.result.Rows++
		if n%chunkRows == 0 {
			if n > 0 {
				_, _ = p.out.WriteString(end)
			}
			_, _ = p.out.WriteString(open)
		}
		h := p.row(n, r)
		classes.WriteString(h.Class)
		return p.t.ExecuteTemplate(p.out, "row", h)
	})
	p.index.Classes = classes.String()
	if err != nil && err != errEnough {
		return err
	}
	if p.j.result.Rows > 0 {
		_, _ = p.out.WriteString(end)
	}
	return nil
}

// errEnough ends a pass early.
var errEnough = fmt.Errorf("export: the limit is reached")

// pageRow is a row for the template. Everything in it is clean.
type pageRow struct {
	N                  int
	Class, Glyph, Word string
	Stamp, Time        string
	Kind, NS, Name     string
	Stream, Context    string
	Text, By           string
	Caption            string
	Paths              []pagePath
	More               string
}

type pagePath struct {
	Path, Old, New string
	Lines          []pageLine // of a text that changed, instead of Old and New
}

type pageLine struct{ Class, Text string }

func (p *page) row(n int, r *row) pageRow {
	l := lineOf(r)
	h := pageRow{N: n, Class: l.class, Glyph: l.glyph, Word: l.word, Stamp: stamp(r.time), Time: r.time.Format(p.clock),
		Kind: l.kind, NS: l.ns, Name: l.shortName(), Stream: l.stream, Text: l.text, By: l.by}
	if p.many {
		h.Context = l.context
	}
	p.index.Words[l.class] = l.word
	switch l.class { // has several words
	case classFold:
		p.index.Words[l.class] = "state"
	case classGap:
		p.index.Words[l.class] = "gap"
	}
	p.enter(r, &l)
	if r.event.Type.IsObject() {
		_, result := r.explain()
		h.Caption, h.Paths, h.More = pathsOf(r, result)
	}
	return h
}

// enter puts a row into the index.
func (p *page) enter(r *row, l *line) {
	x := &p.index
	at := r.time.UnixMicro() - x.From
	x.Times, p.last = append(x.Times, at-p.last), at
	stream, object := -1, -1
	if r.stream != nil {
		stream = int(r.stream.ID)
	}
	if r.event.Type.IsObject() {
		name := objectName{l.kind, l.ns, l.name, r.stream.Context}
		var ok bool
		if object, ok = p.names[name]; !ok {
			object = len(x.Names)
			name = objectName{strings.Clone(l.kind), strings.Clone(l.ns), strings.Clone(l.name), name.context} // a row's strings are the tape's
			p.names[name] = object
			entry := [4]string{name.kind, name.ns, name.name, ""}
			if p.many {
				entry[3] = l.context
			}
			x.Names = append(x.Names, entry)
		}
	}
	x.Streams, x.Objects = append(x.Streams, stream), append(x.Objects, object)
}

// pageHead is the head of the page for the template.
type pageHead struct {
	Policy         string
	Title, Heading string
	When, Sum      string

	Added, Modified, Deleted string
	Style                    template.CSS
	Alerts                   []alert
	Gaps, Bars               []rect
	Ticks                    []string
	Lanes                    []lane
	StreamsSummary           string
	OpenStreams              bool
}

type pageFoot struct {
	Facts  []fact
	Index  pageIndex
	Script template.JS
}

func (p *page) head() pageHead {
	s := p.s
	h := pageHead{Policy: policy(), Style: template.CSS(pageStyle), Heading: heading(s, p.j), When: when(s), Sum: sum(s), Alerts: alerts(s, p.j)}
	h.Added, h.Modified, h.Deleted = count(s.total.Added), count(s.total.Modified), count(s.total.Deleted)
	h.Title = h.Heading + ", " + s.from.Format("2006-01-02 15:04") + " UTC"
	h.Gaps, h.Bars, h.Ticks = gapRects(s), bars(s), ticks(s)
	h.StreamsSummary = streamsSummary(s)
	for _, w := range s.streams {
		h.Lanes = append(h.Lanes, laneOf(s, w, p.many))
		h.OpenStreams = h.OpenStreams || w.failures > 0 || w.gaps > 0
	}
	h.OpenStreams = h.OpenStreams && len(h.Lanes) <= 16
	return h
}

func (p *page) foot() pageFoot {
	return pageFoot{Facts: facts(p.s, p.j), Index: p.index, Script: template.JS(pageScript)}
}
