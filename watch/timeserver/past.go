package timeserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// Past is a recorded cluster at a moment of a tape: a [Store] with its objects
// as they were, byte for byte, and what is known and not known of it then.
// [Past.Run] moves it on.
//
// Of the tape, only the watches of one context count. Objects that cannot be
// served, because they are no objects, are left out and counted.
type Past struct {
	store   *Store
	context string
	reader  *tape.Reader
	streams map[model.StreamID]*pastStream
	types   map[string]*pastType // by key
	lost    bool                 // the recorder lost frames
	// mirror is the key of the type of events that is made from the one that
	// was recorded, mirrored; both are "" without.
	mirror, mirrored string
	steps            bool // the tape has the steps of its streams; captures have not

	// mu guards what follows, types, streams and what is in those. Only Run
	// changes them, which reads without it.
	mu      sync.Mutex
	whole   bool
	now     time.Time // of the tape
	skipped int
	missing []string // objects that cannot be rebuilt
}

// pastStream is one recorded watch.
type pastStream struct {
	model.StreamInfo
	typ      *pastType // nil where it cannot be served
	declared bool      // the tape has told of it by the moment that is served
	last     model.Transition
	since    time.Time
	gaps     []pastGap // that were found later than the moment first served
}

// pastType is one recorded type of objects.
type pastType struct {
	Resource
	streams []*pastStream
	// holders says which streams have an object, by its key, where several
	// streams may have the same one: it is gone when none has it.
	holders map[string]map[model.StreamID]bool
}

// Contexts are those that a tape has watches of, sorted.
func Contexts(t *tape.Tape) []string {
	var out []string
	for _, s := range t.Info().Streams {
		if !slices.Contains(out, s.Context) {
			out = append(out, s.Context)
		}
	}
	slices.Sort(out)
	return out
}

// LoadPast loads the state of a context at a moment. report, if not nil, is
// told now and then how many bytes of objects there are so far. Errors are those of
// reading the tape, and of ctx.
func LoadPast(ctx context.Context, t *tape.Tape, context string, at time.Time, report func(bytes int64)) (*Past, error) {
	r, err := t.Seek(at)
	if err != nil {
		return nil, err
	}
	counts := t.Info().Counts
	p := &Past{store: NewPastStore(), context: context, reader: r, now: at, whole: r.Whole(), lost: counts["lost"] > 0,
		steps: counts["transition"] > 0, streams: map[model.StreamID]*pastStream{}, types: map[string]*pastType{}}
	// Streams that begin later are in the tape's list already, but not in the
	// reader's: what they watch is unknown until then.
	streams := slices.Clone(t.Info().Streams)
	slices.SortStableFunc(streams, func(a, b model.StreamInfo) int { // the order of discovery
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource))
	})
	for _, s := range streams {
		p.addStream(s)
	}
	for _, s := range r.Streams() {
		if known := p.streams[s.ID]; known != nil {
			known.declared, known.last, known.since = true, s.Last, s.Since
		}
	}
	if err := p.findGaps(ctx, t); err != nil {
		return nil, err
	}
	p.addMirror()
	p.addNamespaces()
	bytes := int64(0)
	for o, err := range r.Objects() {
		if err == nil {
			err = ctx.Err()
		}
		if p.missed(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		p.put(p.streams[o.Stream], o.Raw, o.Identity, false)
		if bytes += int64(len(o.Raw)); report != nil {
			report(bytes)
		}
	}
	p.store.Present()
	return p, nil
}

// addStream takes a stream of the tape in, if it is one of the context.
func (p *Past) addStream(info model.StreamInfo) {
	if info.Context != p.context || p.streams[info.ID] != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &pastStream{StreamInfo: info}
	p.streams[info.ID] = s
	r := Resource{Group: info.Group, Version: info.Version, Resource: info.Resource, Kind: info.Kind,
		Namespaced: info.Namespaced, Uncached: info.Uncached}
	if r.Version == "" || r.Resource == "" || r.Kind == "" {
		return // a tape of somebody else's making
	}
	t := p.types[r.Key()]
	if t == nil {
		if b, ok := builtin(r); ok {
			r.Singular, r.ShortNames, r.Categories = b.Singular, b.ShortNames, b.Categories
			r.Namespaced = b.Namespaced // a capture without objects does not tell
		}
		t = &pastType{Resource: r}
		p.types[r.Key()] = t
		p.store.AddResource(r)
	}
	if t.Version != r.Version || t.Kind != r.Kind {
		return // one version of a type is served: the one that was watched first
	}
	s.typ = t
	if t.streams = append(t.streams, s); len(t.streams) == 2 {
		t.holders = map[string]map[model.StreamID]bool{}
	}
}

