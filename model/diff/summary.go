package diff

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"rewatch/model/jsonscan"
)

// Summary says in one line what an operator should know of the step from old
// to new: of a creation or deletion what the object is, of a change what
// changed, the most telling first. Not sanitised; escapes are decoded. max is
// a hint, in bytes: what does not fit is counted ("+3 more").
func Summary(kind string, old, new []byte, max int) string {
	if old == nil || new == nil {
		return Describe(kind, Result{}, old, new, max)
	}
	return Describe(kind, Objects(old, new), old, new, max)
}

// Describe is Summary for a caller that has compared the versions already.
func Describe(kind string, r Result, old, new []byte, max int) string {
	switch {
	case old == nil && new == nil:
		return ""
	case old == nil && str(new, "metadata", "deletionTimestamp") != "":
		return cut(join(describe(kind, new), "terminating"), max)
	case old == nil:
		return cut(describe(kind, new), max)
	case new == nil:
		return cut(describe(kind, old), max)
	case kind == "Event":
		return cut(describe(kind, new), max)
	case len(r.Changes) > 0:
		return changed(r, max)
	case bytes.Equal(old, new):
		return "(no change)"
	case bytes.Equal(jsonscan.Get(old, "metadata", "managedFields"), jsonscan.Get(new, "metadata", "managedFields")):
		return "(no change besides resourceVersion)"
	}
	return "(no change besides managedFields)"
}

// At most so many changes are told; longer lines are not read.
const maxTold = 3

// A line holds values of up to so many bytes each.
const maxValue = 48

// changed tells the most telling changes. What comes with every change, such as
// a new generation, is told and counted only where there is nothing else.
func changed(r Result, max int) string {
	facts := condense(r.Changes)
	var b strings.Builder
	told := 0
	for rank := 0; rank <= lastRank && (rank < lastRank || told == 0); rank++ {
		for i := range facts {
			f := &facts[i]
			if f.rank != rank || told >= maxTold {
				continue
			}
			text := f.text()
			if told > 0 && max > 0 && b.Len()+2+len(text) > max {
				told = maxTold
				continue
			}
			if told > 0 {
				b.WriteString(", ")
			}
			b.WriteString(text)
			f.told = true
			told++
		}
	}
	more := 0
	for _, f := range facts {
		if !f.told && f.rank < lastRank {
			more++
		}
	}
	if more > 0 {
		b.WriteString(" +" + strconv.Itoa(more))
		if r.Cut {
			b.WriteString(" or")
		}
		b.WriteString(" more")
	}
	return b.String()
}

// fact is a change, or several that are told as one.
type fact struct {
	Change
	rank  int
	words string // what to say, if not path, old and new
	told  bool
}

func (f fact) text() string {
	if f.words != "" {
		return f.words
	}
	path := shortPath(f.Path)
	switch f.Op {
	case Add:
		return "+" + path + " " + short(f.New)
	case Remove:
		return "-" + path + " " + short(f.Old)
	}
	if s, ok := inside(f.Change); ok {
		return path + ": " + s
	}
	if s, ok := changedLine(f.Old, f.New); ok {
		return path + " " + s
	}
	step := path + " " + short(f.Old) + "→" + short(f.New)
	if words := Words(f.Change); words != "" {
		step += " (" + words + ")"
	}
	return step
}

// condense ranks the changes, and lets one of a group speak for the others: the
// status of a condition for its reason and times, the new state of a container
// for the one it left.
func condense(changes []Change) []fact {
	facts := make([]fact, 0, len(changes))
	speakers := map[string]int{} // group to fact
	for _, c := range changes {
		f := fact{Change: c, rank: rankOf(c), words: wordsOf(c)}
		group := f.speak()
		if group != "" {
			speakers[group] = len(facts)
		}
		facts = append(facts, f)
	}
	if len(speakers) == 0 {
		return facts
	}
	kept := facts[:0]
	index := map[string]int{}
	for i, f := range facts {
		group := groupOf(f.Path)
		if s, ok := speakers[group]; ok && s != i {
			if strings.HasSuffix(f.Path, ".reason") && f.New != "" {
				index[group+" reason"] = i
			}
			continue
		}
		kept = append(kept, f)
	}
	return withReasons(kept, changes, index)
}

