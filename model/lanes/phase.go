package lanes

import (
	"bytes"
	"strconv"

	"rewatch/model/jsonscan"
)

// Phase is what an object is in at a moment, in one word.
type Phase uint8

// The phases. Absent and what follows up to NotHeld say why there is none.
const (
	Absent  Phase = iota // the object does not exist
	Unread               // its version has not been looked at yet
	NotHeld              // it exists, but its version has left the log
	Exists               // of a type that says no more of itself
	Pending
	Creating // images and volumes come, init containers run
	Running  // its containers run, and have not been ready since they were started
	Ready
	NotReady // no longer ready; of a node: not ready
	CrashLoop
	ImagePull // an image cannot be pulled
	Error     // a container has ended that should not have
	Succeeded
	Failed
	Terminating
	Unknown // nobody has heard of it, says the cluster
	Progressing
	Available
	Degraded // fewer replicas than wanted, and no rollout under way
	Zero     // scaled to zero
	Cordoned
	Complete
	Suspended
	Bound
	Lost
	phases
)

// Tone says how good a phase is, the worst last.
type Tone uint8

// The tones.
const (
	Quiet Tone = iota // nothing to see
	Good
	Ending
	Busy // on its way to something better
	Warn
	Bad
)

var table = [phases]struct {
	letter, word string
	tone         Tone
}{
	Absent:      {" ", "absent", Quiet},
	Unread:      {" ", "not read yet", Quiet},
	NotHeld:     {" ", "not held", Quiet},
	Exists:      {"O", "exists", Quiet},
	Pending:     {"P", "Pending", Busy},
	Creating:    {"C", "ContainerCreating", Busy},
	Running:     {"W", "Running, not ready yet", Busy},
	Ready:       {"R", "Ready", Good},
	NotReady:    {"N", "NotReady", Bad},
	CrashLoop:   {"L", "CrashLoop", Bad},
	ImagePull:   {"I", "ImagePull", Bad},
	Error:       {"E", "Error", Bad},
	Succeeded:   {"S", "Succeeded", Good},
	Failed:      {"F", "Failed", Bad},
	Terminating: {"T", "Terminating", Ending},
	Unknown:     {"U", "Unknown", Warn},
	Progressing: {"G", "progressing", Busy},
	Available:   {"A", "available", Good},
	Degraded:    {"D", "degraded", Bad},
	Zero:        {"Z", "scaled to zero", Quiet},
	Cordoned:    {"K", "cordoned", Warn},
	Complete:    {"S", "complete", Good},
	Suspended:   {"H", "suspended", Quiet},
	Bound:       {"B", "bound", Good},
	Lost:        {"V", "lost", Bad},
}

// Letter is one upper-case letter, of its own for each phase; a Job that is
// complete and a Pod that has succeeded share theirs.
func (p Phase) Letter() string { return table[p].letter }

// Word is what kubectl or the API calls it.
func (p Phase) Word() string { return table[p].word }

// Short is a word for a legend.
func (p Phase) Short() string {
	switch p {
	case Creating:
		return "Creating"
	case Running:
		return "not ready yet"
	case Zero:
		return "zero"
	case Succeeded, Complete:
		return "Succeeded"
	}
	return p.Word()
}

// Tone is how good it is.
func (p Phase) Tone() Tone { return table[p].tone }

// Of reads from a version of an object which phase it is in, and what else
// there is to say of it in a word or two: "3/4", "exit 137". detail is from the
// cluster, not sanitised.
func Of(kind string, raw []byte) (p Phase, detail string) {
	status := jsonscan.Find(raw, "status")
	if has(jsonscan.Get(raw, "metadata", "deletionTimestamp")) {
		return Terminating, ""
	}
	switch kind {
	case "Pod":
		return pod(status)
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController":
		return workload(kind, raw, status)
	case "Node":
		return node(raw, status)
	case "Job":
		return job(raw, status)
	case "PersistentVolumeClaim", "PersistentVolume":
		switch phase := text(status, "phase"); phase {
		case "Pending":
			return Pending, ""
		case "Bound":
			return Bound, ""
		case "Available":
			return Available, ""
		case "Lost", "Failed":
			return Lost, ""
		default:
			return Exists, phase
		}
	}
	return generic(status)
}

