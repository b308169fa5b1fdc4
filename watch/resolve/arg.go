// Package resolve turns what the user typed (pods, deploy.apps, widgets/blue,
// all) into the watches to open: it asks the server's discovery which types
// there are, and by SelfSubjectAccessReview what this user may list and watch.
//
// Nothing is left out silently: whatever was asked for, or belongs to the
// default set, and is not among the targets, is named in a note.
package resolve

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
)

// Arg is one TYPE[.VERSION][.GROUP][/NAME] of the command line.
type Arg struct {
	Type string // lower case, with the version and group as typed
	Name string // "" is all objects of the type
}

// String is the argument as it would be typed.
func (a Arg) String() string {
	if a.Name == "" {
		return a.Type
	}
	return a.Type + "/" + a.Name
}

// Parse reads the arguments; each may hold several, separated by commas.
// Repetitions are dropped. It contacts nobody.
func Parse(args []string) ([]Arg, error) {
	var out []Arg
	for _, arg := range args {
		for word := range strings.SplitSeq(arg, ",") {
			a, err := parseOne(word)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out, nil
}

func parseOne(word string) (Arg, error) {
	typ, name, named := strings.Cut(word, "/")
	// "pods.v1." is kubectl's way to say "the core group".
	typ = strings.TrimSuffix(strings.ToLower(typ), ".")
	switch {
	case typ == "" || strings.HasPrefix(typ, "."):
		return Arg{}, fmt.Errorf("%q names no type", word)
	case named && name == "":
		return Arg{}, fmt.Errorf("%q has no name after the slash", word)
	}
	if msgs := content.IsPathSegmentName(name); named && len(msgs) > 0 {
		return Arg{}, fmt.Errorf("%q is no object name: it %s", name, msgs[0])
	}
	return Arg{Type: typ, Name: name}, nil
}
