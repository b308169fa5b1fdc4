package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model"
	"rewatch/watch/tape"
)

// Exit codes of verify.
const (
	codeDamaged = 1
	codeGaps    = 3
)

func newVerify(_ *flags, s streams) *cobra.Command {
	format := choice{"text", []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Check that a tape is whole",
		Long: `Check tapes: every checksum, and that every object can be rebuilt and is what the
checkpoints say. The exit code is

  0  whole
  1  damaged, or not to be read: what cannot be read is listed, and what survives
  3  the tape is whole, but in the watches on it changes may be missing

and of several tapes that of the worst.`,
		Example: "  rewatch verify incident.rwt",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd.Context(), format.value, args, s)
		},
	}
	cmd.Flags().VarP(&format, "output", "o", "How to write it: text or json")
	return cmd
}

func runVerify(ctx context.Context, format string, paths []string, s streams) error {
	list := verifyList{1, []verifyDoc{}}
	p := newPage(s.out)
	err := s.eachTape(ctx, paths, func(t *tapeFile) error {
		var report *tape.Report
		err := t.whileReading(ctx, s.err, "verifying", func() (err error) { report, err = t.Verify(); return err })
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			return unreadable(t.path, err)
		}
		d := describeReport(t, report)
		list.Tapes = append(list.Tapes, d)
		if format == "json" {
			return nil
		}
		d.print(p)
		return p.flush()
	})
	if format == "json" && ctx.Err() == nil {
		if e := writeJSON(s.out, list); e != nil {
			return e
		}
	}
	if err != nil {
		return err
	}
	code := 0
	for _, d := range list.Tapes {
		switch {
		case d.Verdict == tape.Damaged:
			code = codeDamaged
		case d.Verdict == tape.Gaps && code == 0:
			code = codeGaps
		}
	}
	if code != 0 {
		return &failure{code: code} // all is said on stdout
	}
	return nil
}

// verifyList is what -o json writes. Members may be added within a version.
type verifyList struct {
	Version int         `json:"version"`
	Tapes   []verifyDoc `json:"tapes"`
}

type verifyDoc struct {
	File    string       `json:"file"`
	Verdict tape.Verdict `json:"verdict"`
	Ended   string       `json:"ended"`   // "in order", "running", "torn"
	Records int64        `json:"records"` // that can be read
	Objects int64        `json:"objects"` // changes of objects among them, all rebuilt
	Missing int64        `json:"missing"` // known to be lost
	Gaps    int          `json:"gaps"`
	Lost    int64        `json:"lost"` // frames that the recorder could not write
	Damages []*damageDoc `json:"damages"`

	cut bool      // nothing is wrong but that the end is missing
	to  time.Time // of the newest record
}

// damageDoc is a part of a tape that cannot be read.
type damageDoc struct {
	Offset  int64    `json:"offset"`
	Size    int64    `json:"size"`
	Records int      `json:"records"` // lost, -1 if that is not known
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
	Streams []string `json:"streams,omitempty"` // that had records in it, if that is known
	Text    string   `json:"text"`

	from, to time.Time
}

func describeReport(t *tapeFile, r *tape.Report) verifyDoc {
	d := verifyDoc{File: t.path, Verdict: r.Verdict(), Ended: "torn", Records: r.Records, Objects: r.Objects, Missing: r.Missing,
		Gaps: r.Gaps, Lost: r.Lost, Damages: []*damageDoc{}}
	switch {
	case r.Closed:
		d.Ended = "in order"
	case t.running() && t.unfinished(r.Damages): // the end that is not there yet
		d.Ended, r.Damages = "running", nil
		d.Verdict = r.Verdict()
	}
	d.Damages = describeDamages(t, r.Damages)
	d.cut, d.to = d.Ended == "torn" && t.unfinished(r.Damages), t.Info().To
	return d
}

// describeDamages says of when and of what the damaged parts of a tape are, as
// far as what is around them tells.
func describeDamages(t *tapeFile, damages []*tape.Damage) []*damageDoc {
	out := []*damageDoc{}
	frames := t.Frames()
	infos := t.Info().Streams
	for _, x := range damages {
		d := &damageDoc{Offset: x.Offset, Size: x.Size, Records: x.Records, Text: x.Text}
		for _, f := range frames {
			switch {
			case f.Damage != nil:
			case f.Offset == x.Offset:
				d.from, d.to = f.From, f.To
				d.Streams = streamNames(f.Streams, infos)
			case f.Offset < x.Offset && f.Records > 0:
				d.from = f.To
			case f.Offset > x.Offset && f.Records > 0 && d.to.IsZero():
				d.to = f.From
			}
		}
		if !x.From.IsZero() {
			d.from, d.to = x.From, x.To
		}
		d.From, d.To = stampOf(d.from), stampOf(d.to)
		out = append(out, d)
	}
	return out
}

