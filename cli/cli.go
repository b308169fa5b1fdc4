// Package cli is the command line: flags and clusters in, exit code out. It
// wires the engine, the log and the screen together, and decides nothing that
// they could decide.
//
// Exit codes: 0 the end was asked for (quit, a signal, a closed pipe), 1
// something failed, 2 the command line is wrong. Whatever goes wrong is one
// line on stderr, with what to do next.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rewatch/model/clean"
)

// Main runs the command line and returns the exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, stop = withInterrupts(ctx)
	defer stop()
	// Without a receiver the runtime dies of SIGPIPE when stdout is closed;
	// with one, the write fails and the command ends in order. (Ignoring it
	// would be inherited by credential plugins.) It stays to the end of the
	// process: a last line may be under way when Main returns.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return run(ctx, args, streams{stdin, stdout, stderr})
}

// streams are the three standard ones.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func run(ctx context.Context, args []string, s streams) int {
	root := newRoot(s)
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	f := &failure{}
	if !errors.As(err, &f) { // cobra's own: an unknown flag, a wrong number of arguments
		f = usage("%v", err)
	}
	if f.next == seeHelp {
		f.next = fmt.Sprintf("see: %s --help", cmd.CommandPath())
	}
	if f.msg != "" { // else all is said already
		_, _ = fmt.Fprintf(s.err, "rewatch: %s\n", clean.Line(f.Error()))
	}
	return f.code
}

const longHelp = `Watch a Kubernetes cluster change, and see whether you can trust what you see.

TYPE is what kubectl takes: a plural, singular, kind or short name, a category
such as "all", or a custom resource, with a version and group where it is
ambiguous (deployments.v1.apps), or with one object's name (pods/checkout).
Several may be given, by spaces or commas. Without any, rewatch shows pods,
deployments, replicasets, statefulsets, daemonsets, jobs, services,
endpointslices, configmaps, nodes and events.

The namespace is the one that the kubeconfig context sets; if it sets none, all
namespaces. -n and -A decide otherwise. Cluster-scoped types are always shown.

On a terminal this opens the interface. Otherwise, and with TERM=dumb, it prints
one line per change to stdout, and what happens to the watches themselves to
stderr, until it is interrupted or its reader goes away.

rewatch only reads: it sends GETs, and SelfSubjectAccessReviews to learn what
you may watch.`

const examples = `  rewatch demo                         no cluster needed
  rewatch                              the usual types
  rewatch pods,deploy -n shop          two types in one namespace
  rewatch all --context a --context b  two clusters in one timeline
  rewatch deploy/checkout | tee log    a line per change`

// newRoot builds the command tree. Nothing in it is shared with another one.
func newRoot(s streams) *cobra.Command {
	f := newFlags()
	root := &cobra.Command{
		Use:           "rewatch [TYPE[.VERSION][.GROUP][/NAME]]...",
		Short:         "Watch a Kubernetes cluster change",
		Long:          longHelp,
		Example:       examples,
		Args:          cobra.ArbitraryArgs, // TYPEs, which are not subcommands
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, args []string) error { return runLive(cmd.Context(), f, args, s) },

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return f.configure(cmd) },
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate(versionLine())
	root.Flags().Bool("version", false, "Print the version") // cobra's own would take -v, kubectl's verbosity
	f.addTo(root)
	root.ValidArgsFunction = completeTypes
	root.AddCommand(newConfig(s), newDemo(f, s), newDiff(f, s), newExport(f, s), newImport(f, s), newInfo(f, s), newRecord(f, s), newRepair(f, s), newReplay(f, s), newServe(f, s), newTail(f, s), newThemes(s), newVerify(f, s), newVersion(s))
	return root
}
