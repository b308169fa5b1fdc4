package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"rewatch/model"
	"rewatch/model/redact"
	"rewatch/watch"
	"rewatch/watch/recorder"
)

type recordOptions struct {
	output   string
	filter   string
	force    bool
	maxSize  size
	maxAge   time.Duration
	keepSize size
	duration time.Duration
	memory   int64
}

// recordMemory is the history that a recording holds unless --memory says
// otherwise: enough to tell changes from what is sent again.
const recordMemory = 8 << 20

// recordQueue is how many bytes may wait for the disk: of a usual cluster, the
// changes of a minute.
const recordQueue = 12 << 20

func newRecord(f *flags, s streams) *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:   "record [TYPE]... -o FILE",
		Short: "Record watches to a tape, for hours or days",
		Long: `Record watches to a tape (FILE.rwt): every frame byte for byte, and what happened
to the watches themselves, for rewatch replay, export and serve.

It runs until it is interrupted (SIGINT, SIGTERM and SIGHUP end it in order),
--duration has passed, or the disk is full. What it has written is on the disk
within a second: a tape whose recorder was killed can be read up to there. The
tape says itself where anything is missing: gaps of the watches, and frames that
the disk was too slow for.

With --max-size or --max-age the recording goes on in numbered tapes (FILE-0001.rwt,
FILE-0002.rwt, …); each is complete in itself, and nothing is lost between two.
Numbers go on after the highest that exists. --keep-size lets the oldest tapes of
this run go; those of earlier runs stay.

With --filter only changes that match reach the tape, with the state that each of
them changed; the deletion of an object that the tape has always does. The tape
says which filter that was and how much it left out. What a tape lacks nobody gets
back: it is for recordings of months, and of what matters one cannot have enough.

Files are for their owner only. The values of Secrets never reach a tape;
--redact names what else shall not. Fingerprints stand in their place, which tell
that a value changed. They are keyed: nobody can test a guess. Messages of Events
and the like are not looked through.`,
		Example: `  rewatch record -A -o incident.rwt
  rewatch record pods,events -n shop --duration 2h -o shop.rwt
  rewatch record deploy,hpa -A --filter path:spec.replicas -o scaling.rwt
  rewatch record all -A --max-size 1Gi --max-age 24h --keep-size 20Gi -o /data/prod.rwt
  kubectl exec recorder -- rewatch record -n shop -o - > shop.rwt`,
		Args: cobra.ArbitraryArgs, ValidArgsFunction: completeTypes,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.memory = recordMemory
			if cmd.Flags().Changed("memory") {
				o.memory = f.memory.bytes
			}
			return runRecord(cmd.Context(), f, o, args, s)
		},
	}
	own := pflag.NewFlagSet("record", pflag.ContinueOnError)
	own.SortFlags = false
	own.StringVarP(&o.output, "output", "o", "", "The tape, as FILE.rwt; - is stdout")
	own.StringVar(&o.filter, "filter", "", "Record only changes that match this, as / in the interface; gaps, heartbeats and states of streams always are")
	own.BoolVar(&o.force, "force", false, "Replace the file if it exists")
	own.Var(&o.maxSize, "max-size", "Go on in the next tape when one has this size, as 512Mi or 1Gi")
	own.DurationVar(&o.maxAge, "max-age", 0, "Go on in the next tape after this time, as 1h or 24h")
	own.Var(&o.keepSize, "keep-size", "Delete the oldest tapes of this run when all have more than this together")
	own.DurationVar(&o.duration, "duration", 0, "End after this time, as 10m or 8h")
	for _, g := range f.groups {
		if g.set.Name() == "keep" {
			own.AddFlag(g.set.Lookup("redact"))
		}
	}
	cmd.Flags().AddFlagSet(own)
	f.addTargets(cmd, own, "How to record")
	return cmd
}

// addTargets gives a command the flags that say what to watch and how to reach
// it, and a usage with the flags in groups, its own first.
func (f *flags) addTargets(cmd *cobra.Command, own *pflag.FlagSet, title string) {
	groups := []group{{title, own}}
	for _, g := range f.groups {
		if g.set.Name() == "what" || g.set.Name() == "how" {
			cmd.Flags().AddFlagSet(g.set)
			groups = append(groups, g)
		}
	}
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		w := cmd.OutOrStderr()
		_, err := fmt.Fprintf(w, "Usage:\n  %s\n\nExamples:\n%s\n", cmd.UseLine(), cmd.Example)
		for _, g := range groups {
			_, err = fmt.Fprintf(w, "\n%s:\n%s", g.title, g.set.FlagUsages())
		}
		return err
	})
}

func (o *recordOptions) check(s streams) error {
	switch {
	case o.output == "":
		return usage("say where to record to: -o FILE.rwt")
	case o.output == "-" && isTerminal(s.out):
		return usage("a tape is nothing to look at: name a file with -o, or pipe stdout somewhere")
	case o.output == "-" && (o.maxSize > 0 || o.maxAge > 0 || o.keepSize > 0):
		return usage("there are no numbered tapes on stdout: --max-size, --max-age and --keep-size need a file")
	case o.maxAge < 0 || o.duration < 0:
		return usage("--max-age and --duration must be above 0")
	case o.keepSize > 0 && o.maxSize > o.keepSize/2:
		return usage("--keep-size must be at least twice --max-size: the running tape is never deleted")
	}
	if o.keepSize > 0 && o.maxSize == 0 { // with --max-age alone one tape could pass the limit
		o.maxSize = o.keepSize / 8
	}
	return nil
}

