package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

func newInfo(_ *flags, s streams) *cobra.Command {
	format := choice{"text", []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Say what a tape holds",
		Long: `Say what tapes hold: what was watched and when, how many changes of each kind,
how much of the time each watch was known to be current, where changes may be
missing, and how the recording ended. It reads the lines of the tape and rebuilds
no object; rewatch verify does. Of a damaged tape it tells what can be read, and
the exit code is then 1.

"current" is the share of the time that a stream was watched, in which what it
showed was known to be up to date. INITIAL is what lists found there already, ADDED
what came to it; OBJECTS are those that exist at the end. The share of the size is
of the frames alone, as the API server sent them: a capture of the same has more to
it, such as its times.

In JSON "added" does not count what is in "initial" (in version 1 it did), and the
"streamIndex" of a gap is the place of its stream in "streams".`,
		Example: "  rewatch info incident.rwt\n  rewatch info *.rwt -o json | jq '.tapes[].gaps'",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInfo(cmd.Context(), format.value, args, s)
		},
	}
	cmd.Flags().VarP(&format, "output", "o", "How to write it: text or json")
	return cmd
}

func runInfo(ctx context.Context, format string, paths []string, s streams) error {
	var docs []infoDoc
	p := newPage(s.out)
	incomplete := false
	err := s.eachTape(ctx, paths, func(t *tapeFile) error {
		var survey *tape.Survey
		err := t.whileReading(ctx, s.err, "reading", func() (err error) { survey, err = t.Survey(); return err })
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			return unreadable(t.path, err)
		}
		d := describeTape(t, survey)
		incomplete = incomplete || d.damaged()
		if format == "json" {
			docs = append(docs, d)
			return nil
		}
		if len(docs) > 0 {
			p.line("")
		}
		docs = append(docs, d)
		d.print(p)
		return p.flush()
	})
	if format == "json" && ctx.Err() == nil {
		if e := writeJSON(s.out, infoList{infoVersion, docs}); e != nil {
			return e
		}
	}
	if err == nil && incomplete {
		return &failure{code: codeDamaged} // all is said on stdout
	}
	return err
}

// infoVersion is 2 since what was there already is not counted as added.
const infoVersion = 2

// infoList is what -o json writes. Times are RFC 3339 in UTC, durations are
// seconds. Members may be added within a version.
type infoList struct {
	Version int       `json:"version"`
	Tapes   []infoDoc `json:"tapes"`
}

type infoDoc struct {
	File      string       `json:"file"`
	Tool      string       `json:"tool"`
	Created   string       `json:"created"`
	Redaction string       `json:"redaction"`
	Filter    string       `json:"filter,omitempty"` // that recorded changes match
	Ended     string       `json:"ended"`            // "in order", "running", "torn"
	From      string       `json:"from,omitempty"`
	To        string       `json:"to,omitempty"`
	Seconds   float64      `json:"seconds"`
	Records   int64        `json:"records"` // that can be read
	Missing   int64        `json:"missing"` // known to be lost
	Frames    int64        `json:"frames"`
	Size      int64        `json:"size"`  // of the file
	Plain     int64        `json:"plain"` // of the frames as they came
	Segments  int          `json:"segments"`
	Streams   []streamDoc  `json:"streams"`
	Gaps      []gapDoc     `json:"gaps"`
	Marks     []markDoc    `json:"marks"`
	MoreGaps  int64        `json:"moreGaps,omitempty"`  // than are in gaps
	MoreMarks int64        `json:"moreMarks,omitempty"` // than are in marks
	Lost      int64        `json:"lost"`
	Damages   []*damageDoc `json:"damages"`

	from, to, created time.Time
	cut               bool // nothing is wrong but that the end is missing
}

