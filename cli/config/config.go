// Package config reads the configuration file. It is strict: what it does not
// know is a mistake, told with its line, its key and what to do.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"

	"rewatch/model"
	"rewatch/model/noise"
	"rewatch/themes"
	"rewatch/ui"
	"rewatch/watch/resolve"
)

// Config is what the file says; what it leaves out has its default.
type Config struct {
	Keys  map[string][]string // of the interface, for ui.Options
	Theme string              // auto, or the name of a theme
	// Dark and Light are the themes that auto takes; "" is the one of that name.
	Dark, Light string
	ASCII       string      // one of ASCII
	Themes      themes.User // those of the user; only Load knows them
	Memory      int64       // bytes of history in the interface
	TimeZone    string      // "local", or a name for time.LoadLocation
	Columns     []string    // of the timeline, for ui.Options; none are the usual ones
	Times       string      // one of ui.TimeModes
	// Types are watched where the command line names none; none is the usual
	// ones. They are spelled as on the command line.
	Types []string
	Noise []noise.Rule // those that come with rewatch and are not off, then those of the file
	Own   int          // how many of Noise are those of the file
	// Set are the keys that the file gives; of the others the defaults apply.
	Set []Setting
}

// Default is the configuration of an empty file.
func Default() Config {
	return Config{Theme: "auto", ASCII: "auto", Memory: model.DefaultBudget, TimeZone: "local", Times: ui.TimeModes()[0], Noise: noise.Default()}
}

// Location is the time zone.
func (c Config) Location() *time.Location {
	if c.TimeZone == "local" {
		return time.Local
	}
	l, err := time.LoadLocation(c.TimeZone)
	if err != nil { // Parse has tried
		return time.UTC
	}
	return l
}

// minMemory is the least memory: below, the log could not hold one large object
// and what it changed from.
const minMemory = 8 << 20

// ParseMemory reads a number of bytes such as 512Mi or 1e9.
func ParseMemory(text string) (bytes int64, err error) {
	v, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, errors.New("it must be a number of bytes such as 512Mi")
	}
	if v.Value() < minMemory {
		return 0, errors.New("it must be at least 8Mi")
	}
	return v.Value(), nil
}

// Path is where the file is: $XDG_CONFIG_HOME/rewatch/config.yaml, or in the
// directory for configuration that the system has.
func Path() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) { // as its specification says
		var err error
		if dir, err = os.UserConfigDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "rewatch", "config.yaml"), nil
}

// Load reads the file at path; one that does not exist is empty. The error is
// an *[Error], or that of reading.
func Load(path string) (c Config, found bool, err error) {
	user := UserThemes(os.DirFS(ThemesDir(path)), ThemesDir(path))
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		c = Default()
		c.Themes = user
		return c, false, nil
	}
	if err != nil {
		return Default(), false, err
	}
	defer func() { _ = f.Close() }()
	text := make([]byte, maxSize+1)
	n := 0
	for n < len(text) {
		m, err := f.Read(text[n:])
		if n += m; err != nil {
			break
		}
	}
	if c, err = Parse(text[:n]); err == nil {
		err = c.checkThemes(user)
	}
	c.Themes = user
	if e := (*Error)(nil); errors.As(err, &e) {
		e.File = path
	}
	return c, true, err
}

// maxSize bounds the file, in bytes.
const maxSize = 1 << 20

// Error says what is wrong with a file.
type Error struct {
	File    string
	Line    int    // from 1; 0 is the whole file
	Key     string // noise.rules[0].kind; "" is the whole file
	Message string
	Hint    string // what to do; may be ""
}

// Error is one line.
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s += fmt.Sprintf(" line %d", e.Line)
	}
	if e.Key != "" {
		s += ": " + e.Key
	}
	s = strings.TrimPrefix(s+": "+e.Message, ": ")
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return strings.TrimSpace(s)
}

// Parse reads the text of a file. The error is an *[Error] without File.
func Parse(text []byte) (Config, error) {
	c := Default()
	root, err := document(text)
	if err != nil || root == nil {
		return c, err
	}
	if err := c.read(root); err != nil {
		return Default(), err
	}
	c.Set = settings(root, "")
	return c, nil
}

