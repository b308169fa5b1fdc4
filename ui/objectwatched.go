package ui

import (
	"rewatch/model"
)

// learn asks the log what is true of the object now, whatever version is shown:
// its newest version, and whether anybody follows it still.
func (p *objectPane) learn(log *model.Log, all *overall) {
	p.unwatched = ""
	if p.want.id == 0 || p.hasRow {
		return
	}
	_, p.latest = log.Versions(p.want.id)
	if s, left := log.Left(p.want.id); left && int(s) < len(all.streams) {
		p.unwatched = "not watched since " + all.streams[s].Onset().In(p.loc).Format("15:04:05")
	}
}
