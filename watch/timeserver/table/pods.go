package table

import (
	"encoding/json"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b Builtins) addPods() {
	p := printer[corev1.Pod](nil,
		name(),
		text("Ready", "The aggregate readiness state of this pod for accepting traffic."),
		text("Status", "The aggregate status of the containers in this pod."),
		text("Restarts", "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted."),
		age(),
		wide(text("IP", doc(corev1.PodStatus{}, "podIP"))),
		wide(text("Node", doc(corev1.PodSpec{}, "nodeName"))),
		wide(text("Nominated Node", doc(corev1.PodStatus{}, "nominatedNodeName"))),
		wide(text("Readiness Gates", doc(corev1.PodSpec{}, "readinessGates"))),
	)
	p.row = func(raw []byte, now clock) (Row, error) {
		var pod corev1.Pod
		if err := json.Unmarshal(raw, &pod); err != nil {
			return Row{}, err
		}
		return Row{Cells: podCells(&pod, now), Conditions: podConditions(pod.Status.Phase)}, nil
	}
	b.add("", "Pod", p)
}

func podConditions(phase corev1.PodPhase) []metav1.TableRowCondition {
	message := ""
	switch phase {
	case corev1.PodSucceeded:
		message = "The pod has completed successfully."
	case corev1.PodFailed:
		message = "The pod failed."
	default:
		return nil
	}
	return []metav1.TableRowCondition{{Type: metav1.RowCompleted, Status: metav1.ConditionTrue, Reason: string(phase), Message: message}}
}

func podCells(pod *corev1.Pod, now clock) []any {
	s := summary{reason: or(pod.Status.Reason, string(pod.Status.Phase)), total: len(pod.Spec.Containers)}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonSchedulingGated {
			s.reason = corev1.PodReasonSchedulingGated
		}
	}
	initializing := s.initContainers(pod)
	if !initializing || conditionTrue(pod, corev1.PodInitialized) {
		s.containers(pod)
	}
	terminal := pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
	switch {
	case pod.DeletionTimestamp == nil:
	case pod.Status.Reason == "NodeLost":
		s.reason = "Unknown"
	case !terminal:
		s.reason = "Terminating"
	}
	ip := ""
	if len(pod.Status.PodIPs) > 0 {
		ip = pod.Status.PodIPs[0].IP
	}
	const none = "<none>"
	return []any{pod.Name, fmt.Sprintf("%d/%d", s.ready, s.total), s.reason, s.restarts.text(now), now.since(pod.CreationTimestamp),
		or(ip, none), or(pod.Spec.NodeName, none), or(pod.Status.NominatedNodeName, none), readinessGates(pod)}
}

// summary is what the containers of a pod come to.
type summary struct {
	reason       string
	ready, total int
	restarts     restarts
	sidecars     restarts
}

// restarts counts them, and knows when the last one was.
type restarts struct {
	n    int
	last metav1.Time
}

func (r *restarts) add(c *corev1.ContainerStatus) {
	r.n += int(c.RestartCount)
	if t := c.LastTerminationState.Terminated; t != nil && r.last.Before(&t.FinishedAt) {
		r.last = t.FinishedAt
	}
}

func (r restarts) text(now clock) string {
	if r.n != 0 && !r.last.IsZero() {
		return fmt.Sprintf("%d (%s ago)", r.n, now.since(r.last))
	}
	return strconv.Itoa(r.n)
}

// initContainers reports whether one of them has not done yet what it is for.
func (s *summary) initContainers(pod *corev1.Pod) (initializing bool) {
	sidecar := map[string]bool{}
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecar[c.Name] = true
			s.total++
		}
	}
	for i := range pod.Status.InitContainerStatuses {
		c := &pod.Status.InitContainerStatuses[i]
		s.restarts.add(c)
		if sidecar[c.Name] {
			s.sidecars.add(c)
		}
		terminated, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case terminated != nil && terminated.ExitCode == 0:
			continue
		case sidecar[c.Name] && c.Started != nil && *c.Started:
			if c.Ready {
				s.ready++
			}
			continue
		case terminated != nil:
			s.reason = "Init:" + exitReason(terminated)
		case waiting != nil && waiting.Reason != "" && waiting.Reason != "PodInitializing":
			s.reason = "Init:" + waiting.Reason
		default:
			s.reason = fmt.Sprintf("Init:%d/%d", i, len(pod.Spec.InitContainers))
		}
		return true
	}
	return false
}

func (s *summary) containers(pod *corev1.Pod) {
	s.restarts = s.sidecars
	running, failure := false, ""
	for i := len(pod.Status.ContainerStatuses) - 1; i >= 0; i-- {
		c := &pod.Status.ContainerStatuses[i]
		s.restarts.add(c)
		terminated, waiting := c.State.Terminated, c.State.Waiting
		switch {
		case waiting != nil && waiting.Reason != "":
			s.reason = waiting.Reason
		case terminated != nil:
			if s.reason = exitReason(terminated); terminated.ExitCode != 0 {
				failure = s.reason
			}
		case c.Ready && c.State.Running != nil:
			running = true
			s.ready++
		}
	}
	if s.reason != "Completed" {
		return
	}
	switch {
	case running && conditionTrue(pod, corev1.PodReady):
		s.reason = "Running"
	case failure != "":
		s.reason = failure
	case running:
		s.reason = "NotReady"
	}
}

func exitReason(t *corev1.ContainerStateTerminated) string {
	switch {
	case t.Reason != "":
		return t.Reason
	case t.Signal != 0:
		return fmt.Sprintf("Signal:%d", t.Signal)
	}
	return fmt.Sprintf("ExitCode:%d", t.ExitCode)
}

func conditionTrue(pod *corev1.Pod, typ corev1.PodConditionType) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == typ {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func readinessGates(pod *corev1.Pod) string {
	if len(pod.Spec.ReadinessGates) == 0 {
		return "<none>"
	}
	n := 0
	for _, g := range pod.Spec.ReadinessGates {
		if conditionTrue(pod, g.ConditionType) {
			n++
		}
	}
	return fmt.Sprintf("%d/%d", n, len(pod.Spec.ReadinessGates))
}
