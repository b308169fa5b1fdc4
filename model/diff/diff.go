// Package diff tells what changed between two versions of an object, from
// their JSON bytes.
package diff

// Op is what happened at a path.
type Op uint8

const (
	Add Op = iota + 1
	Remove
	Replace
)

// Change is one changed path.
type Change struct {
	// Path as people write it: spec.template.spec.containers[name=app].image,
	// metadata.labels["app.kubernetes.io/name"], spec.args[2].
	Path     string
	Op       Op
	Old, New string // JSON text of the values, "" where there is none; whole subtrees as one value
}

// Result is what one comparison found.
type Result struct {
	Changes []Change
	// Managers names the field managers whose managedFields entries are new
	// or have a new time: who likely made the change. Empty is unknown.
	Managers []string
	// Cut is set when the list was cut short because of a bound.
	Cut bool
}

// Objects compares two versions; a nil old or new is an object that did not
// exist. metadata.resourceVersion and managedFields are left out.
func Objects(old, new []byte) Result { return Result{} }

// Summary says in one line what an operator should know of the step from old
// to new: of a creation or deletion what the object is, of a change what
// changed. Not sanitised. max is a hint, in bytes.
func Summary(kind string, old, new []byte, max int) string { return "" }