// Store is what the past is served from.
func (p *Past) Store() *Store { return p.store }

// Context is the kubeconfig context that was recorded.
func (p *Past) Context() string { return p.context }

// Now is the moment of the tape that is being served.
func (p *Past) Now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// Skipped is how many records could not be served.
func (p *Past) Skipped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.skipped
}

// Run moves the past on: every record happens when its time has come, speed
// times as fast as it was recorded. It returns nil at the end of the tape and
// when ctx ends, and else the error of reading the tape.
func (p *Past) Run(ctx context.Context, speed float64) error {
	begun, from := time.Now(), p.Now()
	stop := p.tick(ctx, begun, from, speed)
	defer stop()
	for {
		e, err := p.reader.Next()
		var damage *tape.Damage
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &damage):
			p.setWhole(p.reader.Whole())
			continue
		case err != nil:
			return err
		}
		if after := e.Time.Sub(from); after > 0 && !sleepUntil(ctx, begun.Add(time.Duration(float64(after)/speed))) {
			return nil
		}
		if err := p.accept(e); err != nil {
			return err
		}
	}
}

// accept makes one record happen, and what a checkpoint before it made known.
func (p *Past) accept(e *tape.Entry) error {
	if !p.whole && p.reader.Whole() {
		e.Raw = bytes.Clone(e.Raw) // a look at the objects may use its memory
		if err := p.resync(); err != nil {
			return err
		}
	}
	p.apply(e)
	return nil
}

func (p *Past) setWhole(whole bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole = whole
}

// resync makes the state that of the reader, which a checkpoint made whole
// again after damage: changes in between were not seen.
func (p *Past) resync() error {
	there := map[string]map[string]bool{}
	for _, t := range p.types {
		clear(t.holders)
	}
	whole := true
	for o, err := range p.reader.Objects() {
		if p.missed(err) {
			whole = false
			continue
		} else if err != nil {
			return err
		}
		s := p.streams[o.Stream]
		if s == nil || s.typ == nil {
			continue
		}
		if there[s.typ.Key()] == nil {
			there[s.typ.Key()] = map[string]bool{}
		}
		there[s.typ.Key()][objectKey(o.Identity)] = true
		p.put(s, o.Raw, o.Identity, false)
	}
	for key := range p.types {
		p.count(p.store.keepRecorded(key, there[key]))
		if key == p.mirrored {
			p.count(p.store.keepRecorded(p.mirror, there[key]))
		}
	}
	p.setWhole(whole)
	return nil
}

// missed takes note of an object that cannot be rebuilt, and reports whether
// that is what the error says.
func (p *Past) missed(err error) bool {
	var damage *tape.Damage
	if !errors.As(err, &damage) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole = false
	p.missing = append(p.missing, damage.Text)
	return true
}

// Missing tells which objects of the moment that was loaded, and of those since
// that were, cannot be rebuilt. They are not served.
func (p *Past) Missing() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.missing)
}

// tick keeps the tape's clock moving between records, for ages, until stop is
// called.
func (p *Past) tick(ctx context.Context, begun, from time.Time, speed float64) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for sleepUntil(ctx, time.Now().Add(200*time.Millisecond)) {
			p.advance(from.Add(time.Duration(float64(time.Since(begun)) * speed)))
		}
	})
	return func() { cancel(); done.Wait() }
}

func (p *Past) advance(to time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to.After(p.now) {
		p.now = to
	}
}

// apply makes one record happen.
func (p *Past) apply(e *tape.Entry) {
	p.advance(e.Time)
	s := p.streams[e.Stream]
	if s == nil {
		p.addStreams()
		if s = p.streams[e.Stream]; s == nil {
			return // of another context
		}
	}
	if !s.declared {
		p.mu.Lock()
		s.declared = true
		p.mu.Unlock()
	}
	switch e.Type {
	case model.Added, model.Modified:
		p.put(s, e.Raw, e.Identity, e.Reverted)
	case model.Deleted:
		p.remove(s, e.Raw, e.Identity)
	case model.Bookmark:
		if s.typ != nil && len(s.typ.streams) == 1 { // others may be behind
			p.store.Progress(s.typ.Key(), recordedRV(e.RV))
		}
	}
	if step, ok := e.Detail.(model.Transition); ok && !step.Bare() {
		p.mu.Lock()
		s.last, s.since = step, e.Time
		p.mu.Unlock()
		p.stepped(s, step)
	}
}

