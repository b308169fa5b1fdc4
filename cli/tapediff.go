package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rewatch/model"
	"rewatch/model/jsonscan"
	"rewatch/model/statediff"
	"rewatch/watch/resolve"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

type diffOptions struct {
	from, to   string
	format     choice
	namespaces []string
	noise      bool
	all        bool
	exitCode   bool
}

func newDiff(_ *flags, s streams) *cobra.Command {
	o := diffOptions{format: choice{"text", []string{"text", "json", "patch"}}}
	cmd := &cobra.Command{
		Use:   "diff TAPE [TYPE[/NAME]]...",
		Short: "Say what is different in the cluster between two moments of a tape",
		Long: `Compare the recorded cluster at two moments, object by object: what was added,
removed, changed (each path, old → new), and recreated: removed, with another
object of its name in its place.

--from is when the initial state of every stream had arrived, unless given, and
--to the end of the tape. Text and patch only count Events, and objects in which
nothing but the time of a heartbeat differs, unless --all or a TYPE asks for them.
resourceVersion and managedFields are left out, since they change with everything.

The output is text, JSON ({"version": 1, "objects": [{"op": …, "changes": [{"path":
…, "old": …, "new": …}]}]}), or a patch: a unified diff of YAML for each object, as
kubectl diff prints it.

The exit code is 0, and 1 where damage to the tape leaves out what existed at one of
the moments, or with --exit-code where anything differs.`,
		Example: `  rewatch diff incident.rwt --from 14:03 --to 14:10
  rewatch diff incident.rwt --from -5m deploy,cm -n shop -o patch
  rewatch diff incident.rwt deploy/checkout`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDiff(cmd.Context(), o, args[0], args[1:], s)
		},
	}
	cmd.Flags().StringVar(&o.from, "from", "", "The first moment: "+momentHelp)
	cmd.Flags().StringVar(&o.to, "to", "", "The second moment, in the same forms")
	cmd.Flags().VarP(&o.format, "output", "o", "How to write it: text, json or patch")
	cmd.Flags().StringSliceVarP(&o.namespaces, "namespace", "n", nil, "Only this namespace; may be repeated")
	cmd.Flags().BoolVar(&o.noise, "show-managed-fields", false, "Include resourceVersion and managedFields")
	cmd.Flags().BoolVar(&o.all, "all", false, "List Events and heartbeats too")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "Exit with 1 if there are differences")
	return cmd
}

func runDiff(ctx context.Context, o diffOptions, path string, types []string, s streams) error {
	args, err := resolve.Parse(types)
	if err != nil {
		return usage("%v", err)
	}
	t, err := openTape(path)
	if err != nil {
		return err
	}
	defer func() { _ = t.Close() }()
	t.tellFilter(s)
	d := stateDiff{diffOptions: o, tape: t}
	d.all = d.all || len(args) > 0
	if d.chosen, err = choose(t.Info().Streams, args); err != nil {
		return err
	}
	err = t.whileReading(ctx, s.err, "comparing", d.compare)
	var mine *failure
	switch {
	case errors.As(err, &mine):
		return err
	case err != nil:
		return unreadable(path, err)
	}
	for _, w := range d.warnings {
		s.tell("rewatch: %s", w)
	}
	switch o.format.value {
	case "json":
		err = writeJSON(s.out, d.document())
	case "patch":
		err = d.patch(s.out, isTerminal(s.out))
	default:
		err = d.text(s.out)
	}
	if err == nil && d.damaged {
		return failed("see what survives with: rewatch verify "+path, "%s is damaged: what is compared is not all that existed", path)
	}
	if err == nil && o.exitCode && len(d.found) > 0 {
		return &failure{code: 1}
	}
	return err
}

// stateDiff is one comparison.
type stateDiff struct {
	diffOptions
	tape   *tapeFile
	chosen chosen

	t1, t2   time.Time
	found    []statediff.Difference
	warnings []string
	lost     int  // objects that could not be rebuilt, each counted twice
	damaged  bool // what was compared is not all that existed
}

// compare reads both states. It runs beside what waits for a signal.
func (d *stateDiff) compare() error {
	if err := d.moments(); err != nil {
		return err
	}
	from, err := d.tape.Seek(d.t1)
	if err != nil {
		return err
	}
	to, err := d.tape.Seek(d.t2)
	if err != nil {
		return err
	}
	d.warn("--from", from, d.t1)
	d.warn("--to", to, d.t2)
	d.found, err = statediff.Compare(d.state(from), d.state(to), statediff.Options{Bookkeeping: d.noise})
	if d.lost > 0 {
		d.damaged = true
		d.warnings = append(d.warnings, fmt.Sprintf("the tape is damaged: %s of one moment or the other cannot be rebuilt; see: rewatch verify %s",
			count(int64(d.lost/2), "object"), d.tape.path))
	}
	return err
}

