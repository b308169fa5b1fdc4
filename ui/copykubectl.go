package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/clean"
)

func (a *App) copyKubectl() tea.Cmd {
	k, _ := a.subject()
	id := a.log.Identity(k.id)
	return a.copyText("kubectl command", kubectl(id, a.resourceOf(id)))
}

// resourceOf is how kubectl is told the type of an object: as the stream calls
// it that watches such, else by its kind.
func (a *App) resourceOf(id model.Identity) string {
	group, version, ok := strings.Cut(id.APIVersion, "/")
	if !ok {
		group, version = "", id.APIVersion
	}
	for _, s := range a.all.streams {
		if s.Kind == id.Kind && s.Group == group && s.Version == version && s.Resource != "" {
			return s.Name()
		}
	}
	if group == "" {
		return strings.ToLower(id.Kind)
	}
	return strings.ToLower(id.Kind) + "." + version + "." + group
}

// kubectl is the command that gets an object, for a POSIX shell. What the
// cluster calls things is not trusted: it passes the sanitiser, and is quoted.
func kubectl(id model.Identity, resource string) string {
	words := []string{"kubectl"}
	if id.Context != "" {
		words = append(words, "--context", shellWord(id.Context))
	}
	if id.Namespace != "" {
		words = append(words, "-n", shellWord(id.Namespace))
	}
	words = append(words, "get")
	if strings.HasPrefix(id.Name, "-") { // on its own it would be a flag
		words = append(words, shellWord(resource+"/"+id.Name))
	} else {
		words = append(words, shellWord(resource), shellWord(id.Name))
	}
	return strings.Join(append(words, "-o", "yaml"), " ")
}

// shellWord is a text as one word of a shell.
func shellWord(s string) string {
	s = clean.Line(s)
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@+:,./-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
