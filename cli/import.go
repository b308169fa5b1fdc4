package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model/clean"
	"rewatch/watch/capture"
	"rewatch/watch/tape"
)

type importOptions struct {
	out       string
	context   string
	force     bool
	keepGoing bool
}

func newImport(_ *flags, s streams) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE|- -o TAPE",
		Short: "Make a tape of what kubectl printed, or of a capture",
		Long: `Make a tape of what another program recorded. It recognises by content, plain or
packed with gzip or zstd:

  - what kubectl get -w --output-watch-events -o json printed, and what it prints
    without --output-watch-events, which does not tell deletions. It tells no times of receipt, nor what was asked
    for: the times on the tape are those of the newest write to each object;
  - what kubectl get -o json printed without -w: the state at one moment, which is
    that of the newest write to any of the objects or later. Nobody watched on;
  - a capture: a line {"t": Unix seconds, "stream": "pods", "frame": {"type": …,
    "object": …}} for each frame, as rewatch export --format watch-json writes it.

Frames come back from the tape as they are, and in the same order. The values of
Secrets never reach it.`,
		Example: `  kubectl get pods -A -w --output-watch-events -o json > pods.json   until Ctrl-C
  rewatch import pods.json -o pods.rwt
  kubectl get pods,events -o json | rewatch import - -o now.rwt
  rewatch import capture.jsonl.zst -o incident.rwt --context prod-eu`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), o, args[0], s) },
	}
	cmd.Flags().StringVarP(&o.out, "output", "o", "", "The tape to write; - is stdout")
	cmd.Flags().StringVar(&o.context, "context", "", "Name of the cluster that was watched (default the name of FILE)")
	cmd.Flags().BoolVar(&o.force, "force", false, "Replace the tape if it exists")
	cmd.Flags().BoolVar(&o.keepGoing, "keep-going", false, "Import what can be read, and say on the tape what could not")
	return cmd
}

func runImport(ctx context.Context, o importOptions, path string, s streams) error {
	switch {
	case o.out == "":
		return usage("name the tape to write with -o TAPE")
	case o.out == "-" && isTerminal(s.out):
		return usage("a tape is no text for a terminal: name a file with -o TAPE")
	}
	if err := notItself(o.out, path); err != nil {
		return err
	}
	in, size, err := s.openInput(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if o.context == "" {
		o.context = contextOf(path)
	}
	p := newProgress(s.err, "importing "+inputName(path))
	defer p.end()
	var (
		sum     capture.Summary
		written int64
	)
	err = s.writeFile(ctx, o.out, o.force, func(out io.Writer) error {
		buffered := bufio.NewWriterSize(out, outBuffer)
		w := tape.NewWriter(buffered, tape.Header{Tool: "rewatch " + version(), Created: time.Now()}, tape.Options{})
		var err error
		sum, err = capture.Import(&meter{in, 0, size, p}, w, capture.Options{Context: o.context, KeepGoing: o.keepGoing, Now: time.Now()})
		if err != nil {
			return notImported(path, o.keepGoing, sum, err)
		}
		if err := w.Close(); err != nil {
			return err
		}
		written = w.Size()
		return buffered.Flush()
	})
	if err != nil {
		return err
	}
	p.end()
	if sum.Skipped > 0 {
		s.tell("rewatch: %s could not be read, and the tape says so; the first at %v", count(sum.Skipped, "frame"), sum.First)
	}
	if sum.Cut {
		s.tell("rewatch: %s ends too early, after %s: what followed is unknown, and the tape says so", inputName(path), count(sum.Frames, "frame"))
	}
	if sum.Blind {
		s.tell("rewatch: %s", capture.NoDeletions)
	}
	if sum.Gaps > 0 {
		s.tell("rewatch: its watches were lost, and changes may be missing in %s: rewatch info names them", count(int64(sum.Gaps), "place"))
	}
	s.tell("rewatch: imported %s of %s from the %s in %s to %s (%s)", count(sum.Frames, "frame"), count(int64(sum.Streams), "stream"),
		sum.Kind, inputName(path), o.out, byteSize(written))
	return nil
}

// tell writes a line for people to stderr.
func (s streams) tell(format string, args ...any) {
	_, _ = fmt.Fprintln(s.err, clean.Line(fmt.Sprintf(format, args...)))
}

// contextOf names a cluster by the file: shop of dir/shop.watch.jsonl.gz.
func contextOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	if name == "" || name == "-" {
		return "imported"
	}
	return name
}

// openInput opens a file for reading, or stdin for "-", and tells its size, 0
// if that is not known.
func (s streams) openInput(path string) (in io.ReadCloser, size int64, err error) {
	if path == "-" {
		if isTerminal(s.in) {
			return nil, 0, usage("stdin is a terminal: name a file, or send something through a pipe")
		}
		return io.NopCloser(s.in), 0, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, notOpened(path, err)
	}
	if info.IsDir() {
		return nil, 0, failed("name a file", "%s is a directory", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, notOpened(path, err)
	}
	if info.Mode().IsRegular() {
		size = info.Size()
	}
	return f, size, nil
}

// meter shows how much was read.
type meter struct {
	io.Reader
	n, size int64
	p       *progress
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	m.n += int64(n)
	m.p.set(m.n, m.size)
	return n, err
}

// inputName names the input of a path.
func inputName(path string) string {
	if path == "-" {
		return "stdin"
	}
	return path
}

func notImported(path string, keepGoing bool, sum capture.Summary, err error) error {
	path = inputName(path)
	var (
		at   *capture.Error
		mine *failure
	)
	switch {
	case errors.As(err, &mine), closedPipe(err): // of the output
		return err
	case errors.As(err, &at) && keepGoing:
		return failed("nothing was written: nothing in it can be read", "cannot import %s: %s: %s", path, sum.Kind, at)
	case errors.As(err, &at):
		return failed("nothing was written; --keep-going imports what can be read", "cannot import %s: %s: %s, after %s that can be read",
			path, sum.Kind, at, count(sum.Frames, "frame"))
	case errors.Is(err, capture.ErrTape):
		return failed(fmt.Sprintf("see: rewatch info %s", path), "%s is a tape already", path)
	case errors.Is(err, capture.ErrEmpty):
		return failed("was kubectl run with -o json?", "there is nothing in %s to import", path)
	case errors.Is(err, capture.ErrUTF16):
		return failed("save it as UTF-8: kubectl … | Out-File -Encoding utf8 FILE", "%s is UTF-16 text, as PowerShell writes it", path)
	case errors.Is(err, capture.ErrUnknown):
		return failed("it must be what kubectl get -w --output-watch-events -o json prints (-o yaml is not read), or a capture (docs/tape.md); .gz and .zst are fine",
			"cannot import %s: it is not JSON of a watch", path)
	}
	return failed("check the file", "cannot import %s: %s", path, oneLine(err))
}
