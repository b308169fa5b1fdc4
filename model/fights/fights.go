// Package fights finds what goes to and fro: two managers that undo each
// other's changes, values that flap, containers that restart again and again.
//
// A detector is fed the rows of a log in order and remembers for each path that
// changed what it has been lately. What is told for a fight is beyond doubt:
// one path, of what is wanted and not of status, set to values that it had
// before, three changes or more in a row, each undone by somebody else.
package fights

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/blame"
	"rewatch/model/diff"
)

// Kind is what goes to and fro.
type Kind uint8

const (
	Fight       Kind = iota + 1 // managers undo each other's changes
	Flap                        // a value goes to and fro
	RestartLoop                 // containers of a pod restart again and again
)

// String is a word for the kind.
func (k Kind) String() string {
	switch k {
	case Fight:
		return "fight"
	case Flap:
		return "flap"
	case RestartLoop:
		return "restart loop"
	}
	return "?"
}

// Finding is one of them. It grows while it goes on.
type Finding struct {
	Kind   Kind
	Object model.ObjectID
	Path   string // from the cluster, not sanitised
	// Also are further paths of the object that flap in the same rows, as the
	// conditions of a node do.
	Also []string
	// Managers are those who take part, the first to begin with; of a flap or a
	// loop those who are known.
	Managers []string
	// Values are those between which it goes, as JSON, "" for absent, in the
	// order in which they came; of a loop the newest count alone.
	Values []string
	// Count is the number of changes so far: of a loop the restarts.
	Count int
	// Rows are the rows of the changes, the newest maxRows of them.
	Rows []model.Seq
	// Since and Until are the times of the first and of the newest change, in
	// nanoseconds since the Unix epoch.
	Since, Until int64

	dropped bool // for newer ones
}

const (
	// window is how long after a change the next one still belongs to it:
	// controllers that sync by the clock do so every few minutes.
	window = 15 * time.Minute
	// fightChanges, flapChanges and loopRestarts are how often it takes.
	fightChanges = 3
	flapChanges  = 5
	loopRestarts = 3

	maxRows   = 200
	maxValues = 4     // to and fro among more values is no flap
	maxValue  = 256   // bytes; longer values are not followed
	maxTracks = 50000 // paths that are remembered

	maxFindings = 500
)

// Detector finds what goes to and fro in one log. It belongs to one goroutine.
type Detector struct {
	log      *model.Log
	tracks   map[key]*track
	findings []*Finding
	dropped  int
	old, now []byte
}

type key struct {
	object model.ObjectID
	path   string
}

// track is what is remembered of a path: the present run of changes.
type track struct {
	values   []string // that it has had, in order of the first time
	last     string   // who made the newest change, "" unknown
	managers []string
	undone   bool // each change so far, after the first, was undone by another
	rows     []model.Seq
	count    int
	since    int64
	until    int64
	finding  *Finding
	follower bool // the finding is about another path
}

// New returns a detector for a log.
func New(l *model.Log) *Detector { return &Detector{log: l, tracks: map[key]*track{}} }

// Findings are the findings so far, in the order in which they were made; of
// more than 500 those that Dropped counts are left out. Those that go on change
// with Add, but never the lists that they had before: a copy of a Finding may
// be read by another goroutine.
func (d *Detector) Findings() []*Finding { return d.findings }

// Dropped is how many findings were dropped for newer ones: flaps before
// fights and loops, and of those the one that has been quiet for longest.
func (d *Detector) Dropped() int { return d.dropped }

// Add looks at a row. It returns what was found or has gone on with it.
func (d *Detector) Add(e model.Event) []*Finding {
	if e.Type != model.Modified || e.Has(model.Replayed) {
		return nil
	}
	var okOld, okNow bool
	d.old, okOld = d.log.AppendBytes(d.old[:0], e.Object, e.Version-1)
	d.now, okNow = d.log.AppendBytes(d.now[:0], e.Object, e.Version)
	if !okOld || !okNow {
		return nil
	}
	change := diff.Objects(d.old, d.now)
	return d.AddChange(e, change, blame.Changes(change, d.old, d.now))
}

