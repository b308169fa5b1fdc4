// Command cluster brings up a control plane for use by hand: it is what e2e/up and e2e/down run.
//
//	cluster up [--nodes N]   start one in the background and print the path of its kubeconfig
//	cluster down             stop it
//	cluster build            only build the programs, if this machine has not done so
//	cluster serve            be the background process: own the cluster until SIGTERM
//
// The processes of a cluster die with their parent, so "up" leaves a process of its own behind ("serve") that is
// that parent. One cluster per user can be up at a time; tests start their own and do not meet it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"rewatch/e2e/binaries"
	"rewatch/e2e/cluster"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: cluster up [--nodes N] | cluster down | cluster build")
	}
	flags := flag.NewFlagSet("cluster "+args[0], flag.ContinueOnError)
	nodes := flags.Int("nodes", 3, "number of nodes")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	home, err := newHome()
	if err != nil {
		return err
	}
	switch args[0] {
	case "up":
		return home.up(ctx, *nodes)
	case "down":
		return home.down(ctx)
	case "build":
		set, err := binaries.Ensure(ctx, os.Stderr)
		if err == nil {
			fmt.Println(set.Dir)
		}
		return err
	case "serve":
		return home.serve(ctx, *nodes)
	default:
		return fmt.Errorf("unknown command %q", args[0])
	}
}

// serve owns the cluster until it is told to end.
func (h home) serve(ctx context.Context, nodes int) (err error) {
	release, err := h.claim()
	if err != nil {
		return err
	}
	defer release()
	c, err := cluster.Start(ctx, cluster.Options{Dir: h.data})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, c.Stop(), os.RemoveAll(h.data), os.Remove(h.state))
	}()
	if _, err := c.Nodes(ctx, nodes); err != nil {
		return err
	}
	if err := h.publish(c); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
