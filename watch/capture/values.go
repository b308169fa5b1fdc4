package capture

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

// inputError is an error of one frame, with which the Writer has nothing to do.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// ofInput reports whether an error is about one frame: others may be well.
func ofInput(err error) bool {
	var e inputError
	return errors.As(err, &e) || errors.Is(err, tape.ErrRecord)
}

// split reads the envelope of a frame.
func split(b []byte) (frame, error) {
	typ, object, err := jsonscan.SplitFrame(b)
	if err != nil {
		return frame{}, inputError{fmt.Errorf("%w: %w", errFrame, err)}
	}
	return frame{typ: typ, object: object, bytes: b}, nil
}

// counter counts what was read.
type counter struct {
	io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

// values imports JSON objects one after the other, with or without white space
// between and in them, as kubectl prints them.
func (im *importer) values(in io.Reader) error {
	count := &counter{Reader: in}
	r := jsonscan.NewFrameReader(count, maxPretty)
	for n := 1; ; n++ {
		at := count.n - int64(r.Buffered())
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		wrong := func(err error) *Error { return &Error{fmt.Sprintf("object %d", n), at, err} }
		var (
			large  *jsonscan.TooLargeError
			syntax *jsonscan.SyntaxError
		)
		switch {
		case err == nil:
			if err = im.value(b); err != nil && !ofInput(err) {
				return err
			}
		case errors.As(err, &large):
			err = fmt.Errorf("%w: over %d bytes", errTooLarge, maxPretty)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return im.skip(wrong(errCut))
		case errors.As(err, &syntax):
			return im.skip(wrong(errors.New("not JSON; nothing behind it is read")))
		default:
			return im.skip(wrong(err))
		}
		if err != nil {
			if err := im.skip(wrong(err)); err != nil {
				return err
			}
		}
	}
}

// value imports one object that kubectl printed, on one line.
func (im *importer) value(b []byte) error {
	var one bytes.Buffer
	if err := json.Compact(&one, b); err != nil {
		return inputError{jsonscan.ErrSyntax} // its own may quote the input
	}
	b = one.Bytes()
	if im.sum.Kind == Events {
		f, err := split(b)
		if err != nil {
			return err
		}
		return im.observed(f)
	}
	items := jsonscan.Find(b, "items")
	if items == nil {
		return im.object(b, false)
	}
	all, err := jsonscan.AppendElements(nil, items)
	if err != nil {
		return inputError{errFrame}
	}
	// They are the state at one moment, which is that of the newest write or later.
	for _, i := range all {
		if t := written(i.Of(items)); t.After(im.listed) {
			im.listed = t
		}
	}
	for _, i := range all {
		if err := im.object(i.Of(items), true); err != nil {
			return err
		}
	}
	return im.left()
}

// left says of the streams that are being listed that nobody watched them after
// that.
func (im *importer) left() error {
	all := slices.SortedFunc(maps.Values(im.streams), func(a, b *stream) int { return int(a.info.ID) - int(b.info.ID) })
	for _, s := range all {
		if s.state == model.Syncing {
			if err := im.to(s, im.last, model.Stopped, AtOneMoment); err != nil {
				return err
			}
		}
	}
	return nil
}

// object makes a frame of an object that kubectl printed without saying what
// happened to it: the first time it is ADDED.
func (im *importer) object(b []byte, listed bool) error {
	m, err := jsonscan.Identity(b)
	status := m.Kind == "Status" && m.APIVersion == "v1" && !listed // kubectl prints what ended a watch
	if err != nil || m.Kind == "" || m.Name == "" && !status {
		return inputError{errFrame}
	}
	f := frame{typ: "ADDED", object: b}
	if status {
		f.typ = "ERROR"
	} else if s := im.streams[streamName(m)]; s != nil && !listed {
		if _, exists := s.live[im.key(m)]; exists {
			f.typ = "MODIFIED"
		}
	}
	f.bytes = append(append([]byte(`{"type":"`+f.typ+`","object":`), b...), '}')
	return im.observed(f)
}

// complete ends the initial state of streams without a change behind it: kubectl
// prints all of that before anything else.
func (im *importer) complete() error {
	if im.sum.First != nil { // who knows what is missing
		return nil
	}
	if im.sum.Kind == Objects && im.sum.Frames == 1 { // of kubectl get TYPE NAME
		return im.left()
	}
	all := slices.SortedFunc(maps.Values(im.streams), func(a, b *stream) int { return int(a.info.ID) - int(b.info.ID) })
	for _, s := range all {
		if im.sum.Kind == Objects && s.state != model.Stopped {
			if err := im.blind(s); err != nil {
				return err
			}
			continue
		}
		var err error
		switch {
		case s.state == model.Syncing:
			err = im.to(s, im.last, model.Live, "the initial state is complete")
		case s.state == model.Relisting && s.lost.overlap:
			err = im.replaced(s, im.last, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// NoDeletions is what a tape says of what kubectl printed of a watch without the
// types of its events.
const NoDeletions = "kubectl printed a deleted object like a changed one: which objects were deleted is not known (--output-watch-events tells)"

// blind says of a stream that nobody can tell what was deleted in it: as a gap,
// and as a state in which no object counts as current.
func (im *importer) blind(s *stream) error {
	im.sum.Blind = true
	g := model.Gap{Cause: CauseUntyped, Text: NoDeletions, Since: s.since, Took: im.last.Sub(s.since)}
	if err := im.w.Append(model.Record{Time: im.last, Stream: s.info.ID, Type: model.GapFound, Detail: g}); err != nil {
		return err
	}
	return im.enter(s, im.last, model.Transition{To: model.Stopped, Cause: CauseUntyped, Text: NoDeletions})
}

func streamName(m jsonscan.Meta) string { return m.APIVersion + " " + m.Kind }

// observed imports a frame of which nobody noted when it was received. Its time
// is that of the newest write to the object, and never goes back.
func (im *importer) observed(f frame) error {
	m, err := jsonscan.Identity(f.object)
	if err != nil {
		return inputError{err}
	}
	if f.stream = streamName(m); f.typ == "ERROR" && im.newest != "" {
		f.stream = im.newest // a Status tells not of which watch it is
	}
	first := im.last.IsZero()
	if f.when = written(f.object); f.when.Before(im.listed) {
		f.when = im.listed
	}
	if f.when.Before(im.last) {
		f.when = im.last
	}
	if f.when.IsZero() {
		f.when = im.o.Now
	}
	if err := im.add(f); err != nil || !first {
		return err
	}
	return im.w.Append(model.Record{Time: f.when, Type: model.Noted, Detail: model.Note{
		Text: "imported from the " + string(im.sum.Kind) + ", which tells no times of receipt: times are those of the newest write to each object; nor does it tell which namespaces and selectors were asked for"}})
}

// written is when an object was last written, as its managers say, or created.
func written(object []byte) time.Time {
	newest := created(object)
	managers := jsonscan.Get(object, "metadata", "managedFields")
	entries, _ := jsonscan.AppendElements(nil, managers) // none, if it is no array
	for _, e := range entries {
		if t := timeOf(jsonscan.Find(e.Of(managers), "time")); t.After(newest) {
			newest = t
		}
	}
	return newest
}
