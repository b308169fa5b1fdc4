package ui

import (
	"rewatch/model"
	"rewatch/themes"
)

// historyRows is how many versions are told, the newest ones: each takes two
// versions and a comparison.
const historyRows = 500

// land puts the cursor on the version that is shown, once when its history is
// opened.
func (p *objectPane) land() {
	if !p.landing || p.data == nil || p.data.key != p.want || views()[p.view].name != "history" {
		return
	}
	p.landing = false
	for i, d := range p.doc {
		if d.kind == docEntry && d.marked {
			p.cursor = i
			p.top = max(i-p.rows()+1, 0)
			return
		}
	}
}

// readHistory is the view of all versions of an object that are held, the newest
// last: when it came, what changed, and who changed it. enter goes there.
func readHistory(r *reading) func(w int) []docLine {
	id := r.data.key.id
	oldest, newest := max(r.data.oldest, 1), r.data.newest
	var doc []docLine
	switch {
	case newest >= oldest+historyRows:
		doc = append(doc, docLine{kind: docText, a: "… " + plural(int(newest-oldest+1-historyRows), "older version") + " held and left out here; [ goes to them"})
		oldest = newest + 1 - historyRows
	case oldest > 1:
		doc = append(doc, docLine{kind: docText, a: "… " + plural(int(oldest-1), "older version") + " left the log"})
	}
	s := r.log.Snapshot()
	for v := oldest; v <= newest && newest > 0; v++ {
		if r.ctx.Err() != nil {
			break
		}
		d := docLine{kind: docEntry, b: "version " + count(int(v)), marked: v == r.data.key.version}
		if d.marked {
			d.b += " ◂"
		}
		e := model.Event{Object: id, Version: v, Type: model.Modified}
		if seq, ok := r.log.VersionSeq(id, v); ok && seq >= s.First() && seq < s.End() {
			e = s.At(seq)
			_, sign := glyph(&themes.Styles{}, e)
			d.a, d.b = e.When().In(r.loc).Format("15:04:05.000"), sign+" "+d.b
			d.to, d.seq = id, seq
		} else if v == newest {
			d.to, d.seq = id, noRow
		}
		c, ok := readChange(r.log, e)
		if !ok {
			d.c = "has left the log"
		} else {
			d.c, d.by = c.summary(e), c.by(e)
		}
		doc = append(doc, d)
	}
	return func(int) []docLine { return doc }
}