// wordsOf is what to say of a change that people do not call by its path.
func wordsOf(c Change) string {
	on := c.Op != Remove && c.New == "true"
	switch {
	case c.Op == Add && c.Path == "metadata.deletionTimestamp":
		return "terminating"
	case c.Op == Add && c.Path == "spec.nodeName":
		return "scheduled to " + short(c.New)
	case c.Path == "status.reason" && c.New != "":
		return short(c.New)
	case c.Path == "spec.unschedulable":
		return choose(on, "cordoned", "uncordoned")
	case c.Path == "spec.suspend":
		return choose(on, "suspended", "resumed")
	case c.Path == "spec.paused":
		return choose(on, "paused", "resumed")
	case c.Op == Add && strings.HasSuffix(c.Path, "onditions"):
		return telling([]byte(c.New))
	}
	return imageWords(c)
}

func choose(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

// withReasons puts the new reason of a condition behind its new status.
func withReasons(facts []fact, changes []Change, index map[string]int) []fact {
	for i := range facts {
		f := &facts[i]
		if at, ok := index[groupOf(f.Path)+" reason"]; ok {
			if reason := short(changes[at].New); f.words == "" {
				f.words = f.text() + " (" + reason + ")"
			}
		}
	}
	return facts
}

// groupOf is the path of the condition or of the container state that a change
// belongs to, "" for others.
func groupOf(path string) string {
	if i := strings.LastIndex(path, "onditions[type="); i >= 0 {
		if end := strings.IndexByte(path[i:], ']'); end >= 0 {
			return path[:i+end+1]
		}
	}
	if i := strings.Index(path, "tatuses[name="); i >= 0 {
		if end := strings.Index(path[i:], "].state"); end >= 0 {
			return path[:i+end+len("].state")]
		}
	}
	return ""
}

// speak reports the group that f speaks for, and sets its words where the path
// is not how people say it.
func (f *fact) speak() string {
	group := groupOf(f.Path)
	switch {
	case group == "":
		return ""
	case strings.HasSuffix(group, "].state"):
		if f.Op == Remove {
			return ""
		}
		f.words = stateWords(f.Path[len(group):], group, f.New)
		if f.words == "" {
			return ""
		}
		return group
	case f.Path == group && f.Op == Add:
		f.words = labelOf(group) + " " + orDash(str([]byte(f.New), "status"))
		return group
	case f.Path == group+".status":
		return group
	}
	return ""
}

// stateWords says what a container's new state is: "app waiting
// CrashLoopBackOff".
func stateWords(rest, group, value string) string {
	state := strings.TrimPrefix(rest, ".")
	raw := []byte(value)
	switch state {
	case "": // there was none before
		for _, s := range []string{"running", "waiting", "terminated"} {
			if v := jsonscan.Find(raw, s); v != nil {
				return stateWords("."+s, group, string(v))
			}
		}
		return ""
	case "running", "waiting", "terminated":
	default:
		return ""
	}
	words := labelOf(strings.TrimSuffix(group, ".state")) + " " + state
	if reason := str(raw, "reason"); reason != "" {
		words += " " + reason
	}
	if code := str(raw, "exitCode"); code != "" && code != "0" {
		words += " (exit " + code + ")"
	}
	return words
}

// labelOf is the value of the last label of a path: Ready of
// status.conditions[type=Ready].
func labelOf(path string) string {
	path = strings.TrimSuffix(path, "]")
	return strings.Trim(path[strings.LastIndexByte(path, '=')+1:], `"`)
}

// lastRank is that of changes which come with every other change.
const lastRank = 5

// rankOf orders changes by how much they tell, 0 first.
func rankOf(c Change) int {
	path := c.Path
	last := path[strings.LastIndexAny(path, ".]")+1:]
	switch {
	case path == "metadata.deletionTimestamp":
		return 0
	case path == "metadata.generation", last == "observedGeneration", last == "time", path == "metadata.deletionGracePeriodSeconds",
		strings.HasSuffix(last, "Time"), strings.HasSuffix(last, "imestamp"), strings.Contains(path, "last-change-trigger-time"):
		return lastRank
	case path == "status.phase", path == "status.reason", path == "spec.replicas", path == "spec.nodeName",
		path == "spec.unschedulable", path == "spec.suspend", path == "spec.paused", last == "image",
		strings.HasPrefix(path, "data"), strings.HasPrefix(path, "stringData"), strings.HasPrefix(path, "spec.taints"):
		return 1
	case strings.Contains(path, "onditions"):
		return conditionRank(path, last)
	case strings.Contains(path, "tatuses[") && (strings.Contains(path, "].state") || last == "restartCount"):
		return 1
	case strings.HasPrefix(path, "spec"), strings.Contains(path, "eplicas"), strings.Contains(path, "tatuses["), strings.HasPrefix(path, "endpoints"):
		return 2
	case strings.HasPrefix(path, "metadata.annotations"), strings.Contains(path, "uncounted"):
		return lastRank - 1
	}
	return 3
}

func conditionRank(path, last string) int {
	switch {
	case strings.HasSuffix(path, "onditions"):
		return 2
	case last != "status" && last != "": // the path of a whole condition ends with "]"
		return 3
	case strings.Contains(path, "[type=Ready]"), strings.Contains(path, "[type=Failed]"), strings.Contains(path, "[type=Complete]"):
		return 1
	}
	return 2
}

// shortPath is a path as it stands in a line: without what goes without
// saying.
func shortPath(path string) string {
	if group := groupOf(path); strings.Contains(group, "onditions[") {
		return labelOf(group) + strings.TrimSuffix(path[len(group):], ".status")
	}
	for _, p := range []string{"spec.template.spec.", "status.containerStatuses", "spec.containers", "metadata.labels", "metadata.annotations"} {
		if strings.HasPrefix(path, p) {
			path = path[strings.LastIndexByte(p, '.')+1:]
			break
		}
	}
	if s, ok := resourcePath(path); ok {
		return s
	}
	if strings.HasSuffix(path, ".current.averageUtilization") {
		return "utilization"
	}
	return strings.NewReplacer("[name=", "[", "[targetRef.name=", "[", ".http.paths[", ".paths[", ".backend.service.name", ".service").Replace(path)
}

// resourcePath is the path of an amount of a container, or of a claim, as people
// say it: app memory limit.
func resourcePath(path string) (string, bool) {
	if what, ok := strings.CutPrefix(path, "spec.resources.requests."); ok {
		return what + " request", true
	}
	for part, word := range map[string]string{"].resources.limits.": " limit", "].resources.requests.": " request"} {
		if i := strings.Index(path, part); i > 0 && strings.Contains(path[:i], "ontainers[name=") {
			return labelOf(path[:i+1]) + " " + path[i+len(part):] + word, true
		}
	}
	return "", false
}

// short is a value as it stands in a line.
func short(raw string) string {
	switch {
	case raw == "":
		return "—"
	case raw[0] == '"':
		s, err := jsonscan.Unquote([]byte(raw))
		if err == nil && s == "" {
			return `""`
		} else if err == nil {
			return cut(s, maxValue)
		}
	case raw[0] == '{' || raw[0] == '[':
		if s := compact(raw); s != "" {
			return s
		}
	}
	return cut(raw, maxValue)
}

// cut shortens s to about max bytes, at the boundary of a character.
func cut(s string, max int) string {
	if max <= 0 || len(s) <= max {
		return s
	}
	end := max
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

// str is the text of the scalar at a path, "" if there is none.
func str(object []byte, path ...string) string {
	v := jsonscan.Get(object, path...)
	switch {
	case len(v) == 0, v[0] == '{', v[0] == '[', v[0] == 'n':
		return ""
	case v[0] == '"':
		return text(v)
	}
	return string(v)
}
