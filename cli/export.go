package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/model/query"
	"rewatch/watch/export"
	"rewatch/watch/tape"
)

const exportLong = `Write what is on a tape in a format for other tools, or for people.

Formats (docs/export.md specifies them):
%s
The format is taken from the extension of the output if --format does not say it.
-o - writes to stdout.

--from and --to take %s.

Where the tape is damaged the rest is exported, the places are told on stderr
and in the output, and the exit code is 1. Values of Secrets are on no tape, and
so in no export.`

const exportExamples = `  rewatch export night.rwt -o review.html
  rewatch export night.rwt -o - --format markdown --filter checkout --from 02:10 --to 02:25
  rewatch export night.rwt -o night.parquet && duckdb -c "select kind, count(*) from 'night.parquet' group by 1"
  rewatch export night.rwt -o - --format events-json | jq 'select(.type == "DELETED")'`

// exportFlags holds what the command line of export says, as typed.
type exportFlags struct {
	out, format, filter, from, to string
	limit                         int
	force                         bool
	matcher                       *query.Matcher // of the filter; nil before it is made
}

func newExport(_ *flags, s streams) *cobra.Command {
	var list strings.Builder
	var names []string
	for _, f := range export.Formats() {
		names = append(names, f.Name)
		_, _ = fmt.Fprintf(&list, "  %-12s %-18s %s\n", f.Name, strings.Join(f.Extensions, " "), f.Text)
	}
	x := &exportFlags{}
	cmd := &cobra.Command{
		Use: "export TAPE -o FILE", Short: "Write a tape as JSON lines, Markdown, HTML or Parquet", Args: oneTape("its rows as JSON lines come of several: rewatch tail --from A --from B -o json; parquet files can be queried together"),
		Long: fmt.Sprintf(exportLong, list.String(), momentHelp), Example: exportExamples, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error { return runExport(cmd, x, args[0], s) },
	}
	cmd.Flags().StringVarP(&x.out, "output", "o", "", "Write to this file, - is stdout")
	cmd.Flags().StringVar(&x.format, "format", "", "One of "+strings.Join(names, ", "))
	cmd.Flags().StringVar(&x.filter, "filter", "", "Only rows that match this, as / in the interface; gaps and losses always do")
	cmd.Flags().StringVar(&x.from, "from", "", "From this moment on")
	cmd.Flags().StringVar(&x.to, "to", "", "Up to this moment")
	cmd.Flags().IntVar(&x.limit, "limit", 0, "The most rows that markdown (500) and html (50000) show; -1 as many as they can")
	cmd.Flags().BoolVar(&x.force, "force", false, "Replace the file if it exists")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runExport(cmd *cobra.Command, x *exportFlags, path string, s streams) error {
	if x.out == "" {
		return usage("export needs -o FILE, or -o - for stdout")
	}
	format := x.format
	if format == "" {
		var ok bool
		if format, ok = export.Guess(x.out); !ok {
			return usage("%s does not tell the format: name it with --format", x.out)
		}
	}
	if format == "parquet" && x.out == "-" && isTerminal(s.out) {
		return usage("Parquet is no text for a terminal: name a file with -o, or redirect stdout")
	}
	if cmd.Flags().Changed("limit") {
		switch {
		case x.limit != -1 && x.limit < 1:
			return usage("--limit must be at least 1, or -1 for as many as the format can hold")
		case format != "markdown" && format != "html":
			return usage("--limit is for markdown and html; %s has all rows", format)
		}
	}
	if err := notItself(x.out, path); err != nil {
		return err
	}
	t, err := openTape(path)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	t.tellFilter(s)
	o, err := x.options(t, s)
	if err != nil {
		return err
	}
	p := newProgress(s.err, "exporting "+filepath.Base(path))
	defer p.end()
	o.Progress = p.set
	var damages []*tape.Damage
	o.Damaged = func(d *tape.Damage) { damages = append(damages, d) }
	var result export.Result
	err = s.writeFile(cmd.Context(), x.out, x.force, func(w io.Writer) (err error) {
		result, err = export.Write(cmd.Context(), t.Tape, w, format, o)
		return err
	})
	p.end()
	if err != nil {
		return exportFailed(x, path, err)
	}
	for _, d := range damages {
		_, _ = fmt.Fprintf(s.err, "rewatch: %s\n", clean.Line(d.Error()))
	}
	if x.matcher != nil {
		tellUnjudged(s, x.matcher)
	}
	if result.Cut > 0 {
		_, _ = fmt.Fprintf(s.err, "rewatch: %d more rows are not shown; raise --limit, or narrow it with --filter, --from, --to\n", result.Cut)
	}
	if len(damages) > 0 {
		return failed("see what survives with: rewatch verify "+path, "%s is damaged: the export lacks what those places held", path)
	}
	return nil
}

// options are those of the export of a tape.
func (x *exportFlags) options(t *tapeFile, s streams) (o export.Options, err error) {
	o = export.Options{Limit: x.limit, Name: filepath.Base(t.path), Tool: "rewatch " + version()}
	info := t.Info()
	for _, b := range []struct {
		text string
		at   *time.Time
	}{{x.from, &o.From}, {x.to, &o.To}} {
		if b.text == "" {
			continue
		}
		if *b.at, err = parseMoment(b.text, info.From, info.To, time.Local); err != nil {
			return o, err
		}
	}
	x.clamp(&o, info.From, info.To, s)
	if o.From.After(info.To) {
		return o, outside("--from "+x.from, info.From, info.To, time.Local)
	}
	if !o.To.IsZero() && o.To.Before(info.From) {
		return o, outside("--to "+x.to, info.From, info.To, time.Local)
	}
	if !o.To.IsZero() && o.To.Before(o.From) {
		return o, usage("--to is before --from")
	}
	q, err := query.Parse(x.filter)
	if err != nil {
		return o, usage("--filter: %s", oneLine(err))
	}
	if !q.Empty() {
		end := o.To // what since: counts back from
		if end.IsZero() {
			end = info.To
		}
		o.FilterText = q.String()
		o.Filter = func(log *model.Log) model.Filter {
			x.matcher = q.Compile(log, query.Options{Now: end.Local()})
			return x.matcher.Match
		}
	}
	return o, nil
}

// tellUnjudged says that a filter could not be judged of rows: an export or a
// tail without them looks like one in which nothing matched.
func tellUnjudged(s streams, m *query.Matcher) {
	if problem, rows := m.Problem(); rows > 0 {
		s.tell("rewatch: --filter could not be judged of %s, of the first because of: %s", count(int64(rows), "row"), problem)
	}
}

// oneTape is for commands that take a single tape; several says what there is
// for the parts of a recording.
func oneTape(several string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 1 {
			return &failure{code: 2, msg: fmt.Sprintf("%s takes one tape, and there are %d", cmd.Name(), len(args)), next: several}
		}
		return cobra.ExactArgs(1)(cmd, args)
	}
}

// clamp takes a span that is partly outside of the tape for the part inside: what
// an export says it covers must be on the tape.
func (x *exportFlags) clamp(o *export.Options, from, to time.Time, s streams) {
	const layout = "2006-01-02 15:04:05.000 MST"
	if !o.From.IsZero() && o.From.Before(from) {
		s.tell("rewatch: the tape begins after --from %s: the export begins with it, at %s", x.from, from.Local().Format(layout))
		o.From = from
	}
	if !o.To.IsZero() && o.To.After(to) {
		s.tell("rewatch: the tape ends before --to %s: the export ends with it, at %s", x.to, to.Local().Format(layout))
		o.To = to
	}
}

func exportFailed(x *exportFlags, path string, err error) error {
	f := &failure{}
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, export.ErrFormat):
		return usage("there is no format %q", x.format)
	case errors.Is(err, export.ErrLimit):
		return usage("--limit %d is more than the format can hold", x.limit)
	}
	return unreadable(path, err)
}
