package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rewatch/cli/config"
	"rewatch/model/clean"
	"rewatch/ui"
)

func newConfig(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Check the configuration file, tell where it is, show an example",
		Long: `The configuration file holds what would otherwise be typed again and again:
colours, memory, the usual types, time zone and what counts as noise. It is
optional, and flags win over it. docs/config.md describes it.`,
		Example: `  rewatch config path
  mkdir -p "$(dirname "$(rewatch config path)")" && rewatch config example > "$(rewatch config path)"
  rewatch config check`,
		Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Usage() },
	}
	cmd.AddCommand(
		&cobra.Command{Use: "check [FILE]", Short: "Find mistakes in the file", Args: cobra.MaximumNArgs(1),
			RunE: func(_ *cobra.Command, args []string) error { return checkConfig(args, s.out) }},
		&cobra.Command{Use: "path", Short: "Print where the file is looked for", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				path, err := configPath()
				if err == nil {
					_, err = fmt.Fprintln(s.out, clean.Line(path))
				}
				return err
			}},
		&cobra.Command{Use: "example", Short: "Print a file with everything in it, and its defaults", Args: cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				_, err := io.WriteString(s.out, config.Example())
				return written(err)
			}},
	)
	return cmd
}

func configPath() (string, error) {
	path, err := config.Path()
	if err != nil {
		return "", failed("set $XDG_CONFIG_HOME", "cannot tell where the configuration file is: %s", oneLine(err))
	}
	return path, nil
}

// loadConfig reads the file. Errors are failures with the next step.
func loadConfig(path string) (config.Config, bool, error) {
	c, found, err := config.Load(path)
	if e := (*config.Error)(nil); errors.As(err, &e) {
		next := e.Hint
		if next == "" {
			next = "correct it, then: rewatch config check"
		}
		e.Hint = ""
		return c, found, failed(next, "%v", e)
	}
	if err != nil {
		return c, found, failed("check its permissions, or move it away", "cannot read the configuration: %s", oneLine(err))
	}
	return c, found, nil
}

func checkConfig(args []string, w io.Writer) error {
	path := ""
	if len(args) > 0 {
		path = args[0]
	} else if p, err := configPath(); err != nil {
		return err
	} else {
		path = p
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return failed("name the file in it", "%s is a directory", path)
	}
	c, found, err := loadConfig(path)
	if err == nil {
		err = refusedThemes(c.Themes)
	}
	switch {
	case err != nil:
		return err
	case !found && len(args) > 0:
		return failed("check the path", "there is no file %s", path)
	case !found:
		_, err = fmt.Fprintf(w, "there is no file %s: the defaults apply\n", clean.Line(path))
		return written(err)
	}
	_, err = io.WriteString(w, clean.Line(path)+" is in order\n"+told(c))
	return written(err)
}

// told is what a configuration says, a line for each key that the file gives,
// and what becomes of it.
func told(c config.Config) string {
	var b strings.Builder
	for _, s := range c.Set {
		_, _ = fmt.Fprintf(&b, "  line %-4d %-12s %s\n", s.Line, clean.Line(s.Key), clean.Line(s.Value))
	}
	if len(c.Set) == 0 {
		b.WriteString("  it sets nothing: the defaults apply\n")
	}
	if n := len(c.Themes.Palettes); n > 0 {
		_, _ = fmt.Fprintf(&b, "  in order   %s of yours: %s\n", count(int64(n), "theme"), strings.Join(themeNames(c.Themes.Palettes)[1:], ", "))
	}
	_, _ = fmt.Fprintf(&b, "  in force   %s: %d that come with rewatch, %d of the file\n", count(int64(len(c.Noise)), "noise rule"), len(c.Noise)-c.Own, c.Own)
	return b.String()
}

// configured are the commands that the configuration file is for. The others
// work whatever is in it.
var configured = []string{"rewatch", "rewatch demo", "rewatch record", "rewatch replay", "rewatch tail"}

// configure lets the configuration file fill in what the command line leaves
// open.
func (f *flags) configure(cmd *cobra.Command) error {
	if !slices.Contains(configured, cmd.CommandPath()) {
		return nil
	}
	path, err := config.Path()
	if err != nil {
		return nil // a place without a home has no configuration
	}
	c, _, err := loadConfig(path)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("theme") {
		f.theme.value = c.Theme
	}
	if !cmd.Flags().Changed("ascii") {
		f.ascii.value = c.ASCII
	}
	f.looks = ui.Look{Dark: c.Dark, Light: c.Light}
	if !cmd.Flags().Changed("memory") {
		f.memory.bytes = c.Memory
	}
	f.types, f.zone = c.Types, c.Location()
	f.noise, f.keys = c.Noise, c.Keys
	f.rows = ui.Rows{Columns: c.Columns, Times: c.Times, Save: saveRows}
	return nil
}
