package timeserver

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

// maxLine bounds one line of a history: a kube-apiserver refuses objects over
// 3 MiB.
const maxLine = 16 << 20

// History is a recorded span of the life of a cluster: its state at the start
// and every change since. It is never changed after it was read.
type History struct {
	resources []Resource
	start     time.Time
	length    time.Duration
	initial   []*past // in order of resource, then key
	steps     []step  // in order of time
}

// past is one recorded state of one object.
type past struct {
	resource string // key of the Resource
	key      string // of the object
	uid, rv  string
	ns       string
	raw      []byte
}

// step is one recorded change: an object that came to be, changed or went.
type step struct {
	at time.Duration // after the start
	*past
	typ watch.EventType // Added, Modified or Deleted
}

// Resources are the types of the objects in it, and namespaces.
func (h *History) Resources() []Resource { return slices.Clone(h.resources) }

// Start is when the recording began, Length how long it lasted.
func (h *History) Start() time.Time { return h.start }

// Length is how long the recording lasted.
func (h *History) Length() time.Duration { return h.length }

// Changes is the number of recorded changes after the initial state.
func (h *History) Changes() int { return len(h.steps) }

// ReadHistory reads a capture: one JSON object per line,
//
//	{"t": receipt in Unix seconds, "stream": "pods", "frame": {"type": "ADDED", "object": {…}}}
//
// in order of receipt. A stream begins with its initial state, up to the
// bookmark annotated k8s.io/initial-events-end. When a stream was opened anew,
// its state comes again; that is compared with what is known, so that only
// real changes count. Streams are named by the plural of their resource.
func ReadHistory(r io.Reader) (*History, error) {
	in := reader{h: &History{}, streams: map[string]*stream{}}
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		if err == io.EOF {
			break
		}
		if err == nil && len(line) > 0 {
			err = in.line(line)
		}
		if err != nil {
			return nil, fmt.Errorf("history, line %d: %w", n, err)
		}
	}
	return in.finish()
}

// readLine returns the next line without its end, in memory of its own.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return nil, fmt.Errorf("longer than %d bytes", maxLine)
		}
		line = append(line, part...)
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF && len(line) > 0, err == nil:
			return bytes.TrimSpace(line), nil
		default:
			return nil, err
		}
	}
}

// reader is the state of ReadHistory.
type reader struct {
	h       *History
	streams map[string]*stream
	order   []*stream
}

// stream is what is known of one stream while reading.
type stream struct {
	resource Resource
	synced   bool
	known    map[string]*past
	// run holds the keys of the ADDED frames since the last frame of another
	// type: before the bookmark that ends an initial state it is that state.
	run map[string]bool
}

// line is one line of a capture.
type line struct {
	at     time.Time
	stream string
	typ    watch.EventType
	object []byte // in memory of its own
}

// parseLine takes a line apart without decoding what is kept as bytes: the
// demo is read whole before there is anything to see.
func parseLine(b []byte) (line, error) {
	at, stream, frame, err := tape.ParseLine(b)
	if err != nil {
		return line{}, err
	}
	typ, object, err := jsonscan.SplitFrame(frame)
	if err != nil || object[0] != '{' {
		return line{}, errors.New("without a frame of type and object")
	}
	return line{at: at, stream: strings.Clone(stream),
		typ: watch.EventType(strings.Clone(typ)), object: bytes.Clone(object)}, nil
}

// text is a string within an object, "" where there is none.
func text(object []byte, path ...string) string {
	s, err := jsonscan.Unquote(jsonscan.Get(object, path...))
	if err != nil {
		return ""
	}
	return strings.Clone(s) // not a view: it would keep the line
}

func (in *reader) line(b []byte) error {
	l, err := parseLine(b)
	if err != nil {
		return err
	}
	if in.h.start.IsZero() {
		in.h.start = l.at
	}
	at := l.at.Sub(in.h.start)
	in.h.length = max(in.h.length, at)
	s, err := in.stream(l)
	if err != nil || s == nil {
		return err
	}
	switch l.typ {
	case watch.Bookmark:
		if text(l.object, "metadata", "annotations", "k8s.io/initial-events-end") == "true" {
			in.endOfState(s, at)
		}
		clear(s.run)
	case watch.Added, watch.Modified, watch.Deleted:
		meta := jsonscan.Find(l.object, "metadata") // once: its end is behind all the managedFields
		p := &past{resource: s.resource.Key(), ns: text(meta, "namespace"),
			uid: text(meta, "uid"), rv: text(meta, "resourceVersion"), raw: l.object}
		name := text(meta, "name")
		if name == "" {
			return errors.New("object without a name")
		}
		p.key = (&object{namespace: p.ns, name: name}).key()
		s.resource.Namespaced = s.resource.Namespaced || p.ns != ""
		in.change(s, l.typ, p, at)
	}
	return nil // an ERROR says something about the recording, not of the cluster
}

