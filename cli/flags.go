package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"rewatch/cli/config"
	"rewatch/model"
	"rewatch/model/noise"
	"rewatch/themes"
	"rewatch/ui"
	"rewatch/watch/resolve"
)

// flags holds what the command line says, as typed.
type flags struct {
	// What to watch.
	contexts      []string
	namespaces    []string
	allNamespaces bool
	selector      string
	fieldSelector string
	// How to reach it; kubectl's own.
	kube  *genericclioptions.ConfigFlags
	qps   float32
	burst int
	http1 bool
	// How to show it.
	memory  quantity
	theme   themeName
	ascii   choice
	logFile string
	plain   bool
	// Where to keep it.
	record string
	redact []string
	// From the configuration file alone.
	types []string       // watched where no TYPE is named; none is the usual ones
	zone  *time.Location // of times on screen
	noise []noise.Rule
	keys  map[string][]string // of the interface, from the configuration
	rows  ui.Rows             // of the timeline
	looks ui.Look             // which themes auto takes

	groups []group
}

// group is a titled set of flags, for the help and the README.
type group struct {
	title string
	set   *pflag.FlagSet
}

func newFlags() *flags {
	f := &flags{
		kube:   genericclioptions.NewConfigFlags(false),
		memory: quantity{model.DefaultBudget},
		theme:  themeName{"auto"},
		ascii:  choice{"auto", config.ASCII()},
		zone:   time.Local,
		noise:  noise.Default(),
	}
	// Ours repeat where kubectl's do not, and nothing is cached on disk.
	f.kube.Context, f.kube.Namespace, f.kube.CacheDir = nil, nil, nil

	what := pflag.NewFlagSet("what", pflag.ContinueOnError)
	what.StringSliceVarP(&f.namespaces, "namespace", "n", nil, "Watch this namespace; may be repeated")
	what.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "Watch all namespaces")
	what.StringArrayVar(&f.contexts, "context", nil, "Use this kubeconfig context; may be repeated, for several clusters in one timeline")
	what.StringVarP(&f.selector, "selector", "l", "", "Only objects with these labels (a label selector: app=web,tier!=cache)")
	what.StringVar(&f.fieldSelector, "field-selector", "", "Only objects with these fields (a field selector: spec.nodeName=node-1)")

	how := pflag.NewFlagSet("how", pflag.ContinueOnError)
	f.kube.AddFlags(how)
	how.Lookup("request-timeout").Usage = "How long a request that is no watch may take, as 30s or 2m; 0 is 15s for discovery"
	const qps, burst = 50, 100
	how.Float32Var(&f.qps, "qps", qps, "Most lists and discovery requests per second to one cluster; watches are not counted")
	how.IntVar(&f.burst, "burst", burst, "Most lists and discovery requests at once to one cluster")
	how.BoolVar(&f.http1, "http1", false, "Speak HTTP/1.1, where a proxy breaks HTTP/2")

	show := pflag.NewFlagSet("show", pflag.ContinueOnError)
	show.Var(&f.memory, "memory", "Most memory for the history, as 512Mi or 2Gi; the oldest leaves first")
	show.Var(&f.theme, "theme", "Colours: auto, or one of rewatch themes; auto asks the terminal for its background")
	show.Var(&f.ascii, "ascii", "Draw in ASCII: auto, on or off; auto is on for the Linux console and locales that are not UTF-8")
	show.Lookup("ascii").NoOptDefVal = "on"
	show.BoolVar(&f.plain, "plain", false, "Write changes as sentences instead of drawing a screen, for screen readers")
	show.StringVar(&f.logFile, "log-file", "", "Where libraries log (default $XDG_STATE_HOME/rewatch/rewatch.log, made when there is something to write)")

	keep := pflag.NewFlagSet("keep", pflag.ContinueOnError)
	keep.StringVar(&f.record, "record", "", "Record the session from its start to this new tape, as FILE.rwt; R starts and stops others")
	keep.StringArrayVar(&f.redact, "redact", nil, "Keep only fingerprints of what this JSONPath selects in any object, as .spec.containers[*].env[*].value; may be repeated")

	f.groups = []group{{"What to watch", what}, {"How to show it", show}, {"How to keep it", keep}, {"How to reach the cluster", how}}
	return f
}

