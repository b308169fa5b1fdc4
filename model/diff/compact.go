package diff

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rewatch/model/jsonscan"
)

// maxCompact is how many bytes an object or a list may take in a line.
const maxCompact = 60

// compact is an object or a list as it stands in a line: "key=value" pairs, or
// elements, with what is nested only hinted at.
func compact(raw string) string {
	parts, whole := compactParts([]byte(raw))
	var b strings.Builder
	for i, p := range parts {
		if i > 0 && b.Len()+1+len(p) > maxCompact {
			whole = false
			break
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(cut(p, maxCompact))
	}
	if !whole {
		b.WriteString(" …")
	}
	return b.String()
}

// maxParts is how many parts of an object or a list are looked at: no more have
// room.
const maxParts = maxCompact / 2

func compactParts(raw []byte) (parts []string, whole bool) {
	if raw[0] == '[' {
		elements, _ := jsonscan.AppendElements(nil, raw)
		for _, e := range elements[:min(len(elements), maxParts)] {
			parts = append(parts, element(e.Of(raw)))
		}
		return parts, len(elements) <= maxParts
	}
	members, _ := jsonscan.AppendMembers(nil, raw)
	for _, m := range members[:min(len(members), maxParts)] {
		parts = append(parts, m.Key+"="+nested(m.Of(raw)))
	}
	return parts, len(members) <= maxParts
}

// element is one element of a list: by what people call it, if that is known.
func element(e []byte) string {
	if len(e) == 0 || e[0] != '{' {
		return nested(e)
	}
	if effect := str(e, "effect"); effect != "" { // a taint, as kubectl takes it
		key := str(e, "key")
		if v := str(e, "value"); v != "" {
			key += "=" + v
		}
		return key + ":" + effect
	}
	for _, k := range []string{"name", "type", "key", "ip"} {
		if v := str(e, k); v != "" {
			return v
		}
	}
	parts, whole := compactParts(e)
	s := strings.Join(parts, ",")
	if !whole {
		s += ",…"
	}
	return "{" + s + "}"
}

// nested is a value inside of another one.
func nested(v []byte) string {
	switch {
	case len(v) == 0:
		return "—"
	case v[0] == '{' && len(v) > 2:
		return "{…}"
	case v[0] == '[' && len(v) > 2:
		return "[…]"
	}
	return short(string(v))
}

// telling says of new conditions the two that tell most: whether the object is
// ready, then what does not hold.
func telling(conditions []byte) string {
	type condition struct {
		rank int
		text string
	}
	var all []condition
	each(conditions, func(e []byte) {
		typ, status := str(e, "type"), str(e, "status")
		c := condition{2, typ + " " + orDash(status)}
		switch {
		case typ == "Ready", typ == "Failed", typ == "Complete", typ == "Available":
			c.rank = 0
		case status != "True":
			c.rank = 1
		}
		all = append(all, c)
	})
	slices.SortStableFunc(all, func(a, b condition) int { return cmp.Compare(a.rank, b.rank) })
	var words []string
	for _, c := range all[:min(len(all), 2)] {
		words = append(words, c.text)
	}
	if len(all) > len(words) {
		words = append(words, "…")
	}
	return strings.Join(words, " ")
}

// maxText is the size, in bytes, up to which texts are compared by line for a
// summary; of longer ones the first line that differs is told.
const maxText = 16 << 10

// changedLine says of a text of several lines which line changed, the first of
// them, and how many others. ok is false for other values.
func changedLine(old, new string) (s string, ok bool) {
	if !strings.HasPrefix(old, `"`) || !strings.HasPrefix(new, `"`) || !strings.Contains(old, `\n`) && !strings.Contains(new, `\n`) {
		return "", false
	}
	a, errA := jsonscan.Unquote([]byte(old))
	b, errB := jsonscan.Unquote([]byte(new))
	if errA != nil || errB != nil || !strings.Contains(a, "\n") && !strings.Contains(b, "\n") {
		return "", false
	}
	var removed, added []string
	more := ""
	if len(a)+len(b) > maxText {
		a, b = endLine(a), endLine(b)
		head, tail := commonEnds(a, b)
		removed, added = firstLines(a[head:len(a)-tail], 1), firstLines(b[head:len(b)-tail], 1)
		more = " …"
	} else {
		removed, added, more = firstOfLines(TextDiff(a, b))
	}
	switch {
	case len(removed) == 0 && len(added) == 0:
		return "", false // the newline at the end
	case len(removed) == 0:
		return "+" + cut(strings.TrimSpace(added[0]), maxValue) + more, true
	case len(added) == 0:
		return "-" + cut(strings.TrimSpace(removed[0]), maxValue) + more, true
	}
	return lineStep(strings.TrimSpace(removed[0]), strings.TrimSpace(added[0])) + more, true
}

// firstOfLines returns the first line that was replaced, and counts the others.
func firstOfLines(lines Lines) (removed, added []string, more string) {
	var n [Replace + 1]int
	over := false // the first run of changes
	for _, c := range lines.Changes {
		n[c.Op]++
		switch {
		case c.Op == Same:
			over = over || len(removed)+len(added) > 0
		case over:
		case c.Op == Remove:
			removed = append(removed, c.Text)
		case c.Op == Add:
			added = append(added, c.Text)
		}
	}
	rest := max(n[Remove], n[Add]) - 1
	if len(removed) == 0 || len(added) == 0 { // the first stands for itself only
		rest = max(n[Remove]-min(len(removed), 1), n[Add]-min(len(added), 1))
	}
	switch {
	case lines.Cut:
		more = " …"
	case rest == 1:
		more = " +1 more line"
	case rest > 1:
		more = " +" + strconv.Itoa(rest) + " more lines"
	}
	return removed, added, more
}

// lineStep writes "port: 8080→9090" of two lines: what they begin with alike,
// up to a separator, stands there once.
func lineStep(old, new string) string {
	n := 0
	for i := 0; i < min(len(old), len(new)) && old[i] == new[i]; i++ {
		if strings.IndexByte(" :=,\t", old[i]) >= 0 {
			n = i + 1
		}
	}
	lead := old[:n]
	if len(lead) > maxValue/2 {
		lead = "…" + strings.ToValidUTF8(lead[len(lead)-maxValue/2:], "")
	}
	return lead + orDash(cut(old[n:], maxValue)) + "→" + orDash(cut(new[n:], maxValue))
}
