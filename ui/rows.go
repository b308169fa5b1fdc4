package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/themes"
)

// rowInfo is what a row says about the change itself. It takes two versions of
// the object and a comparison, so it is worked out outside of the event loop,
// and only for rows that are shown.
type rowInfo struct {
	summary, manager string
	server           time.Time // when the server says that it was; zero where it does not
}

// infosMsg answers a request for row infos.
type infosMsg struct {
	request int
	infos   map[model.Seq]rowInfo
}

// summaryBytes bounds the text of a row; no terminal shows more.
const summaryBytes = 300

// loadInfos works out the infos of some rows.
func loadInfos(ctx context.Context, log *model.Log, know *understanding, request int, rows []model.Event) tea.Cmd {
	return func() tea.Msg {
		m := infosMsg{request: request, infos: make(map[model.Seq]rowInfo, len(rows))}
		for _, e := range rows {
			if ctx.Err() != nil {
				return nil
			}
			m.infos[e.Seq] = loadInfo(log, know, e)
		}
		return m
	}
}

func loadInfo(log *model.Log, know *understanding, e model.Event) rowInfo {
	c, ok := readChange(log, e)
	if !ok {
		return rowInfo{summary: "this version has left the log"}
	}
	know.rule(e, &c)
	return rowInfo{summary: c.summary(e), manager: c.by(e), server: serverTime(c.id, e, c.before, c.raw)}
}

// shortKinds are for narrow screens, where seven cells must do.
var shortKinds = map[string]string{
	"Deployment": "Deploy", "ReplicaSet": "ReplSet", "StatefulSet": "StatSet", "DaemonSet": "DaemSet",
	"EndpointSlice": "EpSlice", "ConfigMap": "ConfMap", "ServiceAccount": "SvcAcct", "Namespace": "Namesp",
	"PersistentVolumeClaim": "PVC", "PersistentVolume": "PV", "HorizontalPodAutoscaler": "HPA",
	"PodDisruptionBudget": "PDB", "NetworkPolicy": "NetPol", "CustomResourceDefinition": "CRD",
	"ReplicationController": "RC", "ControllerRevision": "CtrlRev", "RoleBinding": "RoleBnd",
}

func kindName(kind string, w int) string {
	if s, ok := shortKinds[kind]; ok && len(kind) > w {
		return s
	}
	return kind
}

// row draws one row.
func (t *timeline) row(e model.Event, f *fold, info rowInfo, k rowKey) string {
	var base themes.Style
	if k.selected == 2 {
		base = t.st.Selected
	}
	l := newLine(base)
	l.signs = t.signs
	switch k.selected {
	case 0:
		l.glyphs("", " ", 1)
	case 1:
		l.glyphs(t.st.Dim, "▏", 1)
	default:
		l.glyphs(t.st.Title, "▌", 1)
	}
	if e.Type == model.GapFound {
		t.gapRow(l, e)
		return l.end(t.cols.w)
	}
	switch {
	case e.Type.IsObject() && f != nil:
		t.foldRow(l, e, f)
	case e.Type.IsObject():
		t.objectRow(l, e, info, k)
	default:
		t.streamRow(l, e, f)
	}
	return l.end(t.cols.w)
}

// glyph returns the sign of a row of an object.
func glyph(st *themes.Styles, e model.Event) (themes.Style, string) {
	switch {
	case e.Has(model.Synthetic):
		return st.Odd, "±"
	case e.Flags&(model.Initial|model.Replayed) != 0:
		return st.Dim, "="
	case e.Type == model.Added:
		return st.Good, "+"
	case e.Type == model.Deleted:
		return st.Bad, "-"
	}
	return st.Info, "~"
}

func (t *timeline) objectRow(l *line, e model.Event, info rowInfo, k rowKey) {
	c, id := t.cols, t.named(e, k)
	who := info.manager
	if e.Has(model.Synthetic) {
		who = "(relist)"
	}
	for i, x := range c.order[:c.n] {
		to := l.w + c.width[x]
		if x == colChange && who == "" && slices.Equal(c.order[i+1:c.n], []column{colManager}) {
			to, i = c.w, c.n // as of Events: more room for what they say
		}
		t.objectCell(l, x, to, e, id, info, who, k)
		if i >= c.n-1 {
			return
		}
		l.pad(min(to+x.gap(), c.w))
	}
}

