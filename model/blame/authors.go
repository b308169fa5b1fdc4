package blame

import "rewatch/model/diff"

// Author is one who made changes of a version.
type Author struct {
	Name   string
	Likely bool // of none of the changes it is sure
}

// Authors names who made the changes of a comparison, in the order of what they
// changed; owners are those of [Changes]. Where nobody owns what has changed,
// those who wrote at the time are likely.
func Authors(r diff.Result, owners []Owner) (out []Author) {
	place := map[string]int{}
	for _, o := range owners {
		if !o.Known() {
			continue
		}
		i, ok := place[o.Manager]
		if !ok {
			i = len(out)
			place[o.Manager] = i
			out = append(out, Author{o.Manager, true})
		}
		out[i].Likely = out[i].Likely && o.Likely
	}
	if len(out) == 0 {
		for _, m := range r.Managers {
			out = append(out, Author{m, len(r.Changes) > 0})
		}
	}
	return out
}
