package timeserver

import (
	"encoding/json"
)

// A kube-apiserver serves each event under two groups, and clients want one or
// the other: k9s the newer, kubectl describe the older. Of a recording of one,
// the other is made from it.
const (
	coreEvents  = "events"
	newerEvents = "events.events.k8s.io"
)

// eventNames are what the fields of core events are called in events.k8s.io.
var eventNames = map[string]string{ // never changed
	"involvedObject": "regarding", "message": "note", "source": "deprecatedSource", "firstTimestamp": "deprecatedFirstTimestamp",
	"lastTimestamp": "deprecatedLastTimestamp", "count": "deprecatedCount", "reportingComponent": "reportingController",
}

// addMirror adds the group of events that was not recorded, if the other was.
func (p *Past) addMirror() {
	have, lack := coreEvents, Resource{Group: "events.k8s.io", Version: "v1", Resource: "events", Kind: "Event", Namespaced: true, Uncached: true,
		ShortNames: []string{"ev"}}
	if p.types[newerEvents] != nil {
		have = newerEvents
		lack, _ = Builtin(coreEvents)
	}
	if p.types[have] == nil || p.types[lack.Key()] != nil {
		return
	}
	p.store.AddResource(lack)
	p.mirrored, p.mirror = have, lack.Key()
}

// otherEvent is an event of one group as one of the other; nil for what is
// none.
func otherEvent(raw []byte, to string) []byte {
	var from map[string]json.RawMessage
	if json.Unmarshal(raw, &from) != nil {
		return nil
	}
	names, version := eventNames, `"events.k8s.io/v1"`
	if to == coreEvents {
		names, version = map[string]string{}, `"v1"`
		for core, newer := range eventNames {
			names[newer] = core
		}
	}
	out := map[string]json.RawMessage{}
	for k, v := range from {
		if n, ok := names[k]; ok {
			k = n
		}
		out[k] = v
	}
	out["apiVersion"] = json.RawMessage(version)
	return mustJSON(out)
}
