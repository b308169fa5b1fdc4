package cli

import (
	"errors"
	"os"
	"strings"

	"rewatch/cli/config"
	"rewatch/model/clean"
	"rewatch/model/noise"
)

// noiseFile is how the interface keeps a noise rule: in the configuration file,
// which it names as people do. save is nil where there is no place for one.
func noiseFile() (save func(noise.Rule) error, name string) {
	path, err := config.Path()
	if err != nil {
		return nil, ""
	}
	name = clean.Line(path)
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(name, home+string(os.PathSeparator)); ok {
			name = "~" + string(os.PathSeparator) + rest
		}
	}
	return func(r noise.Rule) error {
		return kept(config.AddRule(path, r))
	}, name
}

// saveRows is how the interface keeps what the rows of its timeline show.
func saveRows(columns []string, times string) error {
	path, err := config.Path()
	if err == nil {
		err = config.SetView(path, columns, times)
	}
	return kept(err)
}

// kept is an error of writing the configuration, in a line.
func kept(err error) error {
	if e := (*config.Error)(nil); err == nil || errors.As(err, &e) {
		return err
	}
	return errors.New(oneLine(err))
}
