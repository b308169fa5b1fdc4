package health

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rewatch/model"
	"rewatch/model/belong"
	"rewatch/model/jsonscan"
)

// judge looks at one version of an object and notes what is wrong.
type judge func(c *examination, raw []byte)

// examination is what a judge finds.
type examination struct {
	at    time.Time // of the row
	row   Problem   // what all problems of the row have in common
	found []Problem
	event *event // instead, of a Warning Event
}

type event struct {
	about           model.Identity
	reason, message string
	count           int
	last            time.Time
}

func judgeOf(group model.Identity) judge {
	switch group.Kind {
	case "Pod":
		return judgePod
	case "Deployment", "StatefulSet", "DaemonSet":
		return func(c *examination, raw []byte) { judgeWorkload(c, group.Kind, raw) }
	case "Node":
		return judgeNode
	case "Job":
		return judgeJob
	case "PersistentVolumeClaim":
		return judgeClaim
	case "Event":
		return judgeEvent
	}
	return nil
}

// note notes a problem. A patience above 0 is how long it has to last.
func (c *examination) note(s Section, reason, message string, since time.Time, patience time.Duration) *Problem {
	p := c.row
	p.Section, p.Reason, p.Text, p.Since = s, reason, message, since
	if patience > 0 {
		p.From = p.When().Add(patience)
	}
	c.found = append(c.found, p)
	return &c.found[len(c.found)-1]
}

// How long a state has to last to be a problem.
const (
	startPatience    = time.Minute
	settlePatience   = 30 * time.Second
	schedulePatience = 10 * time.Second
	// restartsCount is how long a restart is told of.
	restartsCount = time.Hour
)

func judgePod(c *examination, raw []byte) {
	status := jsonscan.Find(raw, "status")
	meta := jsonscan.Find(raw, "metadata")
	if text(status, "phase") == "Failed" {
		judgeFailed(c, status)
		return
	}
	if t := moment(meta, "deletionTimestamp"); !t.IsZero() {
		why := "its grace period is over"
		if f := jsonscan.Find(meta, "finalizers"); has(f) {
			why += "; finalizers: " + strings.Join(texts(f), ", ")
		}
		c.note(Pods, "Terminating", why, t, settlePatience)
		return
	}
	containers := judgeContainers(c, status)
	switch text(status, "phase") {
	case "Succeeded":
		c.found = nil
	case "Unknown":
		c.note(Pods, "Unknown", text(status, "message"), time.Time{}, 0)
	case "Pending":
		if containers {
			return
		}
		if s := condition(status, "PodScheduled"); s.status == "False" {
			c.note(Pods, or(s.reason, "Unschedulable"), s.message, s.since, schedulePatience)
			return
		}
		c.note(Pods, "Pending", waitsFor(status), moment(meta, "creationTimestamp"), startPatience)
	default:
		if r := condition(status, "Ready"); r.status == "False" && !containers {
			c.note(Pods, "NotReady", or(or(r.message, r.reason), "its Ready condition is False"), r.since, settlePatience)
		}
	}
}

// judgeFailed says why a Pod has failed: the Pod may know (Evicted), or the
// container that ended.
func judgeFailed(c *examination, status []byte) {
	reason, message := text(status, "reason"), text(status, "message")
	since := time.Time{}
	eachContainer(status, func(name string, s []byte) {
		end := jsonscan.Get(s, "state", "terminated")
		if code := text0(end, "exitCode"); has(end) && code != "0" && code != "" {
			reason = or(reason, text(end, "reason"))
			message = or(message, ended(name, end))
			since = moment(end, "finishedAt")
		}
	})
	if reason == "" || message == "" {
		for _, t := range []string{"DisruptionTarget", "Ready"} {
			x := condition(status, t)
			if message == "" && x.message != "" {
				message = x.message
			}
			if since.IsZero() {
				since = x.since
			}
		}
	}
	c.note(Pods, or(reason, "Failed"), message, since, 0)
}

// judgeContainers notes containers that wait for something bad, have ended with
// an error, or were restarted. It reports whether one does not run.
func judgeContainers(c *examination, status []byte) (bad bool) {
	eachContainer(status, func(name string, s []byte) {
		restarts, _ := strconv.Atoi(text0(s, "restartCount"))
		last := jsonscan.Get(s, "lastState", "terminated")
		wait, end := jsonscan.Get(s, "state", "waiting"), jsonscan.Get(s, "state", "terminated")
		switch reason := text(wait, "reason"); reason {
		case "", "ContainerCreating", "PodInitializing":
			if code := text0(end, "exitCode"); has(end) && code != "0" && code != "" {
				c.note(Pods, or(text(end, "reason"), "Error"), ended(name, end), moment(end, "finishedAt"), 0)
				bad = true
			}
		default:
			message := "container " + name
			if m := text(wait, "message"); m != "" {
				message += ": " + m
			}
			if has(last) {
				message += "; ended before: " + why(last)
			}
			c.note(Pods, reason, message, moment(last, "finishedAt"), 0)
			bad = true
		}
		if restarts > 0 && has(last) {
			p := c.note(Restarts, or(text(last, "reason"), "Restarted"), ended(name, last), moment(last, "finishedAt"), 0)
			p.Count, p.Until = restarts, p.When().Add(restartsCount)
		}
	})
	return bad
}