// addTo gives the flags to the root; those about the screen to the
// subcommands too.
func (f *flags) addTo(root *cobra.Command) {
	for _, g := range f.groups {
		g.set.SortFlags = g.set.Name() == "how"
		if g.set.Name() == "show" {
			root.PersistentFlags().AddFlagSet(g.set)
		} else {
			root.Flags().AddFlagSet(g.set)
		}
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%v", err) })
	fixed := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = root.RegisterFlagCompletionFunc("context", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return f.contextNames(), cobra.ShellCompDirectiveNoFileComp
	})
	_ = root.RegisterFlagCompletionFunc("theme", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return themeNames(append(themes.Builtin(), userThemes().Palettes...)), cobra.ShellCompDirectiveNoFileComp
	})
	_ = root.RegisterFlagCompletionFunc("ascii", fixed(f.ascii.of...))
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		f.printUsage(cmd.OutOrStderr(), cmd)
		return nil
	})
}

// printUsage is cobra's usage with the flags in their groups.
func (f *flags) printUsage(w io.Writer, cmd *cobra.Command) {
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }
	p("Usage:\n  %s\n", cmd.UseLine())
	if cmd.HasExample() {
		p("\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		p("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				p("  %-12s %s\n", c.Name(), c.Short)
			}
		}
	}
	if cmd.HasParent() {
		if u := cmd.LocalFlags().FlagUsages(); u != "" {
			p("\nFlags:\n%s", u)
		}
		if u := cmd.InheritedFlags().FlagUsages(); u != "" && cmd.Name() == "demo" {
			p("\nHow to show it:\n%s", u)
		}
		return
	}
	for _, g := range f.groups {
		p("\n%s:\n%s", g.title, g.set.FlagUsages())
	}
}

// request checks what can be checked before anything is contacted.
func (f *flags) request(args []string) (resolve.Request, error) {
	if len(args) == 0 {
		args = f.types
	}
	types, err := resolve.Parse(args)
	if err != nil {
		return resolve.Request{}, usage("%v", err)
	}
	if _, err := labels.Parse(f.selector); err != nil {
		return resolve.Request{}, usage("--selector %q: %v", f.selector, err)
	}
	if _, err := fields.ParseSelector(f.fieldSelector); err != nil {
		return resolve.Request{}, usage("--field-selector %q: %v", f.fieldSelector, err)
	}
	if f.allNamespaces && len(f.namespaces) > 0 {
		return resolve.Request{}, usage("-n %s and -A contradict each other", strings.Join(f.namespaces, ","))
	}
	for _, ns := range f.namespaces {
		if len(validation.IsDNS1123Label(ns)) > 0 {
			return resolve.Request{}, usage("--namespace %q is no name of a namespace: it takes a-z, 0-9 and inner -, at most %d",
				ns, validation.DNS1123LabelMaxLength)
		}
	}
	if f.qps <= 0 || f.burst < 1 {
		return resolve.Request{}, usage("--qps and --burst must be above 0")
	}
	return resolve.Request{Types: types, Label: f.selector, Field: f.fieldSelector}, nil
}

// quantity is a flag for a number of bytes, written as Kubernetes does.
type quantity struct{ bytes int64 }

func (q *quantity) String() string { return resource.NewQuantity(q.bytes, resource.BinarySI).String() }

// Type is the word that stands for the value in the help.
func (q *quantity) Type() string { return "quantity" }

// Set reads 512Mi, 2Gi, 1e9.
func (q *quantity) Set(s string) error {
	bytes, err := config.ParseMemory(s)
	if err == nil {
		q.bytes = bytes
	}
	return err
}

// choice is a flag for one of some words.
type choice struct {
	value string
	of    []string
}

func (c *choice) String() string { return c.value }

// Type is the word that stands for the value in the help.
func (c *choice) Type() string { return strings.Join(c.of, "|") }

// Set takes one of the words.
func (c *choice) Set(s string) error {
	for _, w := range c.of {
		if s == w {
			c.value = s
			return nil
		}
	}
	return fmt.Errorf("it must be one of %s", strings.Join(c.of, ", "))
}
