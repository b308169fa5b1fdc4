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
	holed   time.Time // that of the newest record before the first frame that could not be read
	sealed  time.Time // the time of the newest record when the tape was last sealed
	listed  time.Time // the newest write to the objects of the newest List
	sum     Summary
}

type stream struct {
	info  model.StreamInfo
	vague bool // whether it is namespaced is not known yet
	state model.State
	since time.Time           // when the running initial state began
	live  map[uint64]struct{} // hashes of what exists
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
	s := im.streams[f.stream]
	if s == nil {
		s = &stream{info: describe(f.resource, m), live: map[uint64]struct{}{}}
		s.info.Context = im.o.Context
		s.vague = vague(m)
		s.info.ID = im.w.AddStream(s.info)
		im.streams[strings.Clone(f.stream)] = s
	} else if s.vague && m.Name != "" {
		s.vague = false
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
	if err := im.step(s, &r, f, m); err != nil {
		return err
	}
	if err := im.w.AppendFrame(r, f.bytes); err != nil {
		return err
	}
	im.last = f.when
	im.sum.Frames++
	// A seal for each second that was recorded, as a recorder makes them: what
	// damage later does to the tape ends at the last one before it.
	if f.when.Sub(im.sealed) >= time.Second {
		im.sealed = f.when
		if err := im.w.Flush(); err != nil {
			return err
		}
	}
	if m.InitialEventsEnd && r.Type == model.Bookmark {
		return im.to(s, f.when, model.Live, "the initial state is complete")
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
	key := im.key(m)
	_, exists := s.live[key]
	ends := r.Type != model.Added
	switch {
	case r.Type == model.Added && s.state == model.Syncing && f.received:
		ends = created(f.object).After(s.since.Add(settled))
	case r.Type == model.Deleted:
		delete(s.live, key)
	}
	if r.Type == model.Added || r.Type == model.Modified {
		s.live[key] = struct{}{}
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
		err = im.to(s, f.when, model.Live, "changes follow")
	case s.state == model.Live && r.Type == model.Added && exists:
		s.since = f.when
		err = im.to(s, f.when, model.Syncing, "opened anew: its state comes again")
	}
	if r.Type == model.Added && s.state == model.Syncing {
		r.Flags |= model.Initial
	}
	return err
}

func (im *importer) to(s *stream, when time.Time, state model.State, text string) error {
	t := model.Transition{From: s.state, To: state, Text: text}
	if s.state == state {
		return nil
	}
	s.state = state
	return im.w.Append(model.Record{Time: when, Stream: s.info.ID, Type: model.StreamChange, Detail: t})
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
