package ui

import (
	"strings"
	"time"

	"rewatch/model/lanes"
	"rewatch/themes"
)

// detail says in words what is under the cursor.
func (d *laneDrawer) detail(a *App) string {
	l := newLine(d.st.Bar)
	l.glyphs("", " ", 1)
	r, ok := d.p.selected()
	pic := d.p.pic
	if !ok || pic.row != d.p.row || pic.row >= len(pic.list.Rows) || !d.p.follow && pic.at != d.p.at {
		return l.end(d.total)
	}
	name := r.ID.Name
	if r.ID.Namespace != "" {
		name = r.ID.Namespace + "/" + name
	}
	k := pic.look
	phase, rest := d.words(r, k)
	_, n := safe(phase)
	l.text(d.st.Dim, r.ID.Kind+" ")
	l.upTo(d.st.Strong, middle(name, max(d.total/3, 12)), max(d.total-l.w-n-4, 8))
	l.glyphs("", "  ", 2)
	letter, _ := toneStyles(d.st, k.Phase.Tone())
	l.upTo(letter, phase, d.total-l.w-1)
	for _, s := range rest {
		if _, n := safe(s); l.w+n+3 <= d.total {
			l.text(d.st.Dim, " · "+s)
		}
	}
	return l.end(d.total)
}

// words says what an object is in, and the rest, the most important first.
func (d *laneDrawer) words(r lanes.Row, k lanes.Look) (phase string, rest []string) {
	if r.Object == 0 {
		return "not watched: known only as an owner", nil
	}
	phase = k.Phase.Word()
	switch {
	case k.Phase == lanes.Absent && k.Left:
		phase = "left the selection, or deleted"
	case k.Phase == lanes.Absent && k.Since > 0:
		phase = "deleted"
	case k.Phase == lanes.Absent && k.Cell.Unwatched:
		phase = "not known: nobody watched"
	case k.Phase == lanes.Absent:
		phase = "does not exist yet"
	case k.Phase == lanes.NotHeld:
		phase = "exists; this version has left the log"
	}
	if k.Detail != "" {
		phase += " " + k.Detail
	}
	switch {
	case k.Cell.Missed:
		rest = append(rest, "changes may be missing")
	case k.Cell.Unwatched && k.Phase != lanes.Absent:
		rest = append(rest, "nobody watched")
	}
	if len(k.All) > 1 {
		var all []string
		for _, p := range k.All {
			all = append(all, strings.ReplaceAll(p.Letter(), " ", glyphEnded))
		}
		rest = append(rest, "in this column "+strings.Join(all, " "))
	}
	if k.Since > 0 {
		t := time.Unix(0, k.Since).In(d.loc)
		since := "since " + t.Format("15:04:05.000")
		if k.Phase == lanes.Absent {
			since = "at " + t.Format("15:04:05.000")
		}
		if at := d.p.pic.at; at > k.Since {
			since += " (" + seconds(time.Duration(at-k.Since)) + ")"
		}
		rest = append(rest, since)
	}
	if k.Before > lanes.NotHeld && k.Before != k.Phase {
		rest = append(rest, "before "+k.Before.Word())
	}
	if n := k.Cell.Changes; n > 0 {
		rest = append(rest, plural(int(n), "change")+" here")
	}
	return phase, rest
}

// legend explains what stands on the screen, and nothing else.
func (d *laneDrawer) legend(lines int) (out []string) {
	l := newLine("")
	l.glyphs("", " ", 1)
	add := func(st themes.Style, sign, word string) {
		_, n := safe(sign + " " + word)
		switch {
		case l.w+n <= d.total:
		case len(out) < lines-1:
			out = append(out, l.end(d.total))
			l = newLine("")
			l.glyphs("", " ", 1)
		default:
			return
		}
		l.text(st, sign)
		l.text(d.st.Dim, " "+word)
		l.pad(min(l.w+2, d.total))
	}
	// What is missing comes first: where there is no room for all, it is seen.
	s := d.signs
	for _, x := range []struct {
		on         bool
		sign, word string
	}{{s.missed, glyphMissed, "gap"}, {s.unwatched, glyphUnwatched, "unwatched"}, {s.unheld, glyphUnheld, "not held"}, {s.ended, glyphEnded, "deleted"}} {
		if x.on {
			add(d.st.Text, x.sign, x.word)
		}
	}
	shared := map[string]bool{}
	for i, used := range d.used {
		if p := lanes.Phase(i); used && !shared[p.Letter()] {
			shared[p.Letter()] = true
			letter, _ := toneStyles(d.st, p.Tone())
			add(letter, p.Letter(), p.Short())
		}
	}
	if s.mixed {
		add(d.st.Text, "abc", "several")
	}
	var signs, many string
	for _, x := range []struct {
		on   bool
		sign string
	}{{s.tick, glyphTick}, {s.several, "2-9"}, {s.many, glyphMany}} {
		if x.on {
			signs += " " + x.sign
		}
	}
	if s.many {
		many = " (" + glyphMany + " 10+)"
	}
	if signs != "" {
		add(d.st.Text, signs[1:], "changes"+many)
	}
	for out = append(out, l.end(d.total)); len(out) < lines; {
		out = append(out, newLine("").end(d.total))
	}
	return out
}

// shortKind is the short name that kubectl has for a type, or its name in lower
// case.
func shortKind(kind string) string {
	switch kind {
	case "Pod":
		return "po"
	case "Deployment":
		return "deploy"
	case "ReplicaSet":
		return "rs"
	case "StatefulSet":
		return "sts"
	case "DaemonSet":
		return "ds"
	case "ReplicationController":
		return "rc"
	case "CronJob":
		return "cj"
	case "Node":
		return "no"
	case "Namespace":
		return "ns"
	case "Service":
		return "svc"
	case "ConfigMap":
		return "cm"
	case "ServiceAccount":
		return "sa"
	case "PersistentVolume":
		return "pv"
	case "PersistentVolumeClaim":
		return "pvc"
	case "Ingress":
		return "ing"
	case "HorizontalPodAutoscaler":
		return "hpa"
	case "PodDisruptionBudget":
		return "pdb"
	case "NetworkPolicy":
		return "netpol"
	}
	return strings.ToLower(kind)
}
