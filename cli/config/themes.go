package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rewatch/model/near"
	"rewatch/themes"
)

// ThemesDir is where the themes of a user are, beside the configuration file at
// path.
func ThemesDir(path string) string { return filepath.Join(filepath.Dir(path), "themes") }

// UserThemes reads the themes of a directory, a file each. What is wrong with
// one, an *[Error], refuses that one, and those that inherit from it, and no
// other. dir is the name of the directory in what is said of it; one that does
// not exist has none.
func UserThemes(fsys fs.FS, dir string) themes.User {
	u := themes.User{Refused: map[string]error{}}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.Refused["themes"] = err
	}
	drafts := map[string]*draft{}
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if e.IsDir() || ext != ".yaml" && ext != ".yml" || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		d := &draft{name: strings.TrimSuffix(e.Name(), ext), file: filepath.Join(dir, e.Name())}
		text, err := fs.ReadFile(fsys, e.Name())
		if err != nil {
			d.err = err
		} else {
			d.read(text)
		}
		key := d.name
		switch {
		case drafts[key] != nil || taken(key): // those stay as they are
			key = e.Name()
			d.err = &Error{Message: "there is a theme of this name already", Hint: "give the file another name"}
		case !themeName.MatchString(key):
			d.err = &Error{Message: "the name of the file is no name for a theme", Hint: "take a-z, 0-9 and -"}
		}
		drafts[key] = d
	}
	for _, key := range sortedKeys(drafts) {
		d := drafts[key]
		d.complete(drafts)
		if d.err != nil {
			u.Refused[key] = d.err
			continue
		}
		u.Palettes = append(u.Palettes, d.palette)
	}
	return u
}

// ASCII are the words for ascii.
func ASCII() []string { return []string{"auto", "on", "off"} }

// readTheme reads the name of a theme, or those that auto takes.
func (c *Config) readTheme(n *yaml.Node, key string) error {
	if n.Kind != yaml.MappingNode {
		return word(n, key, &c.Theme, nil)
	}
	return members(n, key, map[string]func(*yaml.Node, string) error{
		"dark":  func(n *yaml.Node, key string) error { return word(n, key, &c.Dark, nil) },
		"light": func(n *yaml.Node, key string) error { return word(n, key, &c.Light, nil) },
	})
}

// checkThemes reports whether there are the themes that the file names. One that
// is refused is there: the screen says why it does without.
func (c *Config) checkThemes(user themes.User) error {
	known := append(builtinNames(), "none")
	for _, p := range user.Palettes {
		known = append(known, p.Name)
	}
	for _, s := range c.Set {
		if s.Key != "theme" && !strings.HasPrefix(s.Key, "theme.") || slices.Contains(known, s.Value) || user.Refused[s.Value] != nil || s.Key == "theme" && s.Value == "auto" {
			continue
		}
		hint := "see: rewatch themes"
		if meant := near.Names(s.Value, known, 1); len(meant) > 0 {
			hint = "did you mean " + meant[0] + "?"
		}
		return &Error{Line: s.Line, Key: s.Key, Message: fmt.Sprintf("there is no theme %q", s.Value), Hint: hint}
	}
	return nil
}

// themeName is what a theme may be called: it is typed on command lines.
var themeName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func taken(name string) bool {
	_, builtin := themes.Find(themes.Builtin(), name)
	return builtin || name == "auto"
}

// draft is a theme while it is read.
type draft struct {
	name, file string
	inherits   string
	contrast   float64 // the least that it wants
	set        []func(*themes.Palette)
	lines      map[string]int // of keys: "bad", "few.bad", "inherits"
	palette    themes.Palette
	visiting   bool // its ancestors are being looked for
	done       bool
	err        error
}

// read takes in the text of a file.
func (d *draft) read(text []byte) {
	d.inherits, d.contrast, d.lines = "dark", themes.LeastContrast, map[string]int{}
	root, err := document(text)
	if err == nil && root != nil {
		err = d.readRoot(root)
	}
	d.err = err
}

func (d *draft) readRoot(n *yaml.Node) error {
	known := d.roles("", func(p *themes.Palette) *themes.Roles { return &p.Roles })
	known["few"] = func(n *yaml.Node, key string) error {
		return d.members(n, key, d.roles("few.", func(p *themes.Palette) *themes.Roles { return &p.Few }))
	}
	known["inherits"] = func(n *yaml.Node, key string) error { return word(n, key, &d.inherits, nil) }
	known["about"] = func(n *yaml.Node, key string) error {
		var about string
		err := word(n, key, &about, nil)
		d.set = append(d.set, func(p *themes.Palette) { p.About = about })
		return err
	}
	known["background"] = func(n *yaml.Node, key string) error {
		var s string
		err := word(n, key, &s, func(s string) error {
			if s != "dark" && s != "light" {
				return errors.New("it must be dark or light")
			}
			return nil
		})
		d.set = append(d.set, func(p *themes.Palette) { p.Light = s == "light" })
		return err
	}
	known["grounds"] = d.readGrounds
	known["contrast"] = func(n *yaml.Node, key string) error {
		var s string
		return word(n, key, &s, func(s string) (err error) {
			if d.contrast, err = strconv.ParseFloat(s, 64); err != nil || !(d.contrast >= 1 && d.contrast <= 21) {
				return errors.New("it must be a number from 1 to 21; 4.5 is the default")
			}
			return nil
		})
	}
	return d.members(n, "", known)
}