func streamNames(ids []model.StreamID, infos []model.StreamInfo) []string {
	var names []string
	for _, id := range ids {
		if id >= 0 && int(id) < len(infos) {
			names = append(names, infos[id].Name())
		}
	}
	return names
}

func (d *verifyDoc) print(p page) {
	rebuilt := fmt.Sprintf("%s, %s of objects rebuilt", count(d.Records, "record"), count(d.Objects, "change"))
	running := map[bool]string{true: "; it is being written"}[d.Ended == "running"]
	missing := fmt.Sprintf("%s in the watches", count(int64(d.Gaps), "gap"))
	if d.Lost > 0 {
		missing += fmt.Sprintf(", where the recorder lost %s", count(d.Lost, "frame"))
	}
	switch d.Verdict {
	case tape.Whole:
		p.line("%s: whole: %s%s", d.File, rebuilt, running)
		return
	case tape.Gaps:
		p.line("%s: whole, with gaps: %s%s; %s (rewatch info names them)", d.File, rebuilt, running, missing)
		return
	}
	if d.cut {
		p.line("%s: not closed: its recorder was killed or ran out of disk; everything up to %s is whole: %s", d.File, clock(d.to), rebuilt)
		if d.Gaps > 0 {
			p.line("  %s", missing)
		}
		p.line("  to close it: rewatch repair %s -o OUT", d.File)
		return
	}
	p.line("%s: damaged: %s records survive%s, %s of objects among them, all rebuilt", d.File, grouped(d.Records), d.before(), count(d.Objects, "change"))
	if d.Gaps > 0 {
		p.line("  %s besides", missing)
	}
	places := joined(d.Damages)
	for i, x := range places {
		if i == listed {
			p.line("  and %s; -o json names all", count(int64(len(places)-i), "more place"))
			break
		}
		p.line("  %s", x)
	}
	p.line("  to get what survives as a whole tape: rewatch repair %s -o OUT", d.File)
}

// joined makes one of places that follow each other and say the same: what hangs
// by one damage can be many.
func joined(all []*damageDoc) []*damageDoc {
	var out []*damageDoc
	for _, x := range all {
		if n := len(out); n > 0 && out[n-1].Text == x.Text && out[n-1].Records > 0 && x.Records > 0 {
			y := out[n-1]
			y.Size, y.Records, y.to = x.Offset+x.Size-y.Offset, y.Records+x.Records, x.to
			for _, s := range x.Streams {
				if !slices.Contains(y.Streams, s) {
					y.Streams = append(y.Streams, s)
				}
			}
			continue
		}
		y := *x
		y.Streams = slices.Clone(x.Streams)
		out = append(out, &y)
	}
	return out
}

// before says how many records there were, as far as that is known.
func (d *verifyDoc) before() string {
	if d.Missing == 0 {
		return ""
	}
	for _, x := range d.Damages {
		if x.Records < 0 {
			return " of at least " + grouped(d.Records+d.Missing)
		}
	}
	return " of " + grouped(d.Records+d.Missing)
}

func (x *damageDoc) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "byte %s", grouped(x.Offset))
	if x.Size > 0 {
		fmt.Fprintf(&b, ", %s", count(x.Size, "byte"))
	}
	switch {
	case x.Records > 0:
		fmt.Fprintf(&b, ", %s lost", count(int64(x.Records), "record"))
	case x.Records < 0:
		b.WriteString(", an unknown number of records lost")
	}
	switch {
	case !x.from.IsZero() && !x.to.IsZero():
		fmt.Fprintf(&b, ", from %s to %s", clock(x.from), x.to.Local().Format("15:04:05.000"))
	case !x.from.IsZero():
		fmt.Fprintf(&b, ", after %s", clock(x.from))
	}
	if len(x.Streams) > 0 {
		fmt.Fprintf(&b, ", in %s", strings.Join(x.Streams, ", "))
	}
	return b.String() + ": " + x.Text
}