// runRecord records until something ends it.
func runRecord(ctx context.Context, f *flags, o recordOptions, args []string, s streams) error {
	defer redirectLogs(f.logFile)()
	defer frugal()()
	if err := o.check(s); err != nil {
		return err
	}
	filter, err := o.query()
	if err != nil {
		return err
	}
	session, err := f.session(args, s)
	if err != nil {
		return err
	}
	signalled := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	redactor, redaction, err := f.redactor()
	if err != nil {
		return err
	}
	log := model.NewLog(model.Options{Budget: o.memory, Redactor: redactor})
	said := make(chan string, 64)
	ro := recorder.Options{Path: o.output, Force: o.force, MaxSize: int64(o.maxSize), MaxAge: o.maxAge, KeepSize: int64(o.keepSize),
		Tool: "rewatch " + version(), Filter: filter, Redaction: redaction, Queue: recordQueue, Memory: recordMemory, Say: func(text string) {
			select {
			case said <- text:
			default: // nobody reads; it is no more than a word on the way
			}
		}}
	if o.output == "-" {
		ro.Out = s.out
	}
	old, err := setAside(o.output, o.force)
	if err != nil {
		return err
	}
	defer old.back() // unless settled: a recording that cannot begin must not cost one
	rec, err := startRecording(ctx, log, ro)
	if err != nil {
		return err
	}
	engine := watch.NewEngine(log, watch.Options{Pace: rec.Pace})
	beside := &crew{end: cancel}
	if err := newJoiner(engine, log, session, beside).start(ctx, session.clusters, s.err); err != nil {
		rec.Discard(closePatience)
		if ctx.Err() != nil {
			return nil // interrupted while connecting
		}
		return err
	}
	old.settle()
	beside.Go(func() { engine.Run(ctx) })

	if o.duration > 0 {
		timer := time.AfterFunc(o.duration, cancel)
		defer timer.Stop()
	}
	p := newReporter(log, rec, s, o, len(session.clusters) > 1)
	err = p.run(ctx, said)
	cancel()
	patience := endPatience
	if signalled.Err() != nil {
		patience = closePatience
	}
	crash := beside.wait(patience, s.err) // that the watches ended is on the tape
	ended := rec.Close(patience)
	p.summary(ended)
	switch failure := rec.Status().Failed; {
	case crash != nil:
		return crash
	case failure != nil && !(o.output == "-" && closedPipe(failure)):
		return recordingFailed(failure)
	case !ended:
		return failed("check the disk", "the disk did not take the end of the tape in time: %s may lack its last moments", rec.Status().Path)
	}
	return err
}

// redactor is what --redact calls for, and how the header of a tape says it.
func (f *flags) redactor() (r *redact.Redactor, said string, err error) {
	var rules []redact.Rule
	for _, path := range f.redact {
		rule, err := redact.ParseRule(path)
		if err != nil {
			return nil, "", usage("--redact %s: %v", path, err)
		}
		rules = append(rules, rule)
	}
	if len(rules) > 0 {
		said = "so is what these paths select: " + strings.Join(f.redact, " ")
	}
	return redact.New().With(rules...), said, nil
}

// frugal has memory collected sooner than is usual: a recorder shall be small,
// beside what it watches, for as long as it takes, and it has the time. What
// the environment says (GOGC, GOMEMLIMIT) counts. It returns what undoes it.
func frugal() (restore func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	const percent, most = 50, 84 << 20
	p, m := debug.SetGCPercent(percent), debug.SetMemoryLimit(most)
	return func() { debug.SetGCPercent(p); debug.SetMemoryLimit(m) }
}

// How long to wait at the end for a disk that takes nothing; for one that is
// slow, as long as it takes. Who interrupts waits less than who is not there.
const (
	closePatience = 1500 * time.Millisecond
	endPatience   = 15 * time.Second
)

// startRecording is recorder.Start with failures for people. For the reader of a
// pipe it waits, or until ctx ends.
func startRecording(ctx context.Context, log *model.Log, o recorder.Options) (*recorder.Recorder, error) {
	if info, err := os.Stat(o.Path); err == nil && o.Out == nil && !info.Mode().IsRegular() && !info.IsDir() && o.MaxSize == 0 && o.MaxAge == 0 {
		if o.Out, err = openStream(ctx, o.Path); err != nil { // to the end of the process
			return nil, err
		}
	}
	rec, err := recorder.Start(log, o)
	switch {
	case errors.Is(err, recorder.ErrExists):
		return nil, exists(o.Path)
	case errors.Is(err, recorder.ErrRecorded):
		return nil, beingRecorded(o.Path)
	case err != nil:
		return nil, notCreated(o.Path, err)
	}
	return rec, nil
}

func recordingFailed(f *recorder.Failure) error {
	if errors.Is(f, recorder.ErrVanished) {
		return failed("record to a file that nothing else writes or removes", "%v", f)
	}
	return failed("make room, or record to another disk", "%v", f)
}

// size is a flag for a number of bytes of files, written as Kubernetes does; 0
// is not given.
type size int64

// minSize is the least size of a tape: below, it would hardly have more than
// the state that it begins with.
const minSize = 1 << 20

func (q *size) String() string {
	if *q == 0 {
		return ""
	}
	return resource.NewQuantity(int64(*q), resource.BinarySI).String()
}

// Type is the word that stands for the value in the help.
func (q *size) Type() string { return "quantity" }

// Set reads 512Mi, 2Gi, 1e9.
func (q *size) Set(s string) error {
	v, err := resource.ParseQuantity(s)
	if err != nil {
		return fmt.Errorf("it must be a number of bytes such as 512Mi")
	}
	if v.Value() < minSize {
		return fmt.Errorf("it must be at least 1Mi")
	}
	*q = size(v.Value())
	return nil
}
