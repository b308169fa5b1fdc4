package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rewatch/model"
	"rewatch/model/noise"
	"rewatch/model/query"
	"rewatch/watch"
	"rewatch/watch/export"
)

// Exit codes of tail, beside those of every command. That of a timeout is the
// one of timeout(1).
const (
	exitUnknown = 3
	exitTimeout = 124
)

const tailLong = `Print changes as they come, and wait for one that meets a condition.

--until is an expression in CEL, judged for every change of an object and, first,
for the state that is there at the beginning: a condition that holds already ends
the command at once. Its variables are those of cel: in docs/query.md: object,
old, type, kind, name, namespace, paths, manager, …

Exit codes: 0 the condition came true; 124 it did not, and --timeout or the tape
is over; 3 nobody can tell, since changes were missed or a watch does not work
(--allow-gaps takes that for 124); 1 something failed, or it was interrupted
before. Without --until, being interrupted or the end of the tape is exit code 0.

Output (-o): text, a line per change; diff, with each changed path, old and new,
and who changed it; json, the lines of rewatch export --format events-json;
jsonpath=TEMPLATE, what kubectl would print of each object. What happens to the
watches themselves is told on stderr.

With --from a tape is read instead, as fast as it goes and by its own clock,
which --timeout counts by as well.`

const tailExamples = `  rewatch tail pods -n shop --changed-only -o diff
  rewatch tail deploy/web -n shop --timeout 5m --until 'object.status.observedGeneration >= object.metadata.generation
      && object.status.?updatedReplicas.orValue(0) == object.spec.replicas && object.status.?availableReplicas.orValue(0) == object.spec.replicas'
  rewatch tail pods/web-0 -n shop --until "type == 'DELETED'" --timeout 1m
  rewatch tail pods -n shop -o jsonpath='{.metadata.name} {.status.phase}' --changed-only
  rewatch tail pods --from incident.rwt --filter 'manager:gitops' -o json | jq .changes`

// tailFlags holds what the command line of tail says, as typed.
type tailFlags struct {
	from        []string
	filter      string
	output      string
	until       string
	timeout     time.Duration
	changedOnly bool
	allowGaps   bool
	memory      int64
}

// tailMemory is the history that a tail holds unless --memory says otherwise:
// a reader that stops reading for a while loses nothing.
const tailMemory = 128 << 20

func newTail(f *flags, s streams) *cobra.Command {
	var x tailFlags
	cmd := &cobra.Command{
		Use: "tail [TYPE]...", Short: "Print changes, and wait for one that meets a condition",
		Long: tailLong, Example: tailExamples, Args: cobra.ArbitraryArgs, ValidArgsFunction: completeTypes,
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, text := range map[string]string{"until": x.until, "filter": x.filter} {
				if cmd.Flags().Changed(name) && strings.TrimSpace(text) == "" {
					return usage("--%s is empty: a variable of the shell may not be set", name)
				}
			}
			if cmd.Flags().Changed("timeout") && x.timeout <= 0 {
				return usage("--timeout must be above 0")
			}
			x.memory = tailMemory
			if cmd.Flags().Changed("memory") {
				x.memory = f.memory.bytes
			}
			return runTail(cmd.Context(), f, x, args, s)
		},
	}
	own := pflag.NewFlagSet("tail", pflag.ContinueOnError)
	own.SortFlags = false
	own.StringArrayVar(&x.from, "from", nil, "Read this tape instead of a cluster; may be repeated, for the parts of one recording or several clusters")
	own.StringVar(&x.filter, "filter", "", "Only rows that match this, as / in the interface; gaps always do")
	own.StringVarP(&x.output, "output", "o", "text", "text, json, diff or jsonpath=TEMPLATE")
	own.StringVar(&x.until, "until", "", "End when this CEL expression is true of a change, or of the state at the beginning")
	own.DurationVar(&x.timeout, "timeout", 0, "End after this time, as 30s or 5m; with --until the exit code is 124")
	own.BoolVar(&x.changedOnly, "changed-only", false, "Print neither the state at the beginning, nor what is sent again, nor noise; of jsonpath only what differs")
	own.BoolVar(&x.allowGaps, "allow-gaps", false, "Go on, and answer, though changes may have been missed")
	cmd.Flags().AddFlagSet(own)
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "diff", "jsonpath="}, cobra.ShellCompDirectiveNoFileComp))
	f.addTargets(cmd, own, "What to print, and what to wait for")
	return cmd
}

