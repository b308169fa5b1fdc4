package cli

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"rewatch/watch/tape"
)

func newRepair(_ *flags, s streams) *cobra.Command {
	var (
		out   string
		force bool
	)
	cmd := &cobra.Command{
		Use:   "repair FILE -o OUT",
		Short: "Copy what survives of a damaged tape into a whole one",
		Long: `Copy what survives of a tape into a new one that is whole. FILE is not changed.

What is lost is on the new tape as gaps, in every stream that it may have been of.
Behind a damaged part the recorded state is known again from the next checkpoint
on; what differs there is written as changes that are marked as found later, the
way a watch does it after it had to list anew.

Of a tape whose recorder was killed everything comes back that it had flushed,
which it does once a second.`,
		Example: "  rewatch repair torn.rwt -o whole.rwt && rewatch verify whole.rwt",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRepair(cmd.Context(), out, force, args[0], s)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "The tape to write; - is stdout")
	cmd.Flags().BoolVar(&force, "force", false, "Replace OUT if it exists")
	return cmd
}

func runRepair(ctx context.Context, out string, force bool, path string, s streams) error {
	switch {
	case out == "":
		return usage("name the tape to write with -o OUT")
	case out == "-" && isTerminal(s.out):
		return usage("a tape is no text for a terminal: name a file with -o OUT")
	}
	if err := notItself(out, path); err != nil {
		return err
	}
	t, err := openTape(path)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	var did *tape.Repaired
	err = s.writeFile(ctx, out, force, func(w io.Writer) error {
		return t.whileReading(ctx, s.err, "repairing", func() (err error) {
			buffered := bufio.NewWriterSize(w, outBuffer)
			if did, err = tape.Repair(t.Tape, buffered); err != nil {
				var mine *failure
				if errors.As(err, &mine) || closedPipe(err) { // of the output
					return err
				}
				return unreadable(path, err)
			}
			return buffered.Flush()
		})
	})
	if err != nil {
		return err
	}
	if did == nil { // a reader of stdout that went away
		return nil
	}
	if len(did.Damages) == 0 {
		s.tell("rewatch: %s is whole: %s is a copy of it, of %s", path, out, count(did.Records, "record"))
		return nil
	}
	known := ""
	if did.Missing > 0 {
		known = ", " + count(did.Missing, "record") + " are known to be lost"
	}
	s.tell("rewatch: %s survive in %s, %s cannot be read%s; the gaps are on the tape (rewatch info %s)", count(did.Records, "record"), out,
		count(int64(len(did.Damages)), "place"), known, out)
	return nil
}
