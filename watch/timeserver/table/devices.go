package table

import (
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b Builtins) addDevices() {
	const group = "resource.k8s.io"
	named := printer(func(o *metav1.PartialObjectMetadata, now clock) []any {
		return []any{o.Name, now.since(o.CreationTimestamp)}
	}, name(), age())
	b.add(group, "DeviceClass", named)
	b.add(group, "ResourceClaimTemplate", named)
	b.add(group, "ResourceClaim", printer(func(o *resourcev1.ResourceClaim, now clock) []any {
		var states []string
		if o.DeletionTimestamp != nil {
			states = append(states, "deleted")
		}
		switch {
		case o.Status.Allocation != nil && len(o.Status.ReservedFor) > 0:
			states = append(states, "allocated", "reserved")
		case o.Status.Allocation != nil:
			states = append(states, "allocated")
		case o.DeletionTimestamp == nil:
			states = append(states, "pending")
		}
		return []any{o.Name, strings.Join(states, ","), now.since(o.CreationTimestamp)}
	}, name(), text("State", "A summary of the current state (allocated, pending, reserved, etc.)."), age()))
	b.add(group, "ResourceSlice", printer(func(o *resourcev1.ResourceSlice, now clock) []any {
		return []any{o.Name, deref(o.Spec.NodeName, ""), o.Spec.Driver, o.Spec.Pool.Name, now.since(o.CreationTimestamp)}
	}, name(), text("Node", doc(resourcev1.ResourceSliceSpec{}, "nodeName")), text("Driver", doc(resourcev1.ResourceSliceSpec{}, "driver")),
		text("Pool", doc(resourcev1.ResourcePool{}, "name")), age()))

	// Types that are not in every version of k8s.io/api are read by what is
	// needed of them.
	b.add(group, "DeviceTaintRule", printer(func(o *struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Taint struct {
				Key, Value, Effect string
				TimeAdded          *metav1.Time
			}
		}
	}, now clock) []any {
		added, t := "", o.Spec.Taint
		if t.TimeAdded != nil {
			added = now.since(*t.TimeAdded)
		}
		return []any{o.Name, t.Key, t.Value, t.Effect, added, now.since(o.CreationTimestamp)}
	}, name(), text("Key", doc(resourcev1beta2.DeviceTaint{}, "key")), text("Value", doc(resourcev1beta2.DeviceTaint{}, "value")),
		text("Effect", doc(resourcev1beta2.DeviceTaint{}, "effect")), text("TimeAdded", doc(resourcev1beta2.DeviceTaint{}, "timeAdded")), age()))

	migration := name()
	migration.Format = ""
	b.add("storagemigration.k8s.io", "StorageVersionMigration", printer(func(o *struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct{ Resource metav1.GroupResource }
		Status            struct {
			Conditions []struct{ Type, Status string }
		}
	}, _ clock) []any {
		status := "Unknown"
		for _, c := range o.Status.Conditions {
			if c.Status == "True" && (c.Type == "Running" || c.Type == "Failed" || c.Type == "Succeeded") {
				status = c.Type
			}
		}
		return []any{o.Name, o.Spec.Resource.String(), status}
	}, migration, text("Resource", "GroupResource to migrate"), text("Status", "Status of the migration")))
}
