package table

import (
	"strings"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	certificatesv1beta1 "k8s.io/api/certificates/v1beta1"
	coordinationv1 "k8s.io/api/coordination/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	rbacv1beta1 "k8s.io/api/rbac/v1beta1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/duration"
)

func (b Builtins) addAccess() {
	b.add("rbac.authorization.k8s.io", "RoleBinding", printer(func(o *rbacv1.RoleBinding, now clock) []any {
		users, groups, accounts := subjects(o.Subjects)
		return []any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, now.since(o.CreationTimestamp), users, groups, accounts}
	}, name(), text("Role", doc(rbacv1beta1.RoleBinding{}, "roleRef")), age(), wide(text("Users", "Users in the roleBinding")),
		wide(text("Groups", "Groups in the roleBinding")), wide(text("ServiceAccounts", "ServiceAccounts in the roleBinding"))))

	b.add("rbac.authorization.k8s.io", "ClusterRoleBinding", printer(func(o *rbacv1.ClusterRoleBinding, now clock) []any {
		users, groups, accounts := subjects(o.Subjects)
		return []any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, now.since(o.CreationTimestamp), users, groups, accounts}
	}, name(), text("Role", doc(rbacv1beta1.ClusterRoleBinding{}, "roleRef")), age(), wide(text("Users", "Users in the clusterRoleBinding")),
		wide(text("Groups", "Groups in the clusterRoleBinding")), wide(text("ServiceAccounts", "ServiceAccounts in the clusterRoleBinding"))))

	b.add("certificates.k8s.io", "CertificateSigningRequest", printer(func(o *certificatesv1.CertificateSigningRequest, now clock) []any {
		asked := "<none>"
		if o.Spec.ExpirationSeconds != nil {
			asked = duration.HumanDuration(time.Duration(*o.Spec.ExpirationSeconds) * time.Second)
		}
		return []any{o.Name, now.since(o.CreationTimestamp), or(o.Spec.SignerName, "<none>"), o.Spec.Username, asked, signing(o)}
	}, name(), age(), text("SignerName", doc(certificatesv1beta1.CertificateSigningRequestSpec{}, "signerName")),
		text("Requestor", doc(certificatesv1beta1.CertificateSigningRequestSpec{}, "request")),
		text("RequestedDuration", doc(certificatesv1beta1.CertificateSigningRequestSpec{}, "expirationSeconds")),
		text("Condition", doc(certificatesv1beta1.CertificateSigningRequestStatus{}, "conditions"))))

	b.add("certificates.k8s.io", "ClusterTrustBundle", printer(func(o *certificatesv1.ClusterTrustBundle, _ clock) []any {
		return []any{o.Name, or(o.Spec.SignerName, "<none>")}
	}, name(), text("SignerName", doc(certificatesv1.ClusterTrustBundleSpec{}, "signerName"))))

	b.add("certificates.k8s.io", "PodCertificateRequest", printer(func(o *certificatesv1.PodCertificateRequest, _ clock) []any {
		state := "Pending"
		for _, c := range o.Status.Conditions {
			if c.Type == "Issued" || c.Type == "Denied" || c.Type == "Failed" {
				state = c.Type
			}
		}
		return []any{o.Name, o.Spec.PodName, o.Spec.ServiceAccountName, string(o.Spec.NodeName), o.Spec.SignerName, state,
			labels.FormatLabels(o.Spec.UnverifiedUserAnnotations)}
	}, name(), text("PodName", doc(certificatesv1.PodCertificateRequestSpec{}, "podName")),
		text("ServiceAccountName", doc(certificatesv1.PodCertificateRequestSpec{}, "serviceAccountName")),
		text("NodeName", doc(certificatesv1.PodCertificateRequestSpec{}, "nodeName")),
		text("SignerName", doc(certificatesv1.PodCertificateRequestSpec{}, "signerName")),
		text("State", "Is the request Pending, Issued, Denied, or Failed?"),
		text("UnverifiedUserAnnotations", doc(certificatesv1.PodCertificateRequestSpec{}, "unverifiedUserAnnotations"))))

	b.add("coordination.k8s.io", "Lease", printer(func(o *coordinationv1.Lease, now clock) []any {
		return []any{o.Name, deref(o.Spec.HolderIdentity, ""), now.since(o.CreationTimestamp)}
	}, name(), text("Holder", doc(coordinationv1.LeaseSpec{}, "holderIdentity")), age()))
}

func subjects(all []rbacv1.Subject) (users, groups, accounts string) {
	var u, g, a []string
	for _, s := range all {
		switch s.Kind {
		case rbacv1.UserKind:
			u = append(u, s.Name)
		case rbacv1.GroupKind:
			g = append(g, s.Name)
		case rbacv1.ServiceAccountKind:
			a = append(a, s.Namespace+"/"+s.Name)
		}
	}
	return strings.Join(u, ", "), strings.Join(g, ", "), strings.Join(a, ", ")
}

func signing(o *certificatesv1.CertificateSigningRequest) string {
	has := map[certificatesv1.RequestConditionType]bool{}
	for _, c := range o.Status.Conditions {
		has[c.Type] = true
	}
	status := "Pending"
	switch {
	case has[certificatesv1.CertificateDenied]:
		status = "Denied"
	case has[certificatesv1.CertificateApproved]:
		status = "Approved"
	}
	if has[certificatesv1.CertificateFailed] {
		status += ",Failed"
	}
	if len(o.Status.Certificate) > 0 {
		status += ",Issued"
	}
	return status
}
