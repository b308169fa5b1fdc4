package config

import (
	"fmt"
	"os"
	"strings"

	"rewatch/themes"
)

// ThemeFiles watches the themes of a directory.
type ThemeFiles struct {
	dir  string
	seen string // what Changed last saw
}

// NewThemeFiles watches from now on.
func NewThemeFiles(dir string) *ThemeFiles {
	f := &ThemeFiles{dir: dir}
	f.seen = f.look()
	return f
}

// Changed returns the themes if the files are not those that it last saw, by
// their names, sizes and times. It is not to be called twice at a time.
func (f *ThemeFiles) Changed() (themes.User, bool) {
	now := f.look()
	if now == f.seen {
		return themes.User{}, false
	}
	f.seen = now
	return f.Themes(), true
}

// Themes are those of the files. What is said of a file names it without the
// directory: it has to fit into a line of the screen.
func (f *ThemeFiles) Themes() themes.User { return UserThemes(os.DirFS(f.dir), "") }

func (f *ThemeFiles) look() string {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, e := range entries {
		// Not of a link, but of what it leads to.
		if info, err := os.Stat(f.dir + string(os.PathSeparator) + e.Name()); err == nil {
			_, _ = fmt.Fprintf(&b, "%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String()
}
