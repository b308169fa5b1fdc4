package table

import (
	"cmp"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b Builtins) addScheduling() {
	b.add("scheduling.k8s.io", "PriorityClass", printer(func(o *schedulingv1.PriorityClass, now clock) []any {
		return []any{o.Name, int64(o.Value), o.GlobalDefault, now.since(o.CreationTimestamp), string(deref(o.PreemptionPolicy, ""))}
	}, name(), number("Value", doc(schedulingv1.PriorityClass{}, "value")), flag("Global-Default", doc(schedulingv1.PriorityClass{}, "globalDefault")),
		age(), text("PreemptionPolicy", doc(schedulingv1.PriorityClass{}, "preemptionPolicy"))))

	b.add("node.k8s.io", "RuntimeClass", printer(func(o *nodev1.RuntimeClass, now clock) []any {
		return []any{o.Name, o.Handler, now.since(o.CreationTimestamp)}
	}, name(), text("Handler", metaDoc("handler")), age()))

	const flow = "flowcontrol.apiserver.k8s.io"
	p := printer(func(o *flowcontrolv1.FlowSchema, now clock) []any {
		method, dangling := "<none>", "?"
		if o.Spec.DistinguisherMethod != nil {
			method = string(o.Spec.DistinguisherMethod.Type)
		}
		for _, c := range o.Status.Conditions {
			if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
				dangling = string(c.Status)
				break
			}
		}
		return []any{o.Name, o.Spec.PriorityLevelConfiguration.Name, int64(o.Spec.MatchingPrecedence), method, now.since(o.CreationTimestamp), dangling}
	}, name(), text("PriorityLevel", doc(flowcontrolv1.PriorityLevelConfigurationReference{}, "name")),
		text("MatchingPrecedence", doc(flowcontrolv1.FlowSchemaSpec{}, "matchingPrecedence")),
		text("DistinguisherMethod", doc(flowcontrolv1.FlowSchemaSpec{}, "distinguisherMethod")), age(),
		text("MissingPL", "references a broken or non-existent PriorityLevelConfiguration"))
	p.whole = func(_ [][]byte, rows []Row) {
		slices.SortStableFunc(rows, func(a, b Row) int {
			x, _ := a.Cells[2].(int64)
			y, _ := b.Cells[2].(int64)
			return cmp.Compare(x, y)
		})
	}
	b.add(flow, "FlowSchema", p)

	b.add(flow, "PriorityLevelConfiguration", printer(func(o *flowcontrolv1.PriorityLevelConfiguration, now clock) []any {
		shares, queues, hand, limit := any("<none>"), any("<none>"), any("<none>"), any("<none>")
		if l := o.Spec.Limited; l != nil {
			shares = deref(l.NominalConcurrencyShares, 0)
			if q := l.LimitResponse.Queuing; q != nil {
				queues, hand, limit = q.Queues, q.HandSize, q.QueueLengthLimit
			}
		}
		return []any{o.Name, string(o.Spec.Type), shares, queues, hand, limit, now.since(o.CreationTimestamp)}
	}, name(), text("Type", doc(flowcontrolv1.PriorityLevelConfigurationSpec{}, "type")),
		text("NominalConcurrencyShares", doc(flowcontrolv1.LimitedPriorityLevelConfiguration{}, "nominalConcurrencyShares")),
		text("Queues", doc(flowcontrolv1.QueuingConfiguration{}, "queues")), text("HandSize", doc(flowcontrolv1.QueuingConfiguration{}, "handSize")),
		text("QueueLengthLimit", doc(flowcontrolv1.QueuingConfiguration{}, "queueLengthLimit")), age()))

	b.add("apiregistration.k8s.io", "APIService", printer(apiServiceCells, name(), text("Service", "The reference to the service that hosts this API endpoint."),
		text("Available", "Whether this service is available."), age()))
}

// apiService is what is needed of kube-aggregator's type, which is not in
// k8s.io/api.
type apiService struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Service *struct{ Namespace, Name string }
	}
	Status struct {
		Conditions []struct{ Type, Status, Reason string }
	}
}

func apiServiceCells(o *apiService, now clock) []any {
	service, available := "Local", "Unknown"
	if o.Spec.Service != nil {
		service = o.Spec.Service.Namespace + "/" + o.Spec.Service.Name
	}
	for _, c := range o.Status.Conditions {
		if c.Type == "Available" {
			if available = c.Status; available != "True" && c.Reason != "" {
				available += " (" + c.Reason + ")"
			}
			break
		}
	}
	return []any{o.Name, service, available, now.since(o.CreationTimestamp)}
}
