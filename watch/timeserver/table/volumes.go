package table

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func (b Builtins) addVolumes() {
	b.add("", "PersistentVolume", printer(func(o *corev1.PersistentVolume, now clock) []any {
		claim, phase := "", string(o.Status.Phase)
		if ref := o.Spec.ClaimRef; ref != nil {
			claim = ref.Namespace + "/" + ref.Name
		}
		if o.DeletionTimestamp != nil {
			phase = "Terminating"
		}
		size := o.Spec.Capacity[corev1.ResourceStorage]
		return []any{o.Name, size.String(), accessModes(o.Spec.AccessModes), string(o.Spec.PersistentVolumeReclaimPolicy), phase, claim,
			storageClass(o.ObjectMeta, o.Spec.StorageClassName), deref(o.Spec.VolumeAttributesClassName, "<unset>"), o.Status.Reason,
			now.since(o.CreationTimestamp), string(deref(o.Spec.VolumeMode, "<unset>"))}
	}, name(), text("Capacity", doc(corev1.PersistentVolumeSpec{}, "capacity")), text("Access Modes", doc(corev1.PersistentVolumeSpec{}, "accessModes")),
		text("Reclaim Policy", doc(corev1.PersistentVolumeSpec{}, "persistentVolumeReclaimPolicy")),
		text("Status", doc(corev1.PersistentVolumeStatus{}, "phase")), text("Claim", doc(corev1.PersistentVolumeSpec{}, "claimRef")),
		text("StorageClass", "StorageClass of the pv"), text("VolumeAttributesClass", "VolumeAttributesClass of the pv"),
		text("Reason", doc(corev1.PersistentVolumeStatus{}, "reason")), age(), wide(text("VolumeMode", doc(corev1.PersistentVolumeSpec{}, "volumeMode")))))

	b.add("", "PersistentVolumeClaim", printer(func(o *corev1.PersistentVolumeClaim, now clock) []any {
		phase, capacity, modes := string(o.Status.Phase), "", ""
		if o.DeletionTimestamp != nil {
			phase = "Terminating"
		}
		if o.Spec.VolumeName != "" {
			size := o.Status.Capacity[corev1.ResourceStorage]
			capacity, modes = size.String(), accessModes(o.Status.AccessModes)
		}
		return []any{o.Name, phase, o.Spec.VolumeName, capacity, modes, storageClass(o.ObjectMeta, deref(o.Spec.StorageClassName, "")),
			deref(o.Spec.VolumeAttributesClassName, "<unset>"), now.since(o.CreationTimestamp), string(deref(o.Spec.VolumeMode, "<unset>"))}
	}, name(), text("Status", doc(corev1.PersistentVolumeClaimStatus{}, "phase")), text("Volume", doc(corev1.PersistentVolumeClaimSpec{}, "volumeName")),
		text("Capacity", doc(corev1.PersistentVolumeClaimStatus{}, "capacity")), text("Access Modes", doc(corev1.PersistentVolumeClaimStatus{}, "accessModes")),
		text("StorageClass", "StorageClass of the pvc"), text("VolumeAttributesClass", "VolumeAttributesClass of the pvc"), age(),
		wide(text("VolumeMode", doc(corev1.PersistentVolumeClaimSpec{}, "volumeMode")))))

	b.addStorageClass()

	b.add("storage.k8s.io", "VolumeAttributesClass", printer(func(o *storagev1.VolumeAttributesClass, now clock) []any {
		return []any{o.Name, o.DriverName, now.since(o.CreationTimestamp)}
	}, name(), text("DriverName", doc(storagev1.VolumeAttributesClass{}, "driverName")), age()))

	attacher := text("Attacher", doc(storagev1.VolumeAttachmentSpec{}, "attacher"))
	attacher.Format = "name"
	b.add("storage.k8s.io", "VolumeAttachment", printer(func(o *storagev1.VolumeAttachment, now clock) []any {
		return []any{o.Name, o.Spec.Attacher, deref(o.Spec.Source.PersistentVolumeName, ""), o.Spec.NodeName, o.Status.Attached,
			now.since(o.CreationTimestamp)}
	}, name(), attacher, text("PV", doc(storagev1.VolumeAttachmentSource{}, "persistentVolumeName")),
		text("Node", doc(storagev1.VolumeAttachmentSpec{}, "nodeName")), flag("Attached", doc(storagev1.VolumeAttachmentStatus{}, "attached")), age()))

	b.add("storage.k8s.io", "CSINode", printer(func(o *storagev1.CSINode, now clock) []any {
		return []any{o.Name, int64(len(o.Spec.Drivers)), now.since(o.CreationTimestamp)}
	}, name(), number("Drivers", "Drivers indicates the number of CSI drivers registered on the node"), age()))

	b.add("storage.k8s.io", "CSIDriver", printer(func(o *storagev1.CSIDriver, now clock) []any {
		modes, tokens := []string{}, "<unset>"
		for _, m := range o.Spec.VolumeLifecycleModes {
			modes = append(modes, string(m))
		}
		if o.Spec.TokenRequests != nil {
			var audiences []string
			for _, t := range o.Spec.TokenRequests {
				audiences = append(audiences, t.Audience)
			}
			tokens = strings.Join(audiences, ",")
		}
		return []any{o.Name, deref(o.Spec.AttachRequired, true), deref(o.Spec.PodInfoOnMount, false), deref(o.Spec.StorageCapacity, false),
			tokens, deref(o.Spec.RequiresRepublish, false), or(strings.Join(modes, ","), "<none>"), now.since(o.CreationTimestamp)}
	}, name(), flag("AttachRequired", doc(storagev1.CSIDriverSpec{}, "attachRequired")), flag("PodInfoOnMount", doc(storagev1.CSIDriverSpec{}, "podInfoOnMount")),
		flag("StorageCapacity", doc(storagev1.CSIDriverSpec{}, "storageCapacity")), text("TokenRequests", doc(storagev1.CSIDriverSpec{}, "tokenRequests")),
		flag("RequiresRepublish", doc(storagev1.CSIDriverSpec{}, "requiresRepublish")), text("Modes", doc(storagev1.CSIDriverSpec{}, "volumeLifecycleModes")), age()))
}