// ended says of a container how it ended.
func ended(name string, end []byte) string { return "container " + name + ": " + why(end) }

func why(end []byte) string {
	s := text(end, "reason")
	if code := text0(end, "exitCode"); code != "" {
		s = strings.TrimSpace(s + " exit " + code)
	}
	if n := text0(end, "signal"); n != "" && n != "0" {
		s += ", signal " + n
	}
	if m := text(end, "message"); m != "" {
		s += ": " + m
	}
	return s
}

// waitsFor says what a Pod waits for that has been scheduled.
func waitsFor(status []byte) string {
	out := ""
	eachContainer(status, func(name string, s []byte) {
		if r := text(s, "state", "waiting", "reason"); r != "" && out == "" {
			out = "container " + name + ": " + r
		}
	})
	return out
}

func judgeWorkload(c *examination, kind string, raw []byte) {
	status := jsonscan.Find(raw, "status")
	if !has(status) {
		return
	}
	want, ready := number(raw, 1, "spec", "replicas"), number(status, 0, "readyReplicas")
	if kind == "DaemonSet" {
		want, ready = number(status, 0, "desiredNumberScheduled"), number(status, 0, "numberReady")
	}
	up := fmt.Sprintf("%d of %d ready", ready, want)
	if p := condition(status, "Progressing"); p.status == "False" {
		c.note(Workloads, or(p.reason, "NotProgressing"), up+": "+p.message, p.since, 0)
		return
	}
	if f := condition(status, "ReplicaFailure"); f.status == "True" {
		c.note(Workloads, or(f.reason, "ReplicaFailure"), up+": "+f.message, f.since, 0)
		return
	}
	switch a := condition(status, "Available"); {
	case a.status == "False" && ready < want:
		c.note(Workloads, "Unavailable", up+": "+a.message, a.since, settlePatience)
	case ready < want:
		c.note(Workloads, "NotReady", up, time.Time{}, startPatience)
	}
}

func judgeNode(c *examination, raw []byte) {
	each(jsonscan.Get(raw, "status", "conditions"), func(x []byte) {
		t, status := text(x, "type"), text(x, "status")
		switch {
		case t == "Ready" && status != "True":
			c.note(Nodes, "NotReady", strings.TrimSuffix(text(x, "reason")+": "+text(x, "message"), ": "), moment(x, "lastTransitionTime"), 0)
		case t != "Ready" && status == "True" && (strings.HasSuffix(t, "Pressure") || t == "NetworkUnavailable"):
			c.note(Nodes, t, text(x, "message"), moment(x, "lastTransitionTime"), 0)
		}
	})
	if string(jsonscan.Get(raw, "spec", "unschedulable")) == "true" {
		c.note(Nodes, "Cordoned", "no Pod is scheduled to it", time.Time{}, 0)
	}
}

func judgeJob(c *examination, raw []byte) {
	status := jsonscan.Find(raw, "status")
	if f := condition(status, "Failed"); f.status == "True" {
		c.note(Jobs, or(f.reason, "Failed"), f.message, f.since, 0)
	}
}

func judgeClaim(c *examination, raw []byte) {
	switch phase := text(raw, "status", "phase"); phase {
	case "Pending":
		c.note(Volumes, "Pending", "it is not bound", moment(raw, "metadata", "creationTimestamp"), settlePatience)
	case "Lost":
		c.note(Volumes, "Lost", "its volume is gone", time.Time{}, 0)
	}
}

// judgeEvent reads a Warning, under both APIs that Events have.
func judgeEvent(c *examination, raw []byte) {
	if !bytes.Equal(jsonscan.Find(raw, "type"), []byte(`"Warning"`)) {
		return
	}
	ref := jsonscan.Find(raw, "involvedObject")
	if !has(ref) {
		ref = jsonscan.Find(raw, "regarding")
	}
	e := &event{reason: text(raw, "reason"), message: or(text(raw, "message"), text(raw, "note")), last: belong.EventTime(raw)}
	e.about = model.Identity{APIVersion: text(ref, "apiVersion"), Kind: text(ref, "kind"), Namespace: text(ref, "namespace"), Name: text(ref, "name"), UID: text(ref, "uid")}
	for _, path := range [][]string{{"series", "count"}, {"count"}, {"deprecatedCount"}} {
		e.count = max(e.count, number(raw, 1, path...))
	}
	if e.last.IsZero() {
		e.last = c.at
	}
	c.event = e
}

func gapText(g model.Gap) string {
	s := fmt.Sprintf("resourceVersions %s to %s", or(g.FromRV, "?"), or(g.ToRV, "?"))
	if g.Took > 0 {
		s += ", " + g.Took.Round(100*time.Millisecond).String()
	}
	if g.Text != "" {
		s += ": " + g.Text
	}
	return fmt.Sprintf("%s; the list after it found %d added, %d modified, %d deleted", s, g.Added, g.Modified, g.Deleted)
}