func (d *stateDiff) moments() (err error) {
	i := d.tape.Info()
	if d.from == "" {
		d.t1, err = synced(d.tape.Tape)
	} else {
		d.t1, err = parseMoment(d.from, i.From, i.To, time.Local)
	}
	if err != nil {
		return err
	}
	if d.t2 = i.To; d.to != "" {
		if d.t2, err = parseMoment(d.to, i.From, i.To, time.Local); err != nil {
			return err
		}
	}
	for _, t := range []time.Time{d.t1, d.t2} {
		if t.Before(i.From) || t.After(i.To) {
			return outside(t.Local().Format("2006-01-02 15:04:05.000"), i.From, i.To, time.Local)
		}
	}
	if d.t2.Before(d.t1) {
		return failed("exchange them", "--from %s is after --to %s", clock(d.t1), clock(d.t2))
	}
	return nil
}

// synced is when the initial state of every stream had arrived; the start of
// the tape if that is not known.
func synced(t *tape.Tape) (time.Time, error) {
	when := t.Info().From
	seen := map[model.StreamID]bool{}
	for i, f := range t.Frames() {
		if f.Counts.Transitions == 0 || f.Damage != nil {
			continue
		}
		records, err := t.Outline(i)
		var damage *tape.Damage
		if err != nil && !errors.As(err, &damage) {
			return when, err
		}
		for _, r := range records {
			if x, ok := r.Detail.(model.Transition); ok && x.To.Fresh() && !seen[r.Stream] {
				seen[r.Stream] = true
				when = r.Time
			}
		}
		if len(seen) == len(t.Info().Streams) {
			break
		}
	}
	return when, nil
}

// warn says where a state may not be what the cluster's was.
func (d *stateDiff) warn(flag string, r *tape.Reader, when time.Time) {
	if !r.Whole() {
		d.damaged = true
		d.warnings = append(d.warnings, fmt.Sprintf("the tape is damaged: the state at %s (%s) is not complete; see: rewatch verify %s", flag, clock(when), d.tape.path))
	}
	if d.tape.Info().Counts["transition"] == 0 {
		return // imported, by a program that told nothing of states
	}
	begun := map[model.StreamID]bool{}
	for _, x := range r.Streams() {
		state := x.Last.To
		if begun[x.ID] = !x.Since.IsZero(); !d.chosen.stream(&x.StreamInfo) || !begun[x.ID] || state.Fresh() {
			continue
		}
		if state == model.Stopped && x.Last.Cause == model.CauseShutdown && when.Sub(x.Since) < timeserver.ShutdownGrace {
			continue // the recording ended in order
		}
		what := "what is recorded of it may be older"
		if state == model.Syncing || state == model.Connecting {
			what = "its state had not arrived completely"
		}
		d.warnings = append(d.warnings, fmt.Sprintf("at %s the stream %s was in state %s, for %s: %s", flag, x.Name(), state, short(when.Sub(x.Last.Onset(x.Since))), what))
	}
	var missing []string
	for _, x := range d.tape.Info().Streams {
		if !begun[x.ID] && d.chosen.stream(&x) {
			missing = append(missing, x.Name())
		}
	}
	switch len(missing) {
	case 0:
	case 1:
		d.warnings = append(d.warnings, fmt.Sprintf("at %s the stream %s had not begun: its state had not arrived", flag, missing[0]))
	default:
		d.warnings = append(d.warnings, fmt.Sprintf("at %s %d streams had not begun: their state had not arrived: %s", flag, len(missing), strings.Join(missing, ", ")))
	}
}

// state yields what is compared of the state at a reader's place.
func (d *stateDiff) state(r *tape.Reader) statediff.State {
	infos := map[model.StreamID]*model.StreamInfo{}
	for _, s := range r.Streams() {
		infos[s.ID] = &s.StreamInfo
	}
	return func() iter.Seq2[statediff.Object, error] {
		return func(yield func(statediff.Object, error) bool) {
			for o, err := range r.Objects() {
				var damage *tape.Damage
				if errors.As(err, &damage) {
					d.lost++
					continue
				}
				if err == nil && (!d.chosen.object(infos[o.Stream], &o.Identity) ||
					len(d.namespaces) > 0 && !slices.Contains(d.namespaces, o.Identity.Namespace)) {
					continue
				}
				if !yield(statediff.Object{Identity: o.Identity, RV: o.RV, Raw: o.Raw}, err) {
					return
				}
			}
		}
	}
}

// chosen are the TYPEs of the command line, by the name of the stream's
// resource; nil means all.
type chosen map[string][]string // the names of objects, nil for all

// choose finds the streams of a tape that the arguments mean.
func choose(streams []model.StreamInfo, args []resolve.Arg) (chosen, error) {
	if len(args) == 0 {
		return nil, nil
	}
	out := chosen{}
	for _, a := range args {
		found := false
		for i := range streams {
			if !means(a.Type, &streams[i]) {
				continue
			}
			found = true
			key := streams[i].Name()
			names, known := out[key]
			switch {
			case a.Name == "" || known && names == nil:
				out[key] = nil
			default:
				out[key] = append(names, a.Name)
			}
		}
		if !found {
			var have []string
			for i := range streams {
				have = append(have, streams[i].Name())
			}
			slices.Sort(have)
			return nil, failed("it has: "+strings.Join(slices.Compact(have), ", "), "the tape has no type %q", a.Type)
		}
	}
	return out, nil
}

