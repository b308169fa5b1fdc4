// Command load fills a cluster with pods, and can keep changing them at a given rate: the far side of a scale
// test, and of a look at how rewatch bears a busy cluster.
//
//	go run ./cmd/load --kubeconfig "$(./up)" --pods 5000 --churn 300 --for 1m
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"rewatch/e2e/workload"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	kubeconfig := flags.String("kubeconfig", os.Getenv("KUBECONFIG"), "path of the kubeconfig")
	b := workload.BarePods{}
	flags.IntVar(&b.Count, "pods", 5000, "pods to create")
	flags.IntVar(&b.Namespaces, "namespaces", 10, "namespaces to spread them over")
	flags.IntVar(&b.Parallel, "parallel", 32, "requests under way at once")
	wait := flags.Bool("wait", true, "wait until the pods are running")
	churn := flags.Float64("churn", 0, "then change so many pods a second")
	length := flags.Duration("for", time.Minute, "how long to churn")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *kubeconfig == "" || b.Count < 1 || b.Namespaces < 1 || b.Parallel < 1 || *churn < 0 {
		return errors.New("--kubeconfig, and positive numbers, please")
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", strings.TrimSpace(*kubeconfig))
	if err != nil {
		return err
	}
	client, err := workload.New(cfg)
	if err != nil {
		return err
	}
	nodes, err := client.Kube.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(nodes.Items) == 0 {
		return errors.New("the cluster has no nodes")
	}
	for _, node := range nodes.Items {
		b.Nodes = append(b.Nodes, node.Name)
	}
	began := time.Now()
	since := func() time.Duration { return time.Since(began).Round(100 * time.Millisecond) }
	err = client.CreatePods(ctx, b, func(done int) { fmt.Fprintf(os.Stderr, "load: %d pods after %s\n", done, since()) })
	if err != nil {
		return err
	}
	if *wait {
		if err := client.WaitRunning(ctx, b.Count); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "load: all running after %s\n", since())
	}
	if *churn == 0 {
		return nil
	}
	churning, cancel := context.WithTimeout(ctx, *length)
	defer cancel()
	changes, err := client.Churn(churning, b, *churn)
	fmt.Fprintf(os.Stderr, "load: %d changes in %s\n", changes, *length)
	return err
}