type streamDoc struct {
	Context    string  `json:"context"`
	Server     string  `json:"server,omitempty"`
	Resource   string  `json:"resource"` // with its group
	Kind       string  `json:"kind"`
	APIVersion string  `json:"apiVersion"`
	Namespaced bool    `json:"namespaced"`
	Namespace  string  `json:"namespace,omitempty"`
	Label      string  `json:"labelSelector,omitempty"`
	Field      string  `json:"fieldSelector,omitempty"`
	Initial    int64   `json:"initial"` // what was there already when a list was made
	Added      int64   `json:"added"`   // what came to it
	Modified   int64   `json:"modified"`
	Deleted    int64   `json:"deleted"`
	Bookmarks  int64   `json:"bookmarks"`
	Others     int64   `json:"others"`
	Gaps       int64   `json:"gaps"`
	Objects    int     `json:"objects"`
	Bytes      int64   `json:"bytes"`
	Watched    float64 `json:"watchedSeconds"` // 0 if the tape does not tell
	Fresh      float64 `json:"currentSeconds"`
	State      string  `json:"state,omitempty"` // at the end
	Text       string  `json:"text,omitempty"`  // why
	// Failure is what was wrong with it at the end, or before it was stopped.
	Failure string `json:"failure,omitempty"`

	name           string // see tellApart
	listed         bool   // a state at one moment that kubectl printed
	watched, fresh time.Duration
	spans          []tape.Span
}

type gapDoc struct {
	Time     string  `json:"time"`
	Stream   string  `json:"stream"`
	Index    int     `json:"streamIndex"` // in streams
	Cause    string  `json:"cause"`
	Text     string  `json:"text"`
	FromRV   string  `json:"fromResourceVersion,omitempty"`
	ToRV     string  `json:"toResourceVersion,omitempty"`
	Seconds  float64 `json:"seconds"`
	Added    int     `json:"added"`
	Modified int     `json:"modified"`
	Deleted  int     `json:"deleted"`
	Lost     int64   `json:"lost"` // frames that the recorder could not write

	at time.Time
}

type markDoc struct {
	Time string `json:"time"`
	Text string `json:"text"`

	at time.Time
}

func describeTape(t *tapeFile, s *tape.Survey) infoDoc {
	i := t.Info()
	d := infoDoc{File: t.path, Tool: i.Tool, Created: stampOf(i.Created), Redaction: i.Redaction, Filter: i.Filter, Ended: "torn", From: stampOf(i.From), To: stampOf(i.To),
		Seconds: i.To.Sub(i.From).Seconds(), Size: i.Size, Segments: i.Segments, Lost: s.Lost,
		MoreGaps: s.MoreGaps, MoreMarks: s.MoreMarks, Streams: []streamDoc{}, Gaps: []gapDoc{}, Marks: []markDoc{}, Damages: []*damageDoc{}, from: i.From, to: i.To, created: i.Created}
	switch {
	case i.Closed:
		d.Ended = "in order"
	case t.running() && t.unfinished(s.Damages):
		d.Ended = "running"
	}
	d.cut = d.Ended == "torn" && t.unfinished(s.Damages)
	for _, x := range s.Streams {
		d.Streams = append(d.Streams, describeStream(&x))
		d.Plain += x.Bytes
		d.Frames += x.Changes() + x.Bookmarks + x.Others
		d.Records += x.Changes() + x.Bookmarks + x.Others + x.Transitions + x.Counts.Gaps + x.Notes + x.Lost
	}
	d.Missing = max(i.Records-d.Records, 0)
	tellApart([]infoDoc{d})
	for _, g := range s.Gaps {
		x, _ := g.Detail.(model.Gap)
		d.Gaps = append(d.Gaps, gapDoc{Time: stampOf(g.Time), Stream: s.Streams[g.Stream].Name(), Index: int(g.Stream), Cause: string(x.Cause), Text: x.Text, FromRV: x.FromRV, ToRV: x.ToRV,
			Seconds: x.Took.Seconds(), Added: x.Added, Modified: x.Modified, Deleted: x.Deleted, Lost: g.Lost, at: g.Time})
	}
	for _, m := range s.Marks {
		x, _ := m.Detail.(model.Note)
		d.Marks = append(d.Marks, markDoc{stampOf(m.Time), x.Text, m.Time})
	}
	if d.Ended != "running" {
		d.Damages = describeDamages(t, s.Damages)
	}
	return d
}