// means reports whether a word names the type of a stream: as plural, singular,
// kind or short name, with or without version and group.
func means(word string, s *model.StreamInfo) bool {
	names := []string{s.Resource, strings.ToLower(s.Kind)}
	for _, b := range timeserver.Builtins() {
		if b.Group == s.Group && b.Kind == s.Kind {
			names = append(names, b.ShortNames...)
		}
	}
	for _, n := range names {
		for _, suffix := range []string{"", "." + s.Group, "." + s.Version, "." + s.Version + "." + s.Group} {
			if word == strings.TrimSuffix(n+suffix, ".") {
				return true
			}
		}
	}
	return false
}

func (c chosen) stream(s *model.StreamInfo) bool {
	_, ok := c[s.Name()]
	return c == nil || ok
}

func (c chosen) object(s *model.StreamInfo, id *model.Identity) bool {
	if c == nil || s == nil {
		return c == nil
	}
	names, ok := c[s.Name()]
	return ok && (names == nil || slices.Contains(names, id.Name))
}

// diffDoc is what -o json writes. Times are RFC 3339 in UTC. Members may be
// added within a version.
type diffDoc struct {
	Version   int         `json:"version"`
	Tape      string      `json:"tape"`
	From      string      `json:"from"`
	To        string      `json:"to"`
	Warnings  []string    `json:"warnings"` // where the states may not be those of the cluster
	Added     int         `json:"added"`
	Removed   int         `json:"removed"`
	Changed   int         `json:"changed"`
	Recreated int         `json:"recreated"`
	Objects   []objectDoc `json:"objects"` // by context, kind, group, namespace, name
}

type objectDoc struct {
	Op         statediff.Op    `json:"op"`
	Context    string          `json:"context"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Namespace  string          `json:"namespace,omitempty"`
	Name       string          `json:"name"`
	UID        string          `json:"uid"`
	OldUID     string          `json:"oldUID,omitempty"` // where it differs
	Managers   []string        `json:"managers"`         // who likely wrote last
	Changes    []changeDoc     `json:"changes"`          // none of what was added or removed
	Cut        bool            `json:"cut,omitempty"`    // there are more changes
	Object     json.RawMessage `json:"object,omitempty"` // as it was added, or was before it was removed
}

type changeDoc struct {
	Path string          `json:"path"`
	Op   string          `json:"op"` // "add", "remove", "replace"
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

func (d *stateDiff) document() diffDoc {
	doc := diffDoc{Version: 1, Tape: d.tape.path, From: stampOf(d.t1), To: stampOf(d.t2), Warnings: append([]string{}, d.warnings...), Objects: []objectDoc{}}
	doc.Added, doc.Removed, doc.Changed, doc.Recreated = d.counts()
	for _, x := range d.found {
		o := objectDoc{Op: x.Op, Context: x.Identity.Context, APIVersion: x.Identity.APIVersion, Kind: x.Identity.Kind, Namespace: x.Identity.Namespace,
			Name: x.Identity.Name, UID: x.Identity.UID, Managers: append([]string{}, x.Managers...), Changes: []changeDoc{}, Cut: x.Cut}
		if x.OldUID != o.UID {
			o.OldUID = x.OldUID
		}
		switch x.Op {
		case statediff.Added:
			o.Object = rawJSON(string(d.shown(x.New)))
		case statediff.Removed:
			o.Object = rawJSON(string(d.shown(x.Old)))
		}
		for _, c := range x.Changes {
			o.Changes = append(o.Changes, changeDoc{c.Path, opWords[c.Op], rawJSON(c.Old), rawJSON(c.New)})
		}
		doc.Objects = append(doc.Objects, o)
	}
	return doc
}

// rawJSON is a value as it stands on the tape; what is no JSON, as a string.
func rawJSON(text string) json.RawMessage {
	switch {
	case text == "":
		return nil
	case jsonscan.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return jsonscan.AppendQuote(nil, text)
}

func (d *stateDiff) counts() (added, removed, changed, recreated int) {
	for _, x := range d.found {
		switch x.Op {
		case statediff.Added:
			added++
		case statediff.Removed:
			removed++
		case statediff.Changed:
			changed++
		case statediff.Recreated:
			recreated++
		}
	}
	return
}

// listed reports whether text and patch list a difference: of Events and
// heartbeats there are many, and they hide what else differs.
func (d *stateDiff) listed(x *statediff.Difference) bool {
	return d.all || x.Identity.Kind != "Event" && !onlyHeartbeats(x)
}

// onlyHeartbeats reports whether all that differs is when somebody was last
// heard of.
func onlyHeartbeats(x *statediff.Difference) bool {
	if x.Op != statediff.Changed {
		return false
	}
	for _, c := range x.Changes {
		if !strings.HasSuffix(c.Path, ".lastHeartbeatTime") && !strings.HasSuffix(c.Path, "].lastProbeTime") &&
			(c.Path != "spec.renewTime" || x.Identity.Kind != "Lease") {
			return false
		}
	}
	return true
}