// stream finds the stream of a frame; it is made of the first one that tells
// its type.
func (in *reader) stream(l line) (*stream, error) {
	name := l.stream
	if s := in.streams[name]; s != nil {
		return s, nil
	}
	kind, apiVersion := text(l.object, "kind"), text(l.object, "apiVersion")
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || kind == "" {
		return nil, fmt.Errorf("object without apiVersion and kind (%q, %q)", apiVersion, kind)
	}
	if kind == "Status" {
		return nil, nil
	}
	r := Resource{Group: gv.Group, Version: gv.Version, Resource: name, Kind: kind}
	if b, ok := Builtin(name); ok && b.Group == gv.Group && b.Kind == kind {
		r = b
		r.Version = gv.Version
	}
	s := &stream{resource: r, known: map[string]*past{}, run: map[string]bool{}}
	in.streams[name], in.order = s, append(in.order, s)
	return s, nil
}

// change records a frame about an object, unless it repeats what is known.
func (in *reader) change(s *stream, typ watch.EventType, p *past, at time.Duration) {
	if typ == watch.Added {
		s.run[p.key] = true
	} else {
		clear(s.run)
	}
	old := s.known[p.key]
	if typ == watch.Deleted {
		if old != nil {
			delete(s.known, p.key)
			in.step(step{at, p, watch.Deleted})
		}
		return
	}
	s.known[p.key] = p
	switch {
	case !s.synced:
	case old == nil:
		in.step(step{at, p, watch.Added})
	case old.uid != p.uid:
		in.step(step{at, old, watch.Deleted})
		in.step(step{at, p, watch.Added})
	case old.rv != p.rv:
		in.step(step{at, p, watch.Modified})
	default:
		s.known[p.key] = old
	}
}

// endOfState takes the run of ADDED frames as the whole state: at first as the
// initial one, later to find what went while nobody watched.
func (in *reader) endOfState(s *stream, at time.Duration) {
	for _, p := range sortedPast(s.known) {
		if !s.run[p.key] {
			delete(s.known, p.key)
			in.step(step{at, p, watch.Deleted})
		}
	}
	if !s.synced {
		s.synced = true
		in.h.initial = append(in.h.initial, sortedPast(s.known)...)
	}
}

func (in *reader) step(s step) { in.h.steps = append(in.h.steps, s) }

func sortedPast(m map[string]*past) []*past {
	var out []*past
	for _, p := range m {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *past) int { return cmp.Compare(a.key, b.key) })
	return out
}

func (in *reader) finish() (*History, error) {
	if len(in.order) == 0 {
		return nil, errors.New("history: no frames")
	}
	for _, s := range in.order {
		in.h.resources = append(in.h.resources, s.resource)
		if !s.synced { // the recording ended, or never marked the end
			in.h.initial = append(in.h.initial, sortedPast(s.known)...)
		}
	}
	slices.SortStableFunc(in.h.steps, func(a, b step) int { return cmp.Compare(a.at, b.at) })
	in.addNamespaces()
	return in.h, nil
}

// addNamespaces makes up the namespaces that the objects are in, unless they
// were recorded: clients ask for them.
func (in *reader) addNamespaces() {
	if in.streams["namespaces"] != nil {
		return
	}
	names := map[string]bool{}
	for _, p := range in.h.initial {
		names[p.ns] = true
	}
	for _, s := range in.h.steps {
		names[s.ns] = true
	}
	delete(names, "")
	r, _ := Builtin("namespaces")
	in.h.resources = append(in.h.resources, r)
	created := in.h.start.Add(-time.Hour).UTC().Format(time.RFC3339)
	for name := range names {
		raw := fmt.Appendf(nil, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":%q,"creationTimestamp":%q,`+
			`"labels":{"kubernetes.io/metadata.name":%q}},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"Active"}}`,
			name, created, name)
		in.h.initial = append(in.h.initial, &past{resource: r.Key(), key: name, raw: raw})
	}
	slices.SortStableFunc(in.h.initial, func(a, b *past) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.key, b.key))
	})
}