// generic goes by the conditions that most types with conditions have.
func generic(status []byte) (Phase, string) {
	if c := condition(status, "Ready"); c.status != "" {
		return byStatus(c, Ready, NotReady)
	}
	if c := condition(status, "Available"); c.status != "" {
		return byStatus(c, Available, Degraded)
	}
	return Exists, ""
}

func byStatus(c cond, yes, no Phase) (Phase, string) {
	switch c.status {
	case "True":
		return yes, ""
	case "False":
		return no, c.reason
	}
	return Unknown, c.reason
}

// pod goes by what kubectl shows in its STATUS column, and tells the time before
// containers are ready for the first time from that after.
func pod(status []byte) (Phase, string) {
	phase := text(status, "phase")
	switch phase {
	case "Succeeded":
		return Succeeded, ""
	case "Failed":
		return Failed, text(status, "reason")
	case "Unknown":
		return Unknown, text(status, "reason")
	}
	c := containers(status)
	switch {
	case c.bad != Absent:
		return c.bad, c.why
	case phase == "Running":
		r := condition(status, "Ready")
		switch {
		case r.status == "True" || r.status == "" && c.total > 0 && c.ready == c.total:
			return Ready, c.detail()
		case r.status == "" || c.started == "" || r.since <= c.started:
			return Running, c.detail()
		}
		return NotReady, c.detail()
	case c.creating || condition(status, "PodScheduled").status == "True":
		return Creating, c.why
	}
	return Pending, condition(status, "PodScheduled").reason
}

// tally is what the containers of a pod say.
type tally struct {
	ready, total int
	creating     bool
	bad          Phase  // the worst that one waits for, Absent if none does
	why          string // of it
	started      string // when the last one that runs was, RFC 3339
}

func (t tally) detail() string {
	if t.total == 0 {
		return ""
	}
	return strconv.Itoa(t.ready) + "/" + strconv.Itoa(t.total)
}

func containers(status []byte) (t tally) {
	for _, list := range []string{"initContainerStatuses", "containerStatuses"} {
		each(jsonscan.Find(status, list), func(c []byte) {
			state := jsonscan.Find(c, "state")
			if list == "containerStatuses" {
				t.total++
				if string(jsonscan.Find(c, "ready")) == "true" {
					t.ready++
				}
				t.started = max(t.started, text(state, "running", "startedAt"))
			}
			t.wait(text(state, "waiting", "reason"))
			if end := jsonscan.Find(state, "terminated"); has(end) {
				if code := string(jsonscan.Find(end, "exitCode")); code != "0" && code != "" {
					t.worse(Error, "exit "+code)
				}
			}
		})
	}
	return t
}

// wait takes in why a container does not run.
func (t *tally) wait(reason string) {
	switch reason {
	case "":
	case "CrashLoopBackOff":
		t.worse(CrashLoop, reason)
	case "ImagePullBackOff", "ErrImagePull", "InvalidImageName", "ErrImageNeverPull":
		t.worse(ImagePull, reason)
	case "ContainerCreating", "PodInitializing":
		t.creating = true
	default:
		t.worse(Error, reason)
	}
}

// worse keeps the worst: crash loops before images before other errors.
func (t *tally) worse(p Phase, why string) {
	if t.bad == Absent || p < t.bad {
		t.bad, t.why = p, why
	}
}

