package ui

// does says which key does a thing, as "space goes on", also where the
// configuration has given it another; without a key the palette does it.
func (m *keymap) does(id, what string) string {
	if key := m.key(id); key != "" {
		return key + " " + what
	}
	return ":" + id + " " + what
}
