package ui

import (
	"bytes"
	"strconv"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// serverTime is when the server says that a row came to be, to the second; zero
// where it does not say. before is the version before, nil if there is none.
//
//   - of an Event: when it was last seen
//   - of a deletion: metadata.deletionTimestamp
//   - of a creation: metadata.creationTimestamp
//   - of a change: the newest time in managedFields, if its entry is new or not
//     what it was, or the change was received within that second: a write that
//     only removes fields leaves the old times, and says nothing. When deletion
//     has begun: when it was asked for.
//   - of an object that was there before: the newest time in managedFields
func serverTime(id model.Identity, e model.Event, before, raw []byte) time.Time {
	meta := jsonscan.Find(raw, "metadata")
	switch {
	case e.Type == model.Deleted:
		return timeAt(meta, "deletionTimestamp")
	case id.Kind == "Event":
		return lastSeen(raw)
	case e.Type == model.Added && e.Flags&(model.Initial|model.Replayed|model.Selection) == 0:
		return timeAt(meta, "creationTimestamp")
	case e.Type == model.Added:
		said, _ := newestWrite(jsonscan.Find(meta, "managedFields"), nil)
		return said
	case before == nil:
		return time.Time{}
	}
	was := jsonscan.Find(before, "metadata")
	said, fresh := newestWrite(jsonscan.Find(meta, "managedFields"), jsonscan.Find(was, "managedFields"))
	if !fresh && e.When().Sub(said) >= time.Second {
		said = time.Time{}
	}
	if until := timeAt(meta, "deletionTimestamp"); !until.IsZero() && jsonscan.Find(was, "deletionTimestamp") == nil {
		grace, _ := strconv.Atoi(string(jsonscan.Find(meta, "deletionGracePeriodSeconds"))) // none is 0
		if asked := until.Add(-time.Duration(grace) * time.Second); asked.After(said) {
			return asked
		}
	}
	return said
}

// timeAt reads a time; zero is none.
func timeAt(object []byte, path ...string) time.Time {
	s, err := jsonscan.Unquote(jsonscan.Get(object, path...))
	if err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t
}

// lastSeen is when an Event, of whichever version, was last seen.
func lastSeen(raw []byte) (newest time.Time) {
	for _, path := range [...][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"deprecatedLastTimestamp"}, {"eventTime"}} {
		if t := timeAt(raw, path...); t.After(newest) {
			newest = t
		}
	}
	return newest
}

// newestWrite is the newest time in managedFields, zero if there is none. It is
// fresh if an entry has it that was not there before, as it is.
func newestWrite(list, before []byte) (newest time.Time, fresh bool) {
	spans, err := jsonscan.AppendElements(nil, list)
	if err != nil {
		return newest, false
	}
	for _, s := range spans {
		entry := s.Of(list)
		t := timeAt(entry, "time")
		if t.IsZero() || t.Before(newest) {
			continue
		}
		isNew := !bytes.Contains(before, entry)
		fresh = isNew || fresh && t.Equal(newest)
		newest = t
	}
	return newest, fresh
}