// objectCell draws a column of a row of an object, up to a cell of the line.
func (t *timeline) objectCell(l *line, x column, to int, e model.Event, id model.Identity, info rowInfo, who string, k rowKey) {
	st, w := t.st, to-l.w
	sign, g := glyph(st, e)
	kind, name, text := st.Text, st.Strong, st.Text
	switch g {
	case "=":
		kind, name, text = st.Dim, st.Dim, st.Dim
	case "-":
		text = st.Dim
	}
	if k.left {
		kind, name, text = st.Dim, st.Dim, st.Dim
	}
	switch x {
	case colTime:
		l.cell(st.Dim, t.timeText(e, info, k.info, w), w)
	case colSign:
		l.glyphs(sign, g, 1)
	case colContext:
		l.cell(st.Dim, id.Context, w)
	case colKind:
		l.cell(kind, kindName(id.Kind, w), w)
	case colNamespace:
		l.cell(st.Dim, id.Namespace, w)
	case colName:
		if id.Namespace != "" && id.Namespace != t.all.namespace && t.cols.width[colNamespace] == 0 {
			l.upTo(st.Dim, id.Namespace+"/", w/2)
		}
		shown := middle(shownName(id), to-l.w)
		if l.signs != nil { // there is room for all of it
			shown = shownName(id)
		}
		l.upTo(name, shown, to-l.w)
	case colChange:
		if k.left {
			l.upTo(st.Dim, unfollowedText(w), w)
		}
		if mark := markWord(k); mark != "" {
			l.upTo(st.WarnBold, mark+" ", to-l.w)
		}
		l.cell(text, prefix(e)+info.summary, to-l.w)
	case colManager:
		l.right(st.Dim, who, w)
	case colVersion:
		l.right(st.Dim, "v"+strconv.FormatUint(uint64(e.Version), 10), w)
	case colRV:
		if e.RV != 0 {
			l.right(st.Dim, strconv.FormatUint(e.RV, 10), w)
		}
	case colStream:
		l.cell(st.Dim, t.all.name(t.all.stream(e.Stream)), w)
	}
}

// markWord says of what a row is a part that goes to and fro.
func markWord(k rowKey) string {
	switch {
	case k.mark&ofFight != 0:
		return "FIGHT"
	case k.mark&ofLoop != 0:
		return "LOOP"
	case k.mark&ofFlap != 0:
		return "FLAP"
	}
	return ""
}

// shownName is the name of an object, of an Event without the number behind
// it: what is left is the name of the object that it is about.
func shownName(id model.Identity) string {
	if id.Kind == "Event" {
		if i := strings.LastIndexByte(id.Name, '.'); i > 0 {
			return id.Name[:i]
		}
	}
	return id.Name
}

// came says in a word how a row came about; plain is whether its sign and what
// follows say as much.
func came(e model.Event) (word string, plain bool) {
	switch {
	case e.Has(model.Synthetic) && e.Type == model.Added:
		return "found", false
	case e.Has(model.Synthetic) && e.Type == model.Deleted:
		return "missing", false
	case e.Has(model.Replayed):
		return "sent again", false
	case e.Has(model.Initial):
		return "initial", true
	case e.Has(model.Recreated):
		return "recreated", false
	case e.Has(model.Selection) && e.Type == model.Added:
		return "created or selected", false
	case e.Has(model.Selection) && e.Type == model.Deleted:
		return "deleted or unselected", false
	}
	return map[model.Type]string{model.Added: "created", model.Modified: "modified", model.Deleted: "deleted"}[e.Type], true
}

// prefix says in words what the sign of a row does not.
func prefix(e model.Event) string {
	if word, plain := came(e); !plain {
		return word + ": "
	}
	return ""
}

// lead draws what rows that are not of an object have in columns.
func (t *timeline) lead(l *line, e model.Event, st themes.Style, sign, context string) {
	for _, x := range t.cols.order[:t.cols.n] {
		w := t.cols.width[x]
		switch x {
		case colTime:
			l.cell(t.st.Dim, t.timeText(e, rowInfo{}, true, w), w)
		case colSign:
			l.glyphs(st, sign, 1)
		case colContext:
			l.cell(t.st.Dim, context, w)
		default:
			continue
		}
		l.glyphs("", " ", 1)
	}
}