// members are those of a mapping, with their lines. A key without a value is a
// mistake here: mostly a colour without quotes, which YAML takes for a comment.
func (d *draft) members(n *yaml.Node, at string, known map[string]func(*yaml.Node, string) error) error {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		key := strings.TrimPrefix(at+"."+k.Value, ".")
		d.lines[key] = k.Line
		if _, ok := known[k.Value]; ok && null(v) {
			return mistake(k, key, `a colour needs quotes: "#d3d8e2"`, "it has no value")
		}
	}
	return members(n, at, known)
}

// roles read the colours of a theme, or those for terminals of sixteen.
func (d *draft) roles(prefix string, of func(*themes.Palette) *themes.Roles) map[string]func(*yaml.Node, string) error {
	known := map[string]func(*yaml.Node, string) error{}
	for i, r := range (&themes.Roles{}).ByName() {
		known[r.Name] = func(n *yaml.Node, key string) error {
			var s string
			err := word(n, key, &s, func(s string) error { return checkColour(s, r.Ground, prefix == "few.") })
			d.set = append(d.set, func(p *themes.Palette) { *of(p).ByName()[i].Colour = themes.Colour(strings.ToLower(s)) })
			return err
		}
	}
	return known
}

func (d *draft) readGrounds(n *yaml.Node, key string) error {
	var list []string
	err := words(n, key, &list, func(s string) error {
		if !strings.HasPrefix(s, "#") || !themes.Colour(s).Valid(false) {
			return errors.New(`it must be a colour as "#16181d"`)
		}
		return nil
	})
	if err == nil && len(list) == 0 {
		return mistake(n, key, "", "it must name a background at least")
	}
	d.set = append(d.set, func(p *themes.Palette) {
		p.Grounds = nil
		for _, s := range list {
			p.Grounds = append(p.Grounds, themes.Colour(strings.ToLower(s)))
		}
	})
	return err
}

// checkColour checks a colour as it is written.
func checkColour(s string, ground, few bool) error {
	rgb := strings.HasPrefix(s, "#")
	if themes.Colour(strings.ToLower(s)).Valid(ground) && !(few && rgb) {
		return nil
	}
	var others []string
	for _, n := range themes.Names() {
		others = append(others, string(n))
	}
	want := `a colour as "#d3d8e2", red, bright-red or own`
	if few {
		want = "one of black, red, green, yellow, blue, magenta, cyan, white, with bright- before it or not, or own"
	}
	if ground {
		want += ", or reverse"
	}
	if meant := near.Names(s, others, 1); len(meant) > 0 && !rgb {
		want += "; did you mean " + meant[0] + "?"
	}
	return errors.New("it must be " + want)
}

// complete makes the palette, those that it inherits from first.
func (d *draft) complete(all map[string]*draft) {
	if d.done {
		return
	}
	d.done = true
	if d.err == nil {
		d.visiting = true
		d.err = d.inherit(all)
		d.visiting = false
	}
	if e := (*Error)(nil); errors.As(d.err, &e) && e.File == "" {
		e.File = d.file
	}
}

func (d *draft) inherit(all map[string]*draft) error {
	says := func(hint, format string, args ...any) error {
		return &Error{Line: d.lines["inherits"], Key: "inherits", Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	parent, ok := themes.Find(themes.Builtin(), d.inherits)
	if p := all[d.inherits]; !ok && p != nil {
		if p.visiting {
			return says("begin with one that comes with rewatch", "the themes inherit from each other in a circle")
		}
		if p.complete(all); p.err != nil {
			return says("", "%s is refused itself: %v", d.inherits, p.err)
		}
		parent, ok = p.palette, true
	}
	if !ok {
		hint := ""
		if meant := near.Names(d.inherits, append(builtinNames(), sortedKeys(all)...), 1); len(meant) > 0 {
			hint = "did you mean " + meant[0] + "?"
		}
		return says(hint, "there is no theme %q", d.inherits)
	}
	d.palette = parent
	d.palette.Name, d.palette.About = d.name, "yours, from "+parent.Name
	d.palette.Grounds = slices.Clone(parent.Grounds)
	for _, set := range d.set {
		set(&d.palette)
	}
	return d.readable()
}

// readable checks the contrast.
func (d *draft) readable() error {
	w := d.palette.Worst()
	if w.Contrast >= d.contrast {
		return nil
	}
	e := &Error{Key: w.Role, Line: d.lines[w.Role]}
	for _, key := range []string{w.Ground, "background", "inherits"} {
		if e.Line == 0 {
			e.Line = d.lines[key]
		}
	}
	least := float64(int(w.Contrast*10)) / 10
	e.Message = fmt.Sprintf("on %s it has a contrast of %.1f in %s, and %.4g is the least", w.Ground, least, w.Where, d.contrast)
	e.Hint = fmt.Sprintf("set them further apart, or have it so with contrast: %.1f", least)
	return e
}

func builtinNames() []string {
	var names []string
	for _, p := range themes.Builtin() {
		names = append(names, p.Name)
	}
	return names
}

func sortedKeys(all map[string]*draft) []string {
	var keys []string
	for k := range all {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
