package ui

import (
	"encoding/json"
	"strings"

	"rewatch/model"
	"rewatch/model/diff"
)

// objectKey names one version of one object.
type objectKey struct {
	id      model.ObjectID
	version uint32
	view    int // which of views
}

// objectData is all that the object pane shows of one version. It takes two
// versions, a comparison and a printing, so it is made outside of the event
// loop.
type objectData struct {
	key            objectKey
	identity       model.Identity
	oldest, newest uint32 // versions held
	event          model.Event
	hasEvent       bool
	missing        string // why there is nothing to show, or ""
	summary        string
	result         diff.Result
	by             string  // who made the change, ? behind who is likely
	unread         int     // rows of the log whose meaning is not known yet
	lives          bool    // see view
	look           showing // how it is to be shown
	build          func(w int) []docLine
}

// yamlLimit bounds the text of an object; the largest that a server stores
// (1.5 MB) stays below it by far unless it was made to annoy.
const yamlLimit = 20_000

// read reads a version of an object.
func (r *reading) read(k objectKey) *objectData {
	d := &objectData{key: k, identity: r.log.Identity(k.id), lives: views()[k.view].lives}
	r.data = d
	d.oldest, d.newest = r.log.Versions(k.id)
	if seq, ok := r.log.VersionSeq(k.id, k.version); ok {
		if s := r.log.Snapshot(); seq >= s.First() && seq < s.End() {
			d.event, d.hasEvent = s.At(seq), true
		}
	}
	e := d.event
	if !d.hasEvent {
		e = model.Event{Object: k.id, Version: k.version, Type: model.Modified}
	}
	var ok bool
	if r.change, ok = readChange(r.log, e); !ok {
		d.missing = "version " + count(int(k.version)) + " has left the log"
		return d
	}
	if e.Type == model.Deleted || r.before == nil {
		if d.event.Type == model.Modified {
			e.Type = model.Added // all that can be said of it
		}
		d.summary = r.summary(e)
	}
	d.result, d.by = r.result, r.by(e)
	d.unread = r.u.unread()
	d.build = views()[k.view].read(r)
	return d
}

// value makes the JSON text of a value readable: strings lose their quotes,
// objects and lists are written as YAML writes them in one line.
func value(js string) string {
	var s string
	switch {
	case strings.HasPrefix(js, `"`) && json.Unmarshal([]byte(js), &s) == nil:
		if s == "" {
			return `""`
		}
		return s
	case strings.HasPrefix(js, "{"), strings.HasPrefix(js, "["):
		return flow(js)
	}
	return js
}
