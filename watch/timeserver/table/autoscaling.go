package table

import (
	"fmt"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
)

func (b Builtins) addAutoscaling() {
	b.add("autoscaling", "HorizontalPodAutoscaler", printer(func(o *autoscalingv2.HorizontalPodAutoscaler, now clock) []any {
		least := "<unset>"
		if o.Spec.MinReplicas != nil {
			least = fmt.Sprint(*o.Spec.MinReplicas)
		}
		return []any{o.Name, o.Spec.ScaleTargetRef.Kind + "/" + o.Spec.ScaleTargetRef.Name,
			metrics(o.Spec.Metrics, o.Status.CurrentMetrics), least, int64(o.Spec.MaxReplicas), int64(o.Status.CurrentReplicas),
			now.since(o.CreationTimestamp)}
	}, name(), text("Reference", doc(autoscalingv2.HorizontalPodAutoscalerSpec{}, "scaleTargetRef")),
		text("Targets", doc(autoscalingv2.HorizontalPodAutoscalerSpec{}, "metrics")),
		text("MinPods", doc(autoscalingv2.HorizontalPodAutoscalerSpec{}, "minReplicas")),
		text("MaxPods", doc(autoscalingv2.HorizontalPodAutoscalerSpec{}, "maxReplicas")),
		text("Replicas", doc(autoscalingv2.HorizontalPodAutoscalerStatus{}, "currentReplicas")), age()))
}

// metrics are the first two targets, with what they are now.
func metrics(specs []autoscalingv2.MetricSpec, statuses []autoscalingv2.MetricStatus) string {
	if len(specs) == 0 {
		return "<none>"
	}
	const most = 2
	var list []string
	for i, spec := range specs {
		var status autoscalingv2.MetricStatus
		if i < len(statuses) {
			status = statuses[i]
		}
		list = append(list, metric(spec, status))
	}
	if len(list) > most {
		return fmt.Sprintf("%s + %d more...", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, ", ")
}

func metric(spec autoscalingv2.MetricSpec, status autoscalingv2.MetricStatus) string {
	switch spec.Type {
	case autoscalingv2.ExternalMetricSourceType:
		if spec.External == nil {
			break
		}
		var now *autoscalingv2.MetricValueStatus
		if status.External != nil {
			now = &status.External.Current
		}
		return valueOrAverage(spec.External.Target, now)
	case autoscalingv2.ObjectMetricSourceType:
		if spec.Object == nil {
			break
		}
		var now *autoscalingv2.MetricValueStatus
		if status.Object != nil {
			now = &status.Object.Current
		}
		return valueOrAverage(spec.Object.Target, now)
	case autoscalingv2.PodsMetricSourceType:
		if spec.Pods == nil {
			break
		}
		current := "<unknown>"
		if status.Pods != nil {
			current = quantity(status.Pods.Current.AverageValue)
		}
		return current + "/" + quantity(spec.Pods.Target.AverageValue)
	case autoscalingv2.ResourceMetricSourceType:
		if spec.Resource == nil {
			break
		}
		var now *autoscalingv2.MetricValueStatus
		if status.Resource != nil {
			now = &status.Resource.Current
		}
		return string(spec.Resource.Name) + ": " + utilization(spec.Resource.Target, now)
	case autoscalingv2.ContainerResourceMetricSourceType:
		if spec.ContainerResource == nil {
			break
		}
		var now *autoscalingv2.MetricValueStatus
		if status.ContainerResource != nil {
			now = &status.ContainerResource.Current
		}
		return string(spec.ContainerResource.Name) + ": " + utilization(spec.ContainerResource.Target, now)
	}
	return "<unknown type>"
}

func valueOrAverage(target autoscalingv2.MetricTarget, now *autoscalingv2.MetricValueStatus) string {
	current := "<unknown>"
	if target.AverageValue != nil {
		if now != nil && now.AverageValue != nil {
			current = now.AverageValue.String()
		}
		return fmt.Sprintf("%s/%s (avg)", current, target.AverageValue)
	}
	if now != nil {
		current = quantity(now.Value)
	}
	return current + "/" + quantity(target.Value)
}

func utilization(target autoscalingv2.MetricTarget, now *autoscalingv2.MetricValueStatus) string {
	current := "<unknown>"
	if target.AverageValue != nil {
		if now != nil {
			current = quantity(now.AverageValue)
		}
		return current + "/" + target.AverageValue.String()
	}
	if now != nil && now.AverageUtilization != nil {
		current = fmt.Sprintf("%d%%", *now.AverageUtilization)
	}
	wanted := "<auto>"
	if target.AverageUtilization != nil {
		wanted = fmt.Sprintf("%d%%", *target.AverageUtilization)
	}
	return current + "/" + wanted
}

// quantity is how a kube-apiserver prints one that may be missing.
func quantity(q *resource.Quantity) string {
	if q == nil {
		return "<nil>"
	}
	return q.String()
}
