package table

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

func containersOf() metav1.TableColumnDefinition {
	return wide(text("Containers", "Names of each container in the template."))
}

func imagesOf() metav1.TableColumnDefinition {
	return wide(text("Images", "Images referenced by each container in the template."))
}

func containerCells(containers []corev1.Container) (names, images string) {
	var n, i []string
	for _, c := range containers {
		n, i = append(n, c.Name), append(i, c.Image)
	}
	return strings.Join(n, ","), strings.Join(i, ",")
}

// documented are the API's types.
type documented interface{ SwaggerDoc() map[string]string }

// replicas are the columns of what keeps a number of pods.
func replicas(spec, status documented) []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{name(), number("Desired", doc(spec, "replicas")), number("Current", doc(status, "replicas")),
		number("Ready", doc(status, "readyReplicas")), age()}
}

func (b Builtins) addApps() {
	b.add("apps", "Deployment", printer(func(o *appsv1.Deployment, now clock) []any {
		names, images := containerCells(o.Spec.Template.Spec.Containers)
		selector := "<invalid>"
		if s, err := metav1.LabelSelectorAsSelector(o.Spec.Selector); err == nil {
			selector = s.String()
		}
		return []any{o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, deref(o.Spec.Replicas, 0)), int64(o.Status.UpdatedReplicas),
			int64(o.Status.AvailableReplicas), now.since(o.CreationTimestamp), names, images, selector}
	}, name(), text("Ready", "Number of the pod with ready state"), text("Up-to-date", doc(appsv1.DeploymentStatus{}, "updatedReplicas")),
		text("Available", doc(appsv1.DeploymentStatus{}, "availableReplicas")), age(), containersOf(), imagesOf(),
		wide(text("Selector", doc(appsv1.DeploymentSpec{}, "selector")))))

	b.add("apps", "ReplicaSet", printer(func(o *appsv1.ReplicaSet, now clock) []any {
		names, images := containerCells(o.Spec.Template.Spec.Containers)
		return []any{o.Name, int64(deref(o.Spec.Replicas, 0)), int64(o.Status.Replicas), int64(o.Status.ReadyReplicas),
			now.since(o.CreationTimestamp), names, images, metav1.FormatLabelSelector(o.Spec.Selector)}
	}, append(replicas(appsv1.ReplicaSetSpec{}, appsv1.ReplicaSetStatus{}), containersOf(), imagesOf(),
		wide(text("Selector", doc(appsv1.ReplicaSetSpec{}, "selector"))))...))

	b.add("apps", "StatefulSet", printer(func(o *appsv1.StatefulSet, now clock) []any {
		names, images := containerCells(o.Spec.Template.Spec.Containers)
		return []any{o.Name, fmt.Sprintf("%d/%d", o.Status.ReadyReplicas, deref(o.Spec.Replicas, 0)), now.since(o.CreationTimestamp), names, images}
	}, name(), text("Ready", "Number of the pod with ready state"), age(), containersOf(), imagesOf()))

	b.add("apps", "DaemonSet", printer(func(o *appsv1.DaemonSet, now clock) []any {
		names, images := containerCells(o.Spec.Template.Spec.Containers)
		s := o.Status
		return []any{o.Name, int64(s.DesiredNumberScheduled), int64(s.CurrentNumberScheduled), int64(s.NumberReady),
			int64(s.UpdatedNumberScheduled), int64(s.NumberAvailable), labels.FormatLabels(o.Spec.Template.Spec.NodeSelector),
			now.since(o.CreationTimestamp), names, images, metav1.FormatLabelSelector(o.Spec.Selector)}
	}, name(), number("Desired", doc(appsv1.DaemonSetStatus{}, "desiredNumberScheduled")),
		number("Current", doc(appsv1.DaemonSetStatus{}, "currentNumberScheduled")), number("Ready", doc(appsv1.DaemonSetStatus{}, "numberReady")),
		number("Up-to-date", doc(appsv1.DaemonSetStatus{}, "updatedNumberScheduled")),
		number("Available", doc(appsv1.DaemonSetStatus{}, "numberAvailable")), text("Node Selector", doc(corev1.PodSpec{}, "nodeSelector")),
		age(), containersOf(), imagesOf(), wide(text("Selector", doc(appsv1.DaemonSetSpec{}, "selector")))))

	b.add("apps", "ControllerRevision", printer(func(o *appsv1.ControllerRevision, now clock) []any {
		controller := "<none>"
		if ref := metav1.GetControllerOf(o); ref != nil {
			kind := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind()
			controller = strings.ToLower(kind.String()) + "/" + ref.Name
		}
		return []any{o.Name, controller, o.Revision, now.since(o.CreationTimestamp)}
	}, name(), text("Controller", "Controller of the object"), text("Revision", doc(appsv1.ControllerRevision{}, "revision")), age()))
}

