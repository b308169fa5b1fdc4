package themes

// User is what the files of a user come to.
type User struct {
	Palettes []Palette
	// Refused are themes that cannot be used, by name, and why, in a line.
	Refused map[string]error
}
