package ui

import "slices"

// handKeys take something along from the screen, and leave something out of it.
func handKeys() []binding {
	return slices.Concat(copyKeys())
}