func (b Builtins) addBatch() {
	selector := wide(text("Selector", doc(batchv1.JobSpec{}, "selector")))
	b.add("batch", "Job", printer(func(o *batchv1.Job, now clock) []any {
		names, images := containerCells(o.Spec.Template.Spec.Containers)
		return []any{o.Name, jobStatus(o), completions(o), jobDuration(o, now), now.since(o.CreationTimestamp), names, images,
			metav1.FormatLabelSelector(o.Spec.Selector)}
	}, name(), text("Status", "Status of the job."), text("Completions", doc(batchv1.JobStatus{}, "succeeded")),
		text("Duration", "Time required to complete the job."), age(), containersOf(), imagesOf(), selector))

	b.add("batch", "CronJob", printer(func(o *batchv1.CronJob, now clock) []any {
		last, suspend := "<none>", "<unset>"
		if o.Status.LastScheduleTime != nil {
			last = now.since(*o.Status.LastScheduleTime)
		}
		if o.Spec.Suspend != nil {
			suspend = "False"
			if *o.Spec.Suspend {
				suspend = "True"
			}
		}
		names, images := containerCells(o.Spec.JobTemplate.Spec.Template.Spec.Containers)
		return []any{o.Name, o.Spec.Schedule, deref(o.Spec.TimeZone, "<none>"), suspend, int64(len(o.Status.Active)), last,
			now.since(o.CreationTimestamp), names, images, metav1.FormatLabelSelector(o.Spec.JobTemplate.Spec.Selector)}
	}, name(), text("Schedule", doc(batchv1.CronJobSpec{}, "schedule")), text("Timezone", doc(batchv1.CronJobSpec{}, "timeZone")),
		flag("Suspend", doc(batchv1.CronJobSpec{}, "suspend")), number("Active", doc(batchv1.CronJobStatus{}, "active")),
		text("Last Schedule", doc(batchv1.CronJobStatus{}, "lastScheduleTime")), age(), containersOf(), imagesOf(), selector))
}

// jobStatus is the first of its conditions, by weight, that holds.
func jobStatus(o *batchv1.Job) string {
	holds := func(typ batchv1.JobConditionType) bool {
		for _, c := range o.Status.Conditions {
			if c.Type == typ {
				return c.Status == corev1.ConditionTrue
			}
		}
		return false
	}
	switch {
	case holds(batchv1.JobComplete):
		return "Complete"
	case holds(batchv1.JobFailed):
		return "Failed"
	case o.DeletionTimestamp != nil:
		return "Terminating"
	}
	for _, typ := range []batchv1.JobConditionType{batchv1.JobSuspended, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		if holds(typ) {
			return string(typ)
		}
	}
	return "Running"
}

func completions(o *batchv1.Job) string {
	switch parallel := deref(o.Spec.Parallelism, 0); {
	case o.Spec.Completions != nil:
		return fmt.Sprintf("%d/%d", o.Status.Succeeded, *o.Spec.Completions)
	case parallel > 1:
		return fmt.Sprintf("%d/1 of %d", o.Status.Succeeded, parallel)
	}
	return fmt.Sprintf("%d/1", o.Status.Succeeded)
}

func jobDuration(o *batchv1.Job, now clock) string {
	switch s := o.Status; {
	case s.StartTime == nil:
		return ""
	case s.CompletionTime == nil:
		return now.ago(s.StartTime.Time)
	default:
		return duration.HumanDuration(s.CompletionTime.Sub(s.StartTime.Time))
	}
}