// workload goes by the counts that controllers write; what has not been
// observed yet is on its way.
func workload(kind string, raw, status []byte) (Phase, string) {
	want, ok := number(jsonscan.Get(raw, "spec", "replicas"))
	if !ok {
		want = 1
	}
	total := count(status, "replicas")
	up, updated, rolls := count(status, "availableReplicas"), count(status, "updatedReplicas"), kind != "ReplicaSet" && kind != "ReplicationController"
	if kind == "DaemonSet" {
		want, total = count(status, "desiredNumberScheduled"), count(status, "currentNumberScheduled")
		up, updated = count(status, "numberAvailable"), count(status, "updatedNumberScheduled")
	}
	up = max(up, 0)
	detail := strconv.Itoa(up) + "/" + strconv.Itoa(want)
	generation, _ := number(jsonscan.Get(raw, "metadata", "generation"))
	observed, seen := number(jsonscan.Find(status, "observedGeneration"))
	progress := condition(status, "Progressing")
	switch {
	case progress.status == "False":
		return Degraded, detail + " " + progress.reason
	case condition(status, "ReplicaFailure").status == "True":
		return Degraded, detail + " " + condition(status, "ReplicaFailure").reason
	case seen && observed < generation, !seen && !has(status):
		return Progressing, detail
	case total != want && (total >= 0 || seen), rolls && updated >= 0 && updated < want && kind != "StatefulSet":
		return Progressing, detail
	case kind == "StatefulSet" && text(status, "currentRevision") != text(status, "updateRevision"):
		return Progressing, detail
	case want == 0:
		return Zero, detail
	case up < want && (!rolls || kind == "Deployment" && progress.reason != "NewReplicaSetAvailable"):
		return Progressing, detail
	case up < want:
		return Degraded, detail
	}
	return Available, detail
}

func node(raw, status []byte) (Phase, string) {
	p, why := byStatus(condition(status, "Ready"), Ready, NotReady)
	if string(jsonscan.Get(raw, "spec", "unschedulable")) == "true" {
		if p == Ready {
			return Cordoned, ""
		}
		why = "cordoned, " + why
	}
	return p, why
}

func job(raw, status []byte) (Phase, string) {
	if c := condition(status, "Failed"); c.status == "True" {
		return Failed, c.reason
	}
	if condition(status, "Complete").status == "True" {
		return Complete, ""
	}
	if string(jsonscan.Get(raw, "spec", "suspend")) == "true" {
		return Suspended, ""
	}
	if n := max(count(status, "active"), 0); n > 0 {
		return Running, strconv.Itoa(n) + " active"
	}
	return Pending, ""
}

// cond is one of status.conditions.
type cond struct{ status, reason, since string }

func condition(status []byte, name string) (out cond) {
	each(jsonscan.Find(status, "conditions"), func(c []byte) {
		if out.status == "" && text(c, "type") == name {
			out = cond{text(c, "status"), text(c, "reason"), text(c, "lastTransitionTime")}
		}
	})
	return out
}

// each calls f with the elements of an array.
func each(array []byte, f func([]byte)) {
	var buf [16]jsonscan.Span
	spans, _ := jsonscan.AppendElements(buf[:0], array)
	for _, s := range spans {
		f(s.Of(array))
	}
}

func has(value []byte) bool { return len(value) > 0 && !bytes.Equal(value, []byte("null")) }

// count is a number of a status, -1 if it is not there. Controllers leave zeros
// out where a status is written at all.
func count(status []byte, key string) int {
	if n, ok := number(jsonscan.Find(status, key)); ok {
		return n
	}
	if has(jsonscan.Find(status, "observedGeneration")) {
		return 0
	}
	return -1
}

func number(value []byte) (int, bool) {
	n, err := strconv.Atoi(string(value))
	return n, err == nil
}

// text is the text at a path, "" if there is none; not a view of object.
func text(object []byte, path ...string) string {
	s, err := jsonscan.Unquote(jsonscan.Get(object, path...))
	if err != nil {
		return ""
	}
	return string([]byte(s))
}
