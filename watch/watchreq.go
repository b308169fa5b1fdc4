package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// watchOptions are what every watch asks for: bookmarks, and an end that comes
// at another time for each.
func (s *stream) watchOptions() *metav1.ListOptions {
	t := &s.e.o.Timings
	seconds := int64((t.WatchMin + s.jitter(t.WatchMax-t.WatchMin)) / time.Second)
	seconds = max(seconds, 1)
	return &metav1.ListOptions{Watch: true, AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
}

// watchList streams the whole state and then the changes.
func (s *stream) watchList(ctx context.Context) verdict {
	opts := s.watchOptions()
	yes := true
	opts.SendInitialEvents = &yes
	opts.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	f, err := s.open(ctx, reqWatchList, opts)
	defer s.end(f)
	if err != nil {
		return s.judge(f, err)
	}
	s.inv.begin()
	s.compare()
	f.syncing.Store(true)
	s.arriving()
	return s.follow(f)
}

// watchFrom follows the changes after the resume position; without one (an API
// that has none) the server begins with the whole state.
func (s *stream) watchFrom(ctx context.Context) verdict {
	opts := s.watchOptions()
	opts.ResourceVersion = s.resume()
	f, err := s.open(ctx, reqWatch, opts)
	defer s.end(f)
	if err != nil {
		return s.judge(f, err)
	}
	return s.follow(f)
}

// follow reads the frames of a watch to its end.
func (s *stream) follow(f *flight) verdict {
	frames := jsonscan.NewFrameReader(f.body, s.e.o.MaxFrame)
	for {
		s.pace()
		frame, err := frames.Next()
		var large *jsonscan.TooLargeError
		if errors.As(err, &large) {
			s.sign(f)
			s.frameTooLarge(large)
			continue
		}
		if err != nil {
			return s.ended(f, err, frames.Buffered())
		}
		typ, object, err := jsonscan.SplitFrame(frame)
		if err != nil {
			s.lost(f)
			s.pass(frame)
			return s.judge(f, &jsonscan.SyntaxError{Excerpt: string(frame[:min(len(frame), 200)])})
		}
		if typ == "ERROR" {
			s.pass(frame)
			return s.erred(f, object)
		}
		s.sign(f)
		s.frame = frame
		switch typ {
		case "ADDED", "MODIFIED", "DELETED":
			s.object(f, typ, object, len(frame))
		case "BOOKMARK":
			s.bookmark(f, object, len(frame))
		default:
			s.pass(frame)
			s.note(model.CauseUnknownType, "unknown event type "+quote(typ)+excerpt(string(frame[:min(len(frame), 120)]), s.secret))
		}
		s.frame = nil
		if s.e.o.afterFrame != nil {
			s.e.o.afterFrame()
		}
	}
}

func (s *stream) pace() {
	if s.e.o.Pace != nil {
		s.e.o.Pace()
	}
}

// pass hands a frame that makes no row to who records.
func (s *stream) pass(frame []byte) {
	s.e.log.Pass(model.Record{Time: time.Now(), Stream: s.id, Frame: frame})
}

// object takes a frame that carries an object.
func (s *stream) object(f *flight, typ string, raw []byte, size int) {
	m, err := jsonscan.Identity(raw)
	if err != nil || m.Name == "" && m.UID == "" {
		s.unread(jsonscan.Meta{})
		s.pass(s.frame)
		s.missed(model.CauseGarbage, "", typ+" frame without a readable object"+excerpt(string(raw[:min(len(raw), 80)]), s.secret))
		return
	}
	if f.syncing.Load() && typ == "ADDED" {
		// The initial events come in no order of resourceVersion: the
		// position is not moved before their end mark.
		f.sawInitial()
		s.upsert(s.cmp, m, raw, size, true)
		return
	}
	s.change(typ, m, raw, size)
	if !f.syncing.Load() {
		s.advance(m.ResourceVersion)
	}
}

// change takes a change that the server reports as such.
func (s *stream) change(typ string, m jsonscan.Meta, raw []byte, size int) {
	e := s.inv.find(m)
	t, flags := model.Modified, model.Flag(0)
	switch typ {
	case "ADDED":
		t = model.Added
	case "DELETED":
		t = model.Deleted
	}
	switch {
	case e == nil:
		e = s.inv.add(m)
	case t != model.Deleted && s.same(e, m, raw):
		flags = model.Replayed
	}
	e.seen = s.inv.generation
	s.put(e, m, raw, size, t, flags)
	if t == model.Deleted {
		s.inv.remove(e)
	}
}

// bookmark takes a heartbeat; the one that ends the initial events ends the sync.
func (s *stream) bookmark(f *flight, raw []byte, size int) {
	m, err := jsonscan.Identity(raw)
	if err != nil {
		s.pass(s.frame)
		s.note(model.CauseGarbage, "BOOKMARK frame without a readable object")
		return
	}
	rv := strings.Clone(m.ResourceVersion)
	s.e.log.Append(model.Record{Time: time.Now(), Stream: s.id, Type: model.Bookmark, Raw: raw, Frame: s.frame, Bytes: size,
		Identity: model.Identity{Context: s.t.Context, APIVersion: s.apiVersion, Kind: s.t.Kind}, RV: rv})
	switch {
	case f.syncing.Load() && m.InitialEventsEnd:
		s.synced(rv)
		f.syncing.Store(false)
		s.mu.Lock()
		s.settleLocked(f)
		s.mu.Unlock()
	case !f.syncing.Load():
		s.advance(rv)
	}
}

// advance moves the resume position.
func (s *stream) advance(rv string) {
	if !resumable(rv) || s.opaque {
		return
	}
	s.stuck, s.lagging, s.empties = 0, 0, 0
	if s.resume() != rv {
		s.setRV(strings.Clone(rv))
	}
}

// frameTooLarge skips a frame: the change of one object was missed, which is a
// gap, though the position moves on with the next frame.
func (s *stream) frameTooLarge(e *jsonscan.TooLargeError) {
	typ, m := frameHead(e.Head)
	text := fmt.Sprintf("a frame of %d bytes is over the limit of %d and was skipped: %s %s", e.Size, e.Max, typ, label(m))
	s.missed(model.CauseFrameTooLarge, strings.Clone(m.ResourceVersion), text)
	if known := s.unread(m); known != nil && typ == "DELETED" {
		s.bury(&comparison{}, known)
	}
}

// missed publishes that the change in one frame was not understood. The
// position moves past it, so that is a gap.
func (s *stream) missed(cause model.Cause, rv, text string) {
	s.note(cause, text)
	s.e.log.Append(model.Record{Time: time.Now(), Stream: s.id, Type: model.GapFound, Detail: model.Gap{
		FromRV: s.resume(), ToRV: rv, Since: time.Now(), Cause: cause, Text: text}})
}

// frameHead reads what the beginning of a frame says about it.
func frameHead(head []byte) (typ string, m jsonscan.Meta) {
	text := string(head)
	_, after, ok := strings.Cut(text, `"type":"`)
	if !ok {
		return "", m
	}
	typ, after, _ = strings.Cut(after, `"`)
	if typ != "ADDED" && typ != "MODIFIED" && typ != "DELETED" {
		typ = "" // some other "type" of the content, which is not for quoting
	}
	if _, object, ok := strings.Cut(after, `"object":`); ok {
		m, _ = jsonscan.Identity([]byte(object))
	}
	return typ, m
}
