package capture

import (
	"hash/maphash"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/watch/tape"
)

// importer appends frames to a tape, and works out of them what their
// recorders left out: what the streams watched, what of it was initial state,
// and when they had all of that.
type importer struct {
	w       *tape.Writer
	o       Options
	streams map[string]*stream
	seed    maphash.Seed
	seeded  bool
	last    time.Time // of the newest record
	newest  string    // the name of its stream
	holed   time.Time // that of the newest record before the first frame that could not be read
	sealed  time.Time // the time of the newest record when the tape was last sealed
	listed  time.Time // the newest write to the objects of the newest List
	sum     Summary
}

type stream struct {
	name  string
	info  model.StreamInfo
	vague bool // whether it is namespaced is not known yet
	state model.State
	since time.Time         // when the running initial state began
	live  map[uint64]*known // what exists, by hashes

	apiVersion string    // of the newest object
	complete   bool      // it has been live
	mixed      bool      // several watches go by its name
	states     int       // number of the newest whole state
	heard      time.Time // the newest frame
	rv         string    // the newest position in order
	lost       *outage   // the running one
	again      *outage   // the running state comes again, and nothing told of an outage
}

// frame is one frame of the input.
type frame struct {
	when     time.Time
	received bool   // when is the time of receipt
	stream   string // a name that tells streams apart
	resource string // the plural, "" to be guessed from the kind
	typ      string
	object   []byte
	bytes    []byte // the whole of it
}

// add appends a frame. The error is tape.ErrRecord if it is the frame's.
func (im *importer) add(f frame) error {
	m, err := jsonscan.Identity(f.object)
	if err != nil {
		return inputError{err}
	}
	fails := f.typ == "ERROR"
	if fails && f.resource != "" {
		m = jsonscan.Meta{} // a Status, whatever the stream watches
	}
	s := im.streams[f.stream]
	if s == nil {
		s = &stream{name: strings.Clone(f.stream), info: describe(f.resource, m), live: map[uint64]*known{}}
		s.info.Context = im.o.Context
		s.vague = vague(m)
		s.info.ID = im.w.AddStream(s.info)
		im.streams[s.name] = s
	} else if s.vague && (m.Name != "" || s.info.Kind == "" && m.Kind != "") {
		s.vague = m.Name == ""
		if info := describe(f.resource, m); info.Namespaced != s.info.Namespaced || s.info.Kind == "" {
			info.ID, info.Context = s.info.ID, im.o.Context
			s.info = info
			if err := im.w.Redeclare(info); err != nil {
				return err
			}
		}
	}
	r := model.Record{Time: f.when, Stream: s.info.ID, Type: types[f.typ], Raw: f.object, Bytes: len(f.bytes)}
	if r.Type == 0 {
		r.Raw = nil
	}
	if !fails {
		if err := im.step(s, &r, f, m); err != nil {
			return err
		}
	}
	if err := im.w.AppendFrame(r, f.bytes); err != nil {
		return err
	}
	im.last, im.newest = f.when, s.name
	im.sum.Frames++
	// A seal for each second that was recorded, as a recorder makes them: what
	// damage later does to the tape ends at the last one before it.
	if f.when.Sub(im.sealed) >= time.Second {
		im.sealed = f.when
		if err := im.w.Flush(); err != nil {
			return err
		}
	}
	if fails {
		return im.failed(s, f)
	}
	im.keep(s, &r, f, m)
	if m.InitialEventsEnd && r.Type == model.Bookmark {
		return im.ended(s, f.when, s.rv)
	}
	return nil
}

var types = map[string]model.Type{"ADDED": model.Added, "MODIFIED": model.Modified, "DELETED": model.Deleted, "BOOKMARK": model.Bookmark}

// settled is how much later than the beginning of a stream an object must have
// been created to be no initial state of it; clocks may differ by that.
const settled = 10 * time.Second

// step marks what is initial state, and notes the steps of the stream that show
// in its frames. A stream begins with its state as ADDED, and so does one that
// is opened anew: then comes what exists already. The state ends with a bookmark
// that says so; where a recorder asked for none, with what is no ADDED.
func (im *importer) step(s *stream, r *model.Record, f frame, m jsonscan.Meta) error {
	if s.lost != nil {
		return im.relisted(s, r, f, m)
	}
	old := s.live[im.key(m)]
	ends := r.Type != model.Added
	if !ends && s.state == model.Syncing && f.received {
		ends = created(f.object).After(s.since.Add(settled))
	}
	var err error
	switch {
	case s.state == model.Stopped: // by a List
		s.since = f.when
		err = im.to(s, f.when, model.Syncing, "read anew: its state comes again")
	case s.state == model.Idle && (!ends || m.InitialEventsEnd):
		s.since = f.when
		err = im.to(s, f.when, model.Syncing, "the capture begins")
	case s.state == model.Idle:
		err = im.to(s, f.when, model.Live, "the capture begins after the initial state")
	case s.state == model.Syncing && ends && !m.InitialEventsEnd:
		s.again = nil // whether it was whole is not certain
		err = im.to(s, f.when, model.Live, "changes follow")
	case s.state == model.Live && r.Type == model.Added && old != nil:
		s.since = f.when
		im.reopen(s)
		err = im.to(s, f.when, model.Syncing, "opened anew: its state comes again")
	}
	if r.Type == model.Added && s.state == model.Syncing {
		r.Flags |= model.Initial
		s.again.count(m, old)
	}
	return err
}