// plan is a command line of tail that was read.
type plan struct {
	tailFlags
	filter *query.Query // nil is every row
	until  *query.Query // nil is nothing to wait for
	format formatMaker
	noise  *noise.Rules // what --changed-only leaves out
}

// read checks what can be checked before anything is opened.
func (x tailFlags) read() (p plan, err error) {
	p = plan{tailFlags: x}
	q, err := query.Parse(x.filter)
	if err != nil {
		return p, usage("--filter: %s", oneLine(err))
	}
	if !q.Empty() {
		p.filter = q
	}
	if p.until, err = parseCondition(x.until); err != nil {
		return p, usage("--until: %s", oneLine(err))
	}
	if x.allowGaps && p.until == nil {
		return p, usage("--allow-gaps is about --until, which is not given")
	}
	p.format, err = parseFormat(x.output)
	return p, err
}

// parseCondition reads an expression; nil is none. Columns count from its
// beginning.
func parseCondition(text string) (*query.Query, error) {
	const prefix = "cel: "
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, strings.TrimSpace(prefix)))
	q, err := query.Parse(prefix + text)
	if e, ok := err.(*query.Error); ok { // always; and never changed once it is made
		err = &query.Error{Column: max(e.Column-len(prefix), 1), Message: e.Message, Hint: e.Hint}
	}
	return q, err
}

func runTail(ctx context.Context, f *flags, x tailFlags, args []string, s streams) error {
	defer redirectLogs(f.logFile)()
	p, err := x.read()
	if err != nil {
		return err
	}
	if p.noise, err = noise.Compile(f.noise); err != nil {
		return err
	}
	if len(x.from) > 0 {
		return tailTape(ctx, f, p, args, s)
	}
	return tailLive(ctx, f, p, args, s)
}

// tryAgainEvery is how often a server that does not answer is asked again by a
// command that may wait.
const tryAgainEvery = time.Second

// tailLive watches clusters, as the interface does.
func tailLive(ctx context.Context, f *flags, p plan, args []string, s streams) error {
	session, err := f.session(args, s)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	redactor, redaction, err := f.redactor()
	if err != nil {
		return err
	}
	log := model.NewLog(model.Options{Budget: p.memory, Redactor: redactor})
	engine := watch.NewEngine(log, watch.Options{})
	beside := &crew{end: cancel}
	t := newTailer(log, p, s, len(session.clusters) > 1)
	joining := ctx
	if p.timeout > 0 {
		t.expired = time.After(p.timeout)
		var stop context.CancelFunc
		joining, stop = context.WithTimeout(ctx, p.timeout)
		defer stop()
	}
	join := func() error { return newJoiner(engine, log, session, beside).start(joining, session.clusters, s.err) }
	err = join()
	for told := false; p.until != nil && p.timeout > 0 && errors.Is(err, errUnavailable) && joining.Err() == nil; err = join() {
		if !told {
			s.tell("rewatch: %s; trying again until --timeout", err.(*failure).msg)
			told = true
		}
		select {
		case <-time.After(tryAgainEvery):
		case <-joining.Done():
		}
	}
	if err != nil {
		switch {
		case ctx.Err() != nil:
			err = t.unanswered("interrupted")
		case joining.Err() != nil:
			err = t.late("no server has answered")
		}
		cancel()
		if crash := beside.wait(stopTimeout, s.err); crash != nil { // a question may be under way
			return crash
		}
		return err
	}
	beside.Go(func() { engine.Run(ctx) })
	t.begin(export.LinesHead{From: time.Now(), Redaction: redaction})
	err = t.run(ctx)
	cancel()
	if crash := beside.wait(stopTimeout, s.err); crash != nil {
		return crash
	}
	return err
}
