package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// handMsg answers something that took long, and knows what is to be done then.
type handMsg interface{ take(a *App) tea.Cmd }

// handKeys take something along from the screen, and leave something out of it.
func handKeys() []binding {
	return slices.Concat(copyKeys(), grantKeys(), externalKeys(), saveKeys(), findKeys(), hideKeys(), splitKeys(), againKeys())
}