// AddChange is Add for a caller that has compared the versions already.
func (d *Detector) AddChange(e model.Event, change diff.Result, owners []blame.Owner) []*Finding {
	var found []*Finding
	for i := range change.Changes {
		c := &change.Changes[i]
		who := owners[i].Manager
		if e.Has(model.Synthetic) {
			who = "" // who made the changes in between cannot be known
		}
		var f *Finding
		if strings.HasSuffix(c.Path, "].restartCount") {
			f = d.restart(e, c)
		} else if followed(c) {
			f = d.follow(e, c, who)
		}
		if f != nil && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	return found
}

// followed reports whether to and fro means anything at a path: not for what
// counts, tells times or words for people.
func followed(c *diff.Change) bool {
	last := c.Path[strings.LastIndexAny(c.Path, ".]")+1:]
	switch {
	case c.Path == "metadata.generation", last == "observedGeneration", last == "reason", last == "message",
		strings.HasSuffix(last, "Time"), strings.HasSuffix(last, "imestamp"), strings.HasSuffix(c.Path, "[order]"):
		return false
	case len(c.Old) > maxValue || len(c.New) > maxValue:
		return false
	case strings.HasPrefix(c.Path, "status"):
		// Numbers of replicas come and go with every rollout, and lists of
		// endpoints and conditions with what they are of.
		return c.Op == diff.Replace && c.Old[0] != '{' && c.Old[0] != '[' && !isNumber(c.Old)
	}
	return true
}

func isNumber(raw string) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

// follow adds a change to the run of its path.
func (d *Detector) follow(e model.Event, c *diff.Change, who string) *Finding {
	k := key{e.Object, c.Path}
	t := d.tracks[k]
	returns := t != nil && e.Time-t.until <= int64(window) && slices.Contains(t.values, c.New) && !e.Has(model.Synthetic)
	if !returns {
		d.start(k, e, c, who)
		return nil
	}
	t.undone = t.undone && who != "" && t.last != "" && who != t.last
	t.add(e, who)
	switch {
	case t.finding != nil && !t.finding.dropped:
	case t.undone && t.count >= fightChanges && !strings.HasPrefix(c.Path, "status"):
		d.report(k, t, Fight)
	case t.count >= flapChanges:
		d.report(k, t, Flap)
	default:
		return nil
	}
	t.update()
	return t.finding
}

// start begins a new run.
func (d *Detector) start(k key, e model.Event, c *diff.Change, who string) {
	if len(d.tracks) >= maxTracks {
		d.forget(e.Time)
	}
	t := &track{values: []string{c.Old, c.New}, undone: true, since: e.Time}
	t.add(e, who)
	d.tracks[k] = t
}

// forget drops the runs that are over; all of them, should none be.
func (d *Detector) forget(now int64) {
	for k, t := range d.tracks {
		if now-t.until > int64(window) {
			delete(d.tracks, k)
		}
	}
	if len(d.tracks) >= maxTracks {
		clear(d.tracks)
	}
}

func (t *track) add(e model.Event, who string) {
	t.count++
	t.last, t.until = who, e.Time
	t.rows = append(t.rows, e.Seq)
	if n := len(t.rows); n > maxRows {
		t.rows = slices.Delete(t.rows, 0, n-maxRows)
	}
	if who != "" && !slices.Contains(t.managers, who) {
		t.managers = append(t.managers, who)
	}
}

func (d *Detector) report(k key, t *track, kind Kind) {
	if kind == Flap {
		for _, f := range slices.Backward(d.findings) {
			if f.Kind == Flap && f.Object == k.object && slices.Equal(f.Rows, t.rows) {
				f.Also = append(slices.Clip(f.Also), k.path)
				t.finding, t.follower = f, true
				return
			}
		}
	}
	if len(d.findings) >= maxFindings {
		d.drop()
	}
	t.finding, t.follower = &Finding{Kind: kind, Object: k.object, Path: k.path, Since: t.since}, false
	d.findings = append(d.findings, t.finding)
}

// drop makes room for a finding. Should the dropped one go on, it is found anew.
func (d *Detector) drop() {
	least := 0
	for i, f := range d.findings {
		x := d.findings[least]
		if flap := f.Kind == Flap; flap && x.Kind != Flap || flap == (x.Kind == Flap) && f.Until < x.Until {
			least = i
		}
	}
	d.findings[least].dropped = true
	d.findings = slices.Delete(d.findings, least, least+1)
	d.dropped++
}

func (t *track) update() {
	f := t.finding
	if t.follower {
		return
	}
	f.Managers, f.Values, f.Count, f.Until = slices.Clone(t.managers), slices.Clone(t.values), t.count, t.until
	f.Rows = slices.Clone(t.rows)
}

// restart adds a restart of a container to its run.
func (d *Detector) restart(e model.Event, c *diff.Change) *Finding {
	old, _ := strconv.Atoi(c.Old)
	now, err := strconv.Atoi(c.New)
	if err != nil || now <= old {
		return nil
	}
	k := key{e.Object, c.Path}
	t := d.tracks[k]
	if t == nil || e.Time-t.until > int64(window) {
		t = &track{since: e.Time}
		if len(d.tracks) >= maxTracks {
			d.forget(e.Time)
		}
		d.tracks[k] = t
	}
	t.add(e, "")
	t.count += now - old - 1
	t.values = []string{c.New}
	found := t.finding != nil && !t.finding.dropped
	if !found && t.count < loopRestarts {
		return nil
	}
	if !found {
		d.report(k, t, RestartLoop)
	}
	t.update()
	return t.finding
}
