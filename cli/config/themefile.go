package config

import (
	"fmt"
	"strings"

	"rewatch/themes"
)

// ThemeFile is a file that says all that a theme has, to begin another with.
func ThemeFile(p themes.Palette) string {
	var b strings.Builder
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(&b, format+"\n", args...) }
	quoted := func(list []themes.Colour) string {
		all := make([]string, len(list))
		for i, c := range list {
			all[i] = fmt.Sprintf("%q", string(c))
		}
		return strings.Join(all, ", ")
	}
	line("# A theme of rewatch: NAME.yaml in the folder themes beside config.yaml is the")
	line("# theme NAME. What is left out is that of the theme that it inherits.")
	line("inherits: %s", p.Name)
	line("about: %q", p.About)
	background := "dark"
	if p.Light {
		background = "light"
	}
	line("background: %s", background)
	if len(p.Grounds) > 0 {
		line("# Backgrounds that the terminal may have; contrast is checked on all of them.")
		line("grounds: [%s]", quoted(p.Grounds))
	}
	roles := func(r themes.Roles, indent string) {
		for _, role := range r.ByName() {
			if *role.Colour != "" {
				line("%s%-9s %q", indent, role.Name+":", string(*role.Colour))
			}
		}
	}
	roles(p.Roles, "")
	line("# For terminals of sixteen colours.")
	line("few:")
	roles(p.Few, "  ")
	return b.String()
}
