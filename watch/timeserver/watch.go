package timeserver

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/watch"
)

// batch is how many changes a watch takes from the store at once, at most.
const batch = 128

// errEnd ends a watch in order: the last chunk is sent.
var errEnd = errors.New("end of the watch")

// watching is one watch being served.
type watching struct {
	s   *Server
	x   *exchange
	t   *shelf
	o   internalversion.ListOptions
	sel selection
	out *frames

	start    int64 // bookmarks are sent only above this resourceVersion
	position int64 // all changes up to this seq were sent
	future   int64 // changes up to this resourceVersion, which the store had not reached, are not wanted
	deadline time.Time
	bookmark time.Time // when the next one is due; zero for never
	behind   time.Time // since when the reader is too slow; zero when it is not
}

func (s *Server) watch(x *exchange, t *shelf, form *representation) error {
	o, err := s.listOptions(x)
	if err != nil {
		return err
	}
	sel, err := newSelection(x.req.namespace, o, func() selectable { return s.selectable(t.Resource) })
	if err != nil {
		return err
	}
	rv, err := parseRV(o.ResourceVersion)
	if err != nil {
		return err
	}
	w := &watching{s: s, x: x, t: t, o: o, sel: sel, start: rv, out: newFrames(x, form)}
	initial := o.SendInitialEvents != nil && *o.SendInitialEvents
	var expired error
	switch {
	case initial:
		if err := s.waitFor(x, rv); err != nil {
			return err
		}
	case rv == 0: // sendInitialEvents=false at "" or "0": from now on.
		w.start, w.position = s.store.latest(t)
	default:
		seq, oldest, tooEarly := s.store.position(t, rv)
		if w.position = seq; tooEarly {
			expired = tooOld(rv, oldest)
		}
		if now, _ := s.store.movement(); rv > now {
			w.future = rv
		}
	}
	if expired != nil && s.o.ExpiredStatus {
		return expired
	}
	w.deadline = time.Now().Add(w.lifetime())
	w.schedule(time.Now())
	w.x.w.Header().Set("Content-Type", "application/json")
	w.x.w.WriteHeader(http.StatusOK)
	if err := w.out.flush(); err != nil {
		return nil
	}
	// A HTTP status can no longer be given: errors go into the stream or end it.
	if err := w.run(initial, expired); err != nil && !errors.Is(err, errEnd) && x.r.Context().Err() == nil {
		if api := apierrors.APIStatus(nil); errors.As(err, &api) {
			_ = w.out.status(err)
		}
	}
	return nil
}

func tooOld(rv, oldest int64) error {
	return apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", rv, oldest))
}

func (w *watching) lifetime() time.Duration {
	switch {
	case w.o.TimeoutSeconds != nil && *w.o.TimeoutSeconds > 0:
		return time.Duration(*w.o.TimeoutSeconds) * time.Second
	case w.s.o.WatchTimeout > 0:
		return w.s.o.WatchTimeout
	}
	return 30*time.Minute + rand.N(30*time.Minute)
}

func (w *watching) run(initial bool, expired error) error {
	if err := w.out.begin(); err != nil {
		return err
	}
	if expired != nil {
		return expired
	}
	if initial {
		if err := w.initial(); err != nil {
			return err
		}
	}
	for {
		f := w.s.store.since(w.t, w.position, min(batch, w.s.o.WatchBuffer))
		if f.lost {
			return errEnd // it was served until now: only the next request can be told
		}
		for _, c := range f.changes {
			if c.rv > w.future {
				if err := w.send(c); err != nil {
					return err
				}
			}
			w.position = c.seq
		}
		if err := w.out.flush(); err != nil {
			return err
		}
		switch {
		case w.tooSlow(f.behind):
			return errEnd
		case f.behind > 0:
			continue
		case f.removed:
			return errEnd
		}
		if err := w.wait(f); err != nil {
			return err
		}
	}
}

// initial sends the present objects as ADDED and, to those who take
// bookmarks, the one that marks their end.
func (w *watching) initial() error {
	objects, rv, seq := w.s.store.snapshot(w.t)
	for _, o := range objects {
		if w.sel.matches(o) {
			if err := w.out.frame(watch.Added, o.raw); err != nil {
				return err
			}
		}
	}
	w.position, w.start = seq, rv
	if w.o.AllowWatchBookmarks {
		if err := w.out.bookmark(w.t.Resource, rv, true); err != nil {
			return err
		}
	}
	return w.out.flush()
}

// send writes one change as the selection sees it: what leaves it is DELETED,
// with the last state that was in it, and what enters it is ADDED.
func (w *watching) send(c change) error {
	was, is := w.sel.matches(c.old), w.sel.matches(c.now)
	switch {
	case was && is:
		return w.out.frame(watch.Modified, c.now.raw)
	case is:
		return w.out.frame(watch.Added, c.now.raw)
	case was && c.last != nil:
		return w.out.frame(watch.Deleted, c.last.raw)
	case was:
		return w.out.frame(watch.Deleted, c.old.at(c.rv).raw)
	}
	return nil
}

// tooSlow reports whether the reader has been too far behind for too long.
func (w *watching) tooSlow(behind int) bool {
	if behind <= w.s.o.WatchBuffer {
		w.behind = time.Time{}
		return false
	}
	if w.behind.IsZero() {
		w.behind = time.Now()
	}
	return time.Since(w.behind) > w.s.o.SlowGrace
}

// schedule sets when the next bookmark is due: each BookmarkEvery, and about
// once a second in the last two seconds before the deadline.
func (w *watching) schedule(now time.Time) {
	if !w.o.AllowWatchBookmarks || w.t.Uncached {
		return
	}
	w.bookmark = now.Add(w.s.o.BookmarkEvery)
	last := w.deadline.Add(-2 * time.Second)
	if !now.Before(last) {
		last = now.Add(time.Second)
	}
	if last.Before(w.bookmark) {
		w.bookmark = last
	}
}

// wait blocks until there is something to do, and sends the bookmark that
// came due meanwhile.
func (w *watching) wait(f feed) error {
	now := time.Now()
	next := w.deadline
	if !w.bookmark.IsZero() && w.bookmark.Before(next) {
		next = w.bookmark
	}
	timer := time.NewTimer(next.Sub(now))
	defer timer.Stop()
	select {
	case <-f.moved:
		return nil
	case <-w.x.r.Context().Done():
		return context.Cause(w.x.r.Context())
	case <-w.out.due():
		return w.out.expire()
	case <-timer.C:
	}
	now = time.Now()
	if !now.Before(w.deadline) {
		return errEnd
	}
	w.schedule(now)
	return w.heartbeat()
}

func (w *watching) heartbeat() error {
	// Everything up to f.rv was sent if nothing is left after the position.
	f := w.s.store.since(w.t, w.position, 0)
	if f.lost || f.behind > 0 || f.rv < w.start || f.rv == w.start && !w.s.o.Still {
		return nil
	}
	if err := w.out.bookmark(w.t.Resource, f.rv, false); err != nil {
		return err
	}
	return w.out.flush()
}