// addStreams takes in what the reader has come to know.
func (p *Past) addStreams() {
	for _, s := range p.reader.Streams() {
		p.addStream(s.StreamInfo)
	}
}

func (p *Past) put(s *pastStream, raw []byte, id model.Identity, reverted bool) {
	if s == nil || s.typ == nil {
		return
	}
	if holders := s.typ.holders; holders != nil {
		key := objectKey(id)
		if holders[key] == nil {
			holders[key] = map[model.StreamID]bool{}
		}
		holders[key][s.ID] = true
		if !reverted && p.store.newer(s.typ.Key(), raw) {
			return // another stream was quicker
		}
	}
	if id.Namespace != "" && !s.typ.Namespaced {
		p.mu.Lock()
		s.typ.Namespaced = true // nor does one that began empty
		p.mu.Unlock()
		p.store.setNamespaced(s.typ.Key())
	}
	if s.typ.Key() == "secrets" {
		raw = encodeFingerprints(raw)
	}
	p.count(p.store.PutRecorded(s.typ.Key(), raw))
	if s.typ.Key() == p.mirrored && p.mirrored != "" {
		if other := otherEvent(raw, p.mirror); other != nil {
			p.count(p.store.PutRecorded(p.mirror, other))
		}
	}
	p.addNamespace(id.Namespace)
}

func (p *Past) remove(s *pastStream, raw []byte, id model.Identity) {
	if s.typ == nil {
		return
	}
	if holders := s.typ.holders; holders != nil {
		key := objectKey(id)
		delete(holders[key], s.ID)
		if len(holders[key]) > 0 {
			return
		}
		delete(holders, key)
	}
	if s.typ.Key() == "secrets" {
		raw = encodeFingerprints(raw)
	}
	p.count(p.store.DeleteRecorded(s.typ.Key(), id.Namespace, id.Name, raw))
	if s.typ.Key() == p.mirrored && p.mirrored != "" {
		if len(raw) > 0 {
			raw = otherEvent(raw, p.mirror)
		}
		p.count(p.store.DeleteRecorded(p.mirror, id.Namespace, id.Name, raw))
	}
}

func (p *Past) count(err error) {
	if err != nil {
		p.mu.Lock()
		p.skipped++
		p.mu.Unlock()
	}
}

func objectKey(id model.Identity) string {
	return (&object{namespace: id.Namespace, name: id.Name}).key()
}

// synthesised marks namespaces that were not recorded.
const synthesised = "rewatch/synthesised"

// addNamespaces makes up the namespaces that are mentioned, if none were
// recorded: clients ask for them. They have neither an age nor a UID, and an
// annotation that says what they are.
func (p *Past) addNamespaces() {
	r, _ := Builtin("namespaces")
	if p.types[r.Key()] != nil {
		return
	}
	p.store.AddResource(r)
	for _, s := range p.streams {
		p.addNamespace(s.Namespace)
	}
}

func (p *Past) addNamespace(name string) {
	if name == "" || p.types["namespaces"] != nil || p.store.has("namespaces", name) {
		return
	}
	raw := fmt.Appendf(nil, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":%s,"annotations":{%q:"not recorded, but named by what was"}},`+
		`"spec":{},"status":{"phase":"Active"}}`, mustJSON(name), synthesised)
	p.count(p.store.PutRecorded("namespaces", raw))
}

// encodeFingerprints writes the fingerprints that stand for the values of a
// Secret in base64: clients decode them.
func encodeFingerprints(raw []byte) []byte {
	if !json.Valid(raw) {
		return raw // refused later
	}
	at, ok := member(raw, skipSpace(raw, 0), "data")
	if !ok {
		return raw
	}
	var values map[string]string
	if json.Unmarshal(raw[at.start:at.end], &values) != nil || values == nil {
		return raw
	}
	for k, v := range values {
		if strings.HasPrefix(v, "fp:") { // no base64 has a colon
			values[k] = base64.StdEncoding.EncodeToString([]byte(v))
		}
	}
	return slices.Concat(raw[:at.start], mustJSON(values), raw[at.end:])
}