func (im *importer) to(s *stream, when time.Time, state model.State, text string) error {
	if s.state == state {
		return nil
	}
	return im.enter(s, when, model.Transition{To: state, Text: text})
}

// enter notes a step of a stream.
func (im *importer) enter(s *stream, when time.Time, t model.Transition) error {
	t.From, s.state = s.state, t.To
	s.complete = s.complete || t.To == model.Live
	t.From, t.To = s.shown(t.From), s.shown(t.To)
	return im.w.Append(model.Record{Time: when, Stream: s.info.ID, Type: model.StreamChange, Detail: t})
}

// shown is a state as a watch of this resource has it: one without heartbeats
// cannot be known to live.
func (s *stream) shown(state model.State) model.State {
	if state == model.Live && s.info.Uncached {
		return model.Quiet
	}
	return state
}

// key stands for an object within a stream.
func (im *importer) key(m jsonscan.Meta) uint64 {
	if !im.seeded {
		im.seed, im.seeded = maphash.MakeSeed(), true
	}
	var h maphash.Hash
	h.SetSeed(im.seed)
	for _, s := range [...]string{m.UID, m.Namespace, m.Name} {
		_, _ = h.WriteString(s)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// created is when an object was, zero if it does not say.
func created(object []byte) time.Time {
	return timeOf(jsonscan.Get(object, "metadata", "creationTimestamp"))
}

func timeOf(quoted []byte) time.Time {
	text, err := jsonscan.Unquote(quoted)
	if err != nil {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || t.Year() < 1970 || t.Year() > 2200 { // what no tape can hold, or no cluster means
		return time.Time{}
	}
	return t
}

// describe says what a stream watches, as far as one of its objects tells.
func describe(resource string, m jsonscan.Meta) model.StreamInfo {
	gv, err := schema.ParseGroupVersion(m.APIVersion)
	if err != nil { // hostile: more than one slash
		gv = schema.GroupVersion{Version: m.APIVersion}
	}
	kind := m.Kind
	if resource == "" {
		resource = plural(gv.WithKind(kind))
	}
	namespaced := m.Namespace != "" || m.Name == "" && !clusterScoped[gv.Group+"/"+kind]
	return model.StreamInfo{Group: strings.Clone(gv.Group), Version: strings.Clone(gv.Version), Resource: strings.Clone(resource),
		Kind: strings.Clone(kind), Namespaced: namespaced, Uncached: kind == "Event" && (gv.Group == "" || gv.Group == "events.k8s.io")}
}

// vague reports whether an object leaves open whether its type is namespaced,
// as bookmarks and errors do.
func vague(m jsonscan.Meta) bool { return m.Name == "" }

// plural is the resource of a kind, by the rules that kubectl falls back on.
func plural(kind schema.GroupVersionKind) string {
	switch {
	case kind.Kind == "Endpoints":
		return "endpoints"
	case kind.Group == "metrics.k8s.io":
		kind.Kind = strings.TrimSuffix(kind.Kind, "Metrics")
	}
	many, _ := meta.UnsafeGuessKindToResource(kind)
	return many.Resource
}

// clusterScoped are the types of Kubernetes without a namespace, for streams of
// which there is no object to tell.
var clusterScoped = map[string]bool{
	"/Namespace": true, "/Node": true, "/PersistentVolume": true, "/ComponentStatus": true,
	"admissionregistration.k8s.io/MutatingWebhookConfiguration": true, "admissionregistration.k8s.io/ValidatingWebhookConfiguration": true,
	"admissionregistration.k8s.io/ValidatingAdmissionPolicy": true, "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": true,
	"apiextensions.k8s.io/CustomResourceDefinition": true, "apiregistration.k8s.io/APIService": true,
	"certificates.k8s.io/CertificateSigningRequest": true, "flowcontrol.apiserver.k8s.io/FlowSchema": true,
	"flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration": true, "metrics.k8s.io/NodeMetrics": true,
	"networking.k8s.io/IngressClass": true, "node.k8s.io/RuntimeClass": true,
	"rbac.authorization.k8s.io/ClusterRole": true, "rbac.authorization.k8s.io/ClusterRoleBinding": true,
	"resource.k8s.io/DeviceClass": true, "resource.k8s.io/ResourceSlice": true, "scheduling.k8s.io/PriorityClass": true,
	"storage.k8s.io/CSIDriver": true, "storage.k8s.io/CSINode": true, "storage.k8s.io/StorageClass": true, "storage.k8s.io/VolumeAttachment": true,
}
