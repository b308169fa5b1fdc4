package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model"
	"rewatch/ui"
	"rewatch/watch/player"
)

func newReplay(f *flags, s streams) *cobra.Command {
	o := replayOptions{speed: pace{1}}
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "Play tapes back as they were recorded",
		Long: `Play tapes back in the same screens, by the clock of the tape: what was live,
late, waiting or lost at a moment is shown as it was. Several tapes play as one,
merged by time: the parts of one recording, or recordings of several clusters.

Space pauses; ? shows the keys that step, jump and change the speed.

Where stdout is no terminal, the lines that live would have printed are printed,
from --at on, and the end of the tape is the end; without --speed nothing waits. The
exit code is then 1 if the tape is damaged, so that not all of it could be played.`,
		Example: `  rewatch replay incident.rwt
  rewatch replay prod-0001.rwt prod-0002.rwt prod-0003.rwt --at 14:03:20
  rewatch replay eu.rwt us.rwt --speed 16
  rewatch replay incident.rwt --at -5m | grep checkout`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("replay needs a tape: rewatch replay FILE; rewatch record -o FILE makes one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.paced = cmd.Flags().Changed("speed")
			return runReplay(cmd.Context(), f, o, args, s)
		},
	}
	cmd.Flags().Var(&o.speed, "speed", "How many times faster than recorded; max does not wait")
	cmd.Flags().StringVar(&o.at, "at", "", "Where to begin: "+momentHelp)
	return cmd
}

type replayOptions struct {
	speed pace
	paced bool // the speed was asked for
	at    string
}

// pace is a flag for a speed, of which max does not wait.
type pace struct{ times float64 }

func (p *pace) String() string {
	if math.IsInf(p.times, 1) {
		return "max"
	}
	return strconv.FormatFloat(p.times, 'g', -1, 64)
}

// Type is the word that stands for the value in the help.
func (p *pace) Type() string { return "number" }

// Set reads a number above 0, or max.
func (p *pace) Set(text string) error {
	if text == "max" {
		p.times = math.Inf(1)
		return nil
	}
	x, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(text, "x"), "×"), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return fmt.Errorf("it must be a number above 0, or max")
	}
	p.times = x
	return nil
}

func runReplay(ctx context.Context, f *flags, o replayOptions, paths []string, s streams) error {
	defer redirectLogs(f.logFile)()
	if err := notTwice(paths); err != nil {
		return err
	}
	running := false
	var sources []player.Source
	var names []string
	told := &infos{}
	for _, path := range paths {
		t, err := openTape(path)
		if err != nil {
			return err
		}
		defer func() { _ = t.Close() }()
		if t.Info().Records == 0 {
			return failed("record for longer, or try: rewatch info "+path, "%s has no events", path)
		}
		running = running || t.running()
		sources = append(sources, player.Source{Name: filepath.Base(path), Tape: t.Tape})
		names = append(names, filepath.Base(path))
		told.tapes = append(told.tapes, t)
	}
	from, to := player.Span(sources)
	begin := from
	if o.at != "" {
		var err error
		if begin, err = parseMoment(o.at, from, to, f.zone); err != nil {
			return err
		}
		if begin.Before(from) || begin.After(to) {
			return outside(o.at, from, to, f.zone)
		}
	}
	r := replay{flags: f, streams: s, title: tapeTitle(names), sources: sources, speed: o.speed.times, running: running, told: told}
	if o.at != "" {
		r.at = begin
	}
	if !r.onTerminal() && !o.paced && !(f.plain && isTerminal(s.out)) {
		r.speed = math.Inf(1)
	}
	return r.run(ctx)
}

// notTwice refuses a tape that is named twice, by whatever paths: all of it would
// be played twice.
func notTwice(paths []string) error {
	var seen []os.FileInfo
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil { // opening it says so
			continue
		}
		for k := range seen {
			if os.SameFile(seen[k], info) {
				return usage("%s is named twice: name each tape once", path)
			}
		}
		seen = append(seen, info)
	}
	return nil
}

// tapeTitle names the tapes, for the header.
func tapeTitle(names []string) string {
	if len(names) > 2 {
		return fmt.Sprintf("%s … %s (%d tapes)", names[0], names[len(names)-1], len(names))
	}
	return strings.Join(names, " ")
}

// replay is one run of a player and a screen over some tapes.
type replay struct {
	flags   *flags
	streams streams
	title   string
	sources []player.Source
	speed   float64
	at      time.Time // where to begin; zero is the start
	tour    bool      // lead through the screen
	told    *infos    // what the screen tells of the tapes
	running bool      // a tape is being recorded: what it lacks at its end is still to come
}

func (r replay) onTerminal() bool {
	ok, _ := r.streams.canvas()
	return ok && !r.flags.plain
}

// run plays until the user, a signal or a closed pipe ends it; lines also end
// with the tapes.
func (r replay) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	beside := &crew{end: cancel}
	o := player.Options{Log: model.Options{Budget: r.flags.memory.bytes}, At: r.at, Speed: r.speed}
	var lines *tapeLines
	if !r.onTerminal() {
		lines = &tapeLines{}
		o.Hold = lines.behind
	}
	p := player.New(r.sources, o)
	beside.Go(func() { p.Run(ctx) })
	var err error
	if lines != nil {
		err = lines.print(ctx, p, r)
	} else {
		err = r.show(ctx, p)
	}
	cancel()
	if crash := beside.wait(stopTimeout, r.streams.err); crash != nil {
		return crash
	}
	return err
}

// show runs the interface.
func (r replay) show(ctx context.Context, p *player.Player) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGQUIT) // see session.show
	defer stop()
	ctx, stop = r.streams.onCanvas(ctx)
	defer stop()
	ctx, jobs := withJobs(ctx, r.streams.in)
	enoughProcs()
	save, file := noiseFile()
	err := ui.Run(ctx, ui.Options{Transport: p, Tapes: r.told, Tour: r.tour, SaveNoise: save, NoiseFile: file, Title: r.title, Theme: r.flags.theme.value, Look: r.flags.look(), Location: r.flags.zone, Rows: r.flags.rows, Noise: r.flags.noise,
		Environ: os.Environ(), Files: world{ctx}, Jobs: jobs, Keys: r.flags.keys, Input: r.streams.in, Output: r.streams.out})
	return interfaceEnded(err, "rewatch replay …")
}