func (b Builtins) addStorageClass() {
	p := printer(func(o *storagev1.StorageClass, now clock) []any {
		return []any{o.Name, o.Provisioner, string(deref(o.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)),
			string(deref(o.VolumeBindingMode, storagev1.VolumeBindingImmediate)), deref(o.AllowVolumeExpansion, false), now.since(o.CreationTimestamp)}
	}, name(), text("Provisioner", doc(storagev1.StorageClass{}, "provisioner")), text("ReclaimPolicy", doc(storagev1.StorageClass{}, "reclaimPolicy")),
		text("VolumeBindingMode", doc(storagev1.StorageClass{}, "volumeBindingMode")),
		text("AllowVolumeExpansion", doc(storagev1.StorageClass{}, "allowVolumeExpansion")), age())
	p.whole = markDefault
	b.add("storage.k8s.io", "StorageClass", p)
}

// markDefault marks the default class of a list: of several the youngest, and
// of those the first by name.
func markDefault(raws [][]byte, rows []Row) {
	best, found := -1, metav1.PartialObjectMetadata{}
	for i, raw := range raws {
		var o metav1.PartialObjectMetadata
		if json.Unmarshal(raw, &o) != nil || o.Annotations["storageclass.kubernetes.io/is-default-class"] != "true" &&
			o.Annotations["storageclass.beta.kubernetes.io/is-default-class"] != "true" {
			continue
		}
		if best < 0 || o.CreationTimestamp.After(found.CreationTimestamp.Time) ||
			o.CreationTimestamp.Equal(&found.CreationTimestamp) && o.Name < found.Name {
			best, found = i, o
		}
	}
	if best >= 0 {
		rows[best].Cells[0] = found.Name + " (default)"
	}
}

// storageClass is that of a volume or claim; the annotation of old comes
// first.
func storageClass(m metav1.ObjectMeta, class string) string {
	if c, ok := m.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		return c
	}
	return class
}

func accessModes(modes []corev1.PersistentVolumeAccessMode) string {
	var out []string
	for _, m := range []struct {
		mode  corev1.PersistentVolumeAccessMode
		short string
	}{{corev1.ReadWriteOnce, "RWO"}, {corev1.ReadOnlyMany, "ROX"}, {corev1.ReadWriteMany, "RWX"}, {corev1.ReadWriteOncePod, "RWOP"}} {
		for _, have := range modes {
			if have == m.mode {
				out = append(out, m.short)
				break
			}
		}
	}
	return strings.Join(out, ",")
}