func describeStream(x *tape.StreamSurvey) streamDoc {
	apiVersion := x.Version
	if x.Group != "" {
		apiVersion = x.Group + "/" + x.Version
	}
	d := streamDoc{Context: x.Context, Server: x.Server, Resource: x.Name(), Kind: x.Kind, APIVersion: apiVersion, Namespaced: x.Namespaced,
		Namespace: x.Namespace, Label: x.Label, Field: x.Field, Initial: x.Initial, Added: x.Added - x.Initial, Modified: x.Modified, Deleted: x.Deleted,
		Bookmarks: x.Bookmarks, Others: x.Others, Gaps: x.Gaps + x.Lost, Objects: x.Objects, Bytes: x.Bytes,
		Watched: x.Watched.Seconds(), Fresh: x.Fresh.Seconds(), listed: x.Last.Text == capture.AtOneMoment, watched: x.Watched, fresh: x.Fresh, spans: x.Spans}
	if !x.Since.IsZero() {
		d.State, d.Text = x.Last.To.String(), x.Last.Text
	}
	if d.State == model.Stopped.String() && x.Final.To != model.Idle && x.Final.To != model.Stopped {
		d.State, d.Text = x.Final.To.String(), x.Final.Text // what the end of the recording hides
	}
	if x.Failure.To != model.Idle {
		d.Failure = strings.TrimSpace(x.Failure.To.String() + " " + cmp.Or(x.Failure.Text, string(x.Failure.Cause)))
	}
	return d
}

// scope says in words what a stream watches of its type.
func (d *streamDoc) scope() string {
	var parts []string
	switch {
	case d.Namespace != "":
		parts = append(parts, d.Namespace)
	case d.listed:
		parts = append(parts, "unknown (List)")
	case d.Namespaced && d.Server == "": // of an import: it tells not what was asked for
		parts = append(parts, "unknown")
	case d.Namespaced:
		parts = append(parts, "all namespaces")
	default:
		parts = append(parts, "cluster")
	}
	if d.Label != "" {
		parts = append(parts, "-l "+d.Label)
	}
	if d.Field != "" {
		parts = append(parts, "--field-selector "+d.Field)
	}
	return strings.Join(parts, " ")
}

// listed is how many gaps and marks the text names.
const listed = 20

func (d *infoDoc) print(p page) {
	p.line("%s", d.File)
	for _, f := range d.facts(clock) {
		p.line("  %-10s %s", f.name, f.text)
	}
	d.printStreams(p)
	d.printGaps(p)
	for i, m := range d.Marks {
		if i == listed {
			p.line("    and %s", count(int64(len(d.Marks)-i)+d.MoreMarks, "more mark"))
			break
		}
		p.line("  mark       %s  %s", clock(m.at), m.Text)
	}
	if d.damaged() {
		p.line("  damaged    %s; see: rewatch verify %s", count(int64(len(d.Damages)), "place"), d.File)
	}
}

// fact is a line of what is known of a tape as a whole.
type fact struct {
	name, text string
	bad        bool
}

// facts are told of moments by clock.
func (d *infoDoc) facts(clock func(time.Time) string) (out []fact) {
	say := func(name, format string, args ...any) {
		out = append(out, fact{name: name, text: fmt.Sprintf(format, args...)})
	}
	if d.from.IsZero() {
		say("recorded", "nothing; created %s by %s", clock(d.created), d.Tool)
	} else {
		say("recorded", "%s to %s (%s)", clock(d.from), clock(d.to), short(d.to.Sub(d.from)))
		say("by", "%s, %s", d.Tool, clock(d.created))
	}
	switch d.Ended {
	case "running":
		say("ended", "not yet: it is being written")
	case "torn":
		say("ended", "not closed: its recorder was killed or ran out of disk; up to %s it has what was recorded", clock(d.to))
		out[len(out)-1].bad = true
	default:
		say("ended", "%s", d.Ended)
	}
	say("size", "%s%s in %s", byteSize(d.Size), d.ratio(), count(int64(d.Segments), "segment"))
	say("records", "%s", d.counts())
	say("redacted", "%s", d.redacted())
	if d.Filter != "" {
		say("filter", "%s: only changes that match it were recorded, and the states that they changed", d.Filter)
	}
	return out
}