// document is what the one document of a file holds, nil if that is nothing.
func document(text []byte) (*yaml.Node, error) {
	if len(text) > maxSize {
		return nil, &Error{Message: "the file has more than 1 MiB"}
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var root, more yaml.Node
	if err := d.Decode(&root); err != nil {
		if len(bytes.TrimSpace(text)) == 0 || err.Error() == "EOF" {
			return nil, nil
		}
		return nil, syntax(err)
	}
	if err := d.Decode(&more); err == nil {
		return nil, &Error{Line: more.Line, Message: "a second document begins here", Hint: "take out the line ---"}
	} else if err.Error() != "EOF" {
		return nil, syntax(err)
	}
	if null(root.Content[0]) {
		return nil, nil
	}
	return root.Content[0], nil
}

// syntax is a mistake in the YAML itself: "yaml: line 3: …".
func syntax(err error) *Error {
	e := &Error{Message: "no YAML: " + strings.TrimPrefix(err.Error(), "yaml: "), Hint: "an example: rewatch config example"}
	if _, scanErr := fmt.Sscanf(err.Error(), "yaml: line %d: ", &e.Line); scanErr == nil {
		_, e.Message, _ = strings.Cut(strings.TrimPrefix(err.Error(), "yaml: "), ": ")
		e.Message = "no YAML: " + e.Message
	}
	return e
}

func (c *Config) read(n *yaml.Node) error {
	return members(n, "", map[string]func(*yaml.Node, string) error{
		"theme": c.readTheme,
		"ascii": func(n *yaml.Node, key string) error {
			return word(n, key, &c.ASCII, func(s string) error {
				if !slices.Contains(ASCII(), s) {
					return errors.New("it must be one of " + strings.Join(ASCII(), ", "))
				}
				return nil
			})
		},
		"memory": func(n *yaml.Node, key string) error {
			var text string
			return word(n, key, &text, func(s string) (err error) { c.Memory, err = ParseMemory(s); return err })
		},
		"timeZone": func(n *yaml.Node, key string) error {
			return word(n, key, &c.TimeZone, func(s string) error {
				if _, err := time.LoadLocation(s); err != nil && s != "local" {
					return errors.New("it must be local, UTC or a name such as Europe/Berlin that this system knows")
				}
				return nil
			})
		},
		"columns": c.readColumns,
		"time":    c.readTimes,
		"types": func(n *yaml.Node, key string) error {
			return words(n, key, &c.Types, func(s string) error {
				_, err := resolve.Parse([]string{s})
				return err
			})
		},
		"noise": c.readNoise,
		"keys":  c.readKeys,
	})
}

func (c *Config) readNoise(n *yaml.Node, key string) error {
	var off []string
	var rules []noise.Rule
	var names []string
	for _, r := range noise.Default() {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	err := members(n, key, map[string]func(*yaml.Node, string) error{
		"off": func(n *yaml.Node, key string) error {
			return words(n, key, &off, func(s string) error {
				if !slices.Contains(names, s) {
					return errors.New("no rule that comes with rewatch is called so; they are " + strings.Join(names, ", "))
				}
				return nil
			})
		},
		"rules": func(n *yaml.Node, key string) error {
			return items(n, key, func(n *yaml.Node, key string) error {
				r, err := readRule(n, key)
				rules = append(rules, r)
				return err
			})
		},
	})
	c.Own = len(rules)
	c.Noise = append(slices.DeleteFunc(noise.Default(), func(r noise.Rule) bool { return slices.Contains(off, r.Name) }), rules...)
	return err
}

func readRule(n *yaml.Node, key string) (r noise.Rule, err error) {
	into := func(s *string) func(*yaml.Node, string) error {
		return func(n *yaml.Node, key string) error { return word(n, key, s, nil) }
	}
	err = members(n, key, map[string]func(*yaml.Node, string) error{
		"name": into(&r.Name), "kind": into(&r.Kind), "namespace": into(&r.Namespace), "object": into(&r.Object),
		"paths": func(n *yaml.Node, key string) error { return words(n, key, &r.Paths, nil) },
		"deleted": func(n *yaml.Node, key string) error {
			var text string
			return word(n, key, &text, func(s string) (err error) {
				if r.Deleted, err = time.ParseDuration(s); err != nil || r.Deleted <= 0 {
					return errors.New("it must be an age such as 50m or 1h")
				}
				return nil
			})
		},
	})
	if err != nil {
		return r, err
	}
	if _, err := noise.Compile([]noise.Rule{r}); err != nil {
		return r, &Error{Line: n.Line, Key: key, Message: err.Error(), Hint: "an example: rewatch config example"}
	}
	if len(r.Paths) == 0 && r.Deleted == 0 {
		return r, &Error{Line: n.Line, Key: key, Message: "it says neither which paths nor which deletions are noise", Hint: "give it paths, or deleted"}
	}
	return r, nil
}