func (t *timeline) foldRow(l *line, e model.Event, f *fold) {
	s := t.all.stream(e.Stream)
	t.lead(l, e, t.st.Dim, "=", s.Context)
	what := "object"
	if t.index.filter != nil {
		what = "matching object"
	}
	text := "initial list of " + t.all.name(s) + ": " + plural(f.count, what)
	l.upTo(t.st.Dim, text+" (a shows them)", t.cols.w-l.w)
}

// streamRow draws a step of a stream's state, a note or a heartbeat.
func (t *timeline) streamRow(l *line, e model.Event, f *fold) {
	s := t.all.stream(e.Stream)
	name := t.all.name(s)
	mark, text, style := "»", "", t.st.Dim
	switch d := e.Detail.(type) {
	case model.Transition:
		text = t.transitionText(d, e.When(), f)
		if f != nil && len(f.streams) > 1 {
			name = plural(len(f.streams), "stream")
		}
		if d.To.Degraded() {
			style = t.st.Warn
		}
	case model.Note:
		mark, text, style = "i", d.Text, t.st.Info
		if d.Cause == model.CauseMark {
			mark, text, style = glyphMark, "mark "+d.Text, t.st.Accent
		}
		if d.Cause == causeDamage {
			style = t.st.WarnBold
		}
		if ofCluster(d) {
			name = ""
		}
	default:
		mark, text = "♥", "heartbeat"
	}
	t.lead(l, e, style, mark, s.Context)
	if name != "" {
		l.cell(style, name, min(max(t.cols.width[colKind]+1+t.cols.width[colName]/2, 16), t.cols.w-l.w))
		l.glyphs("", " ", 1)
	}
	l.upTo(style, text, t.cols.w-l.w)
}

// What a tape says of itself.
const (
	causeDamage model.Cause = "tape-damaged"  // of a Note: a part of it cannot be read
	causeLost   model.Cause = "recorder-lost" // of a Gap: the recorder could not keep up
)

// ofCluster reports whether a note is about what a cluster has and lets its
// user do. The log has it of one of the cluster's streams all the same: the
// name of that one would be taken for what the note is about.
func ofCluster(n model.Note) bool {
	switch n.Cause {
	case model.CauseMark, causeDamage, model.CauseNone, model.CauseForbidden, model.CauseNetwork, model.CauseNotFound, model.CauseServerError:
		return true
	}
	return false
}

func (t *timeline) transitionText(d model.Transition, at time.Time, f *fold) string {
	if d.Bare() {
		return d.Request.Verb + " request: " + d.Request.Text
	}
	s := d.From.String() + " → " + d.To.String()
	if d.Text != "" {
		s += "  " + d.Text
	}
	switch {
	case f != nil && f.tries > 1:
		s += " · " + count(f.tries) + " tries, last " + f.when.In(t.loc).Format("15:04:05")
	case !d.Until.IsZero() && d.Until.Sub(at) < 50*time.Millisecond:
		s += ", next at once"
	case !d.Until.IsZero():
		s += ", next in " + seconds(d.Until.Sub(at))
	}
	return s
}

// gapRow draws a gap across the whole timeline: nothing of a row is more
// important than that something may be missing.
func (t *timeline) gapRow(l *line, e model.Event) {
	g, _ := e.Detail.(model.Gap)
	s := t.all.stream(e.Stream)
	text := "gap: " + t.all.name(s)
	if t.cols.width[colContext] > 0 {
		text += " of " + s.Context
	}
	text += " rv " + g.FromRV + "…" + g.ToRV
	// What it was comes last: a narrow screen leaves it out first.
	if g.Cause == causeLost {
		text += ", " + g.Text
	} else {
		text += relisted(g)
	}
	l.glyphs(t.st.Warn, "══ ", 3)
	at := t.timeText(e, rowInfo{}, true, t.how.mode.width(narrowTimeline-1))
	l.cell(t.st.Dim, at, len(at))
	l.glyphs("", " ", 1)
	l.upTo(t.st.WarnBold, text, t.cols.w-l.w-2)
	l.glyphs("", " ", 1)
	l.fill(t.st.Warn, "═", t.cols.w)
}

// relisted says what a list found after a gap.
func relisted(g model.Gap) string {
	text := ", " + seconds(g.Took) + ", relist found +" + count(g.Added) + " ~" + count(g.Modified) + " -" + count(g.Deleted)
	switch g.Cause {
	case "":
	case model.CauseUser:
		text += ", nobody watched"
	default:
		text += ", " + strings.ReplaceAll(string(g.Cause), "-", " ")
	}
	return text
}