// redacted says what was replaced, and how much of that is Secrets.
func (d *infoDoc) redacted() string {
	n, streams, exist := int64(0), 0, 0
	for i := range d.Streams {
		if x := &d.Streams[i]; x.Resource == "secrets" {
			streams++
			exist += x.Objects
			n += x.Initial + x.Added + x.Modified + x.Deleted
		}
	}
	if streams == 0 {
		return d.Redaction + " (no stream of Secrets on it)"
	}
	return fmt.Sprintf("%s (%s of Secrets on it, %s at its end)", d.Redaction, count(n, "record"), grouped(int64(exist)))
}

// damaged reports whether the tape holds more than can be told.
func (d *infoDoc) damaged() bool { return len(d.Damages) > 0 && !d.cut }

// ratio is of the whole file, and so of no use where not all of it can be read;
// it is told of what, since a capture of the same is larger than its frames.
func (d *infoDoc) ratio() string {
	if d.Plain == 0 || d.Frames == 0 || d.damaged() {
		return ""
	}
	return fmt.Sprintf(", %.2f %% of the %s of its frames alone, %.1f bytes a frame,", 100*float64(d.Size)/float64(d.Plain), byteSize(d.Plain), float64(d.Size)/float64(d.Frames))
}

func (d *infoDoc) counts() string {
	var initial, added, modified, deleted, bookmarks int64
	for i := range d.Streams {
		x := &d.Streams[i]
		initial += x.Initial
		added, modified, deleted, bookmarks = added+x.Added, modified+x.Modified, deleted+x.Deleted, bookmarks+x.Bookmarks
	}
	records := grouped(d.Records)
	if d.Missing > 0 {
		records += " that can be read of " + grouped(d.Records+d.Missing)
	}
	return fmt.Sprintf("%s: %s initial, %s added, %s modified, %s deleted, %s, %s about the watches themselves", records, grouped(initial), grouped(added),
		grouped(modified), grouped(deleted), count(bookmarks, "heartbeat"), grouped(d.Records-initial-added-modified-deleted-bookmarks))
}

func (d *infoDoc) printStreams(p page) {
	rows := [][]string{{"STREAM", "CONTEXT", "SCOPE", "INITIAL", "ADDED", "MODIFIED", "DELETED", "OBJECTS", "GAPS", "CURRENT", "AT THE END"}}
	for i := range d.Streams {
		x := &d.Streams[i]
		current := "unknown"
		if x.watched > 0 {
			current = ui.Share(x.fresh, x.watched) + " %"
		}
		rows = append(rows, []string{x.Resource, x.Context, x.scope(), grouped(x.Initial), grouped(x.Added), grouped(x.Modified), grouped(x.Deleted), grouped(int64(x.Objects)),
			grouped(x.Gaps), current, x.State})
	}
	p.line("")
	p.table("  ", []bool{3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: false}, rows)
	for i := range d.Streams {
		x := &d.Streams[i]
		switch {
		case x.Failure == "":
		case x.fresh == 0:
			p.line("  never current  %s: %s", x.name, x.Failure)
		default:
			p.line("  not current at the end  %s: %s", x.name, x.Failure)
		}
	}
	p.line("")
}

func (d *infoDoc) printGaps(p page) {
	if len(d.Gaps) == 0 && d.Lost == 0 {
		p.line("  gaps       none")
		return
	}
	p.line("  gaps       %s%s: changes may be missing", grouped(int64(len(d.Gaps))+d.MoreGaps), map[bool]string{true: fmt.Sprintf(", and the recorder lost %s", count(d.Lost, "frame"))}[d.Lost > 0])
	for i, g := range d.Gaps {
		if i == listed {
			names := "all"
			if d.MoreGaps > 0 {
				names = fmt.Sprintf("the first %s", grouped(int64(len(d.Gaps))))
			}
			p.line("    and %s; -o json names %s", count(int64(len(d.Gaps)-i)+d.MoreGaps, "more gap"), names)
			break
		}
		p.line("    %s  %s  %s", clock(g.at), d.Streams[g.Index].name, g.tell())
	}
}
