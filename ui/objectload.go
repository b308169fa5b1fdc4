package ui

import (
	"context"
	"encoding/json"
	"strings"

	tea "charm.land/bubbletea/v2"

	"rewatch/model"
	"rewatch/model/diff"
)

// objectKey names one version of one object.
type objectKey struct {
	id      model.ObjectID
	version uint32
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
	texts          map[int][]docLine // see textDiffs
	yaml           []string
}

// objectMsg answers a request for an object.
type objectMsg struct {
	request int
	data    *objectData
}

// yamlLimit bounds the text of an object; the largest that a server stores
// (1.5 MB) stays below it by far unless it was made to annoy.
const yamlLimit = 20_000

func loadObject(ctx context.Context, log *model.Log, request int, k objectKey) tea.Cmd {
	return func() tea.Msg {
		if ctx.Err() != nil {
			return nil
		}
		return objectMsg{request: request, data: readObject(log, k)}
	}
}

func readObject(log *model.Log, k objectKey) *objectData {
	d := &objectData{key: k, identity: log.Identity(k.id)}
	d.oldest, d.newest = log.Versions(k.id)
	if seq, ok := log.VersionSeq(k.id, k.version); ok {
		if s := log.Snapshot(); seq >= s.First() && seq < s.End() {
			d.event, d.hasEvent = s.At(seq), true
		}
	}
	raw, ok := log.Bytes(k.id, k.version)
	if !ok {
		d.missing = "version " + count(int(k.version)) + " has left the log"
		return d
	}
	before, _ := log.Bytes(k.id, k.version-1)
	switch {
	case d.hasEvent && d.event.Type == model.Deleted:
		d.summary = diff.Summary(d.identity.Kind, raw, nil, summaryBytes)
		if before != nil {
			d.result = diff.Objects(before, raw)
		}
	case before == nil:
		d.summary = diff.Summary(d.identity.Kind, nil, raw, summaryBytes)
	default:
		d.result = diff.Objects(before, raw)
	}
	d.texts = textDiffs(d.result.Changes)
	d.yaml = yamlLines(raw, yamlLimit)
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
