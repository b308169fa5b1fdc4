package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// pageRestarts is how often one sync starts again for an expired continue
// token before it backs off.
const pageRestarts = 2

// list reads the whole collection in pages and compares it with what is known.
// Items go to the log as they arrive. A list at resourceVersion "" is a
// consistent read: it can not be older than what was seen before.
func (s *stream) list(ctx context.Context) verdict {
	s.inv.begin()
	cmp := s.compare()
	next, restarts := "", 0
	for {
		meta, v := s.page(ctx, cmp, next)
		switch {
		case v.do == goOn && meta.Continue == "":
			s.listed(meta)
			return v
		case v.do == goOn && meta.Continue == next: // it would never end
			v.do, v.cause, v.text = retry, model.CauseGarbage, "the server continues the list with the page that it just gave"
			return v
		case v.do == goOn:
			next = meta.Continue
		case v.cause == model.CauseExpired && next != "" && restarts < pageRestarts:
			restarts++
			next = ""
			v.cause = model.CausePageExpired
			v.text = "page expired, starting the list again: " + v.text
			s.say(v)
			s.inv.begin()
		default:
			return v
		}
	}
}

// listed ends a complete list.
func (s *stream) listed(meta jsonscan.ListMeta) {
	s.synced(meta.ResourceVersion)
	if why := s.listOnlyBecause(); why != model.CauseNone && !s.polling {
		s.c.avoidWatchList(s.t.resourceKey(), why)
	}
}

// page reads one page.
func (s *stream) page(ctx context.Context, cmp *comparison, next string) (jsonscan.ListMeta, verdict) {
	if err := s.queue(ctx); err != nil {
		return jsonscan.ListMeta{}, verdict{do: interrupted}
	}
	f, err := s.open(ctx, reqList, &metav1.ListOptions{Limit: s.e.o.PageSize, Continue: next})
	defer s.end(f)
	if err != nil {
		return jsonscan.ListMeta{}, s.judge(f, err)
	}
	s.arriving()
	r := jsonscan.NewListReader(f.body, s.e.o.MaxFrame)
	counted := false
	for {
		s.pace()
		item, err := r.Next()
		f.saw()
		var large *jsonscan.TooLargeError
		switch {
		case errors.As(err, &large):
			s.itemTooLarge(large)
			continue
		case err == io.EOF:
			return s.pageEnd(f, r.Meta())
		case err != nil:
			return jsonscan.ListMeta{}, s.judge(f, err)
		}
		f.frames.Add(1)
		s.item(cmp, item)
		// A server writes the list's metadata before the items or after them.
		if m := r.Meta(); next == "" && !counted && m.Remaining > 0 {
			counted = true
			s.expect(f, m.Remaining)
		}
	}
}

// peek looks, if there is doubt, whether the server's resourceVersion is behind
// our position, and drops the position then. What goes wrong with the request
// does not matter: the watch that follows will meet it too.
func (s *stream) peek(ctx context.Context) {
	if !s.doubt || !s.t.mayList() || s.queue(ctx) != nil {
		return
	}
	f, err := s.open(ctx, reqPeek, &metav1.ListOptions{Limit: 1})
	defer s.end(f)
	if err != nil {
		return
	}
	s.doubt = false
	f.how.text = "read for its resourceVersion"
	r := jsonscan.NewListReader(f.body, s.e.o.MaxFrame)
	for err == nil && r.Meta().ResourceVersion == "" {
		_, err = r.Next()
		f.saw()
	}
	if wentBack(versionKey(s.resume()), versionKey(r.Meta().ResourceVersion)) {
		s.forget(model.CauseDeadline)
	}
}

// pageEnd checks that what was read is a list.
func (s *stream) pageEnd(f *flight, meta jsonscan.ListMeta) (jsonscan.ListMeta, verdict) {
	if meta.Kind == "Status" || meta.Kind == "" && meta.ResourceVersion == "" && f.frames.Load() == 0 {
		return meta, s.judge(f, &jsonscan.SyntaxError{Excerpt: "the answer is no list, its kind is " + meta.Kind})
	}
	switch f.how.text = "the whole list"; {
	case meta.Continue != "" && meta.Remaining > 0:
		f.how.text = fmt.Sprintf("one page, %d objects more", meta.Remaining)
	case meta.Continue != "":
		f.how.text = "one page, more follow"
	}
	return meta, verdict{do: goOn, flight: f}
}

// expect publishes how many objects the list will have.
func (s *stream) expect(f *flight, remaining int64) {
	if state := s.now(); state == model.Syncing || state == model.Relisting {
		s.to(state, verdict{flight: f, total: remaining + s.e.o.PageSize})
	}
}

// item takes one item of a list, giving it the apiVersion and kind that lists
// leave out.
func (s *stream) item(cmp *comparison, item []byte) {
	s.buf = jsonscan.InjectTypeMeta(s.buf[:0], item, s.apiVersion, s.t.Kind)
	m, err := jsonscan.Identity(s.buf)
	if err != nil || m.Name == "" && m.UID == "" {
		s.unread(jsonscan.Meta{})
		s.note(model.CauseGarbage, "an item of the list cannot be read"+excerpt(string(item[:min(len(item), 80)]), s.secret))
		return
	}
	s.upsert(cmp, m, s.buf, len(item), false)
}

// itemTooLarge says that an item was skipped. What was known of the object
// stays: it exists.
func (s *stream) itemTooLarge(e *jsonscan.TooLargeError) {
	m, _ := jsonscan.Identity(e.Head) // truncated, but the name stands at the beginning
	s.unread(m)
	s.note(model.CauseFrameTooLarge, fmt.Sprintf("%s is %d bytes, over the limit of %d: not shown", label(m), e.Size, e.Max))
}

func label(m jsonscan.Meta) string {
	switch {
	case m.Name == "":
		return "an object"
	case m.Namespace == "":
		return quote(m.Name)
	}
	return quote(m.Namespace + "/" + m.Name)
}

// queue waits for --qps, visibly if it takes long.
func (s *stream) queue(ctx context.Context) error {
	s.tellPast()
	if s.c.limiter == nil {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := &flight{cancel: cancel, kind: reqQueued, x: &exchange{}, start: time.Now()}
	if s.take(f) { // so that a pause ends the wait
		cancel(errInterrupt)
	}
	said := time.AfterFunc(s.e.o.Timings.Queued, func() {
		s.note(model.CauseQueued, "queued locally by --qps and --burst")
	})
	err := s.c.limiter.Wait(ctx)
	said.Stop()
	s.mu.Lock()
	s.flight = nil
	s.mu.Unlock()
	return err
}

// poll is one round of watching by lists.
func (s *stream) poll(ctx context.Context) verdict {
	v := s.list(ctx)
	if v.do != goOn {
		return v
	}
	s.back.reset()
	s.noWatch = false
	v.do, v.until = polled, time.Now().Add(s.e.o.Timings.Poll*9/10+s.jitter(s.e.o.Timings.Poll/5))
	v.text = "not watchable: listing again and again"
	v.cause = model.CauseNotWatchable
	return v
}
