package cluster

import (
	"context"
	"fmt"
	"sync"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// grants remembers what each user was given, in order to take it away again.
type grants struct {
	sync.Mutex
	next int
	of   map[string][]grant
}

type grant struct {
	name, namespace string // namespace "": cluster-wide
	rules           []rbacv1.PolicyRule
}

func (c *Cluster) grantStandardRights(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.unthrottled())
	if err != nil {
		return err
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Shop}}
	_, err = client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	for _, r := range standardRights {
		if err := c.Grant(ctx, r.user, r.namespace, r.rule); err != nil {
			return err
		}
	}
	return nil
}

// Grant gives a user rights in a namespace, or everywhere if it is "", and returns once the server applies them.
func (c *Cluster) Grant(ctx context.Context, user, namespace string, rules ...rbacv1.PolicyRule) error {
	client, err := kubernetes.NewForConfig(c.unthrottled())
	if err != nil {
		return err
	}
	c.rights.Lock()
	defer c.rights.Unlock()
	c.rights.next++
	g := grant{fmt.Sprintf("e2e-%s-%d", user, c.rights.next), namespace, rules}
	meta := metav1.ObjectMeta{Name: g.name, Namespace: namespace}
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	rbac, create := client.RbacV1(), metav1.CreateOptions{}
	if namespace == "" {
		_, err = rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, create)
		if err == nil {
			_, err = rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
				ObjectMeta: meta, Subjects: subjects,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: g.name},
			}, create)
		}
	} else {
		_, err = rbac.Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, create)
		if err == nil {
			_, err = rbac.RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
				ObjectMeta: meta, Subjects: subjects,
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: g.name},
			}, create)
		}
	}
	if err != nil {
		return err
	}
	if c.rights.of == nil {
		c.rights.of = map[string][]grant{}
	}
	c.rights.of[user] = append(c.rights.of[user], g)
	return c.waitAccess(ctx, client, user, g, true)
}

// Revoke takes away all that Grant (or Start, for the standard users) gave a user, and returns once the server
// refuses it. A watch that is open goes on: the server checks rights once per request.
func (c *Cluster) Revoke(ctx context.Context, user string) error {
	client, err := kubernetes.NewForConfig(c.unthrottled())
	if err != nil {
		return err
	}
	c.rights.Lock()
	defer c.rights.Unlock()
	revoked := c.rights.of[user]
	for _, g := range revoked {
		if g.namespace == "" {
			err = client.RbacV1().ClusterRoleBindings().Delete(ctx, g.name, metav1.DeleteOptions{})
		} else {
			err = client.RbacV1().RoleBindings(g.namespace).Delete(ctx, g.name, metav1.DeleteOptions{})
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	delete(c.rights.of, user)
	for _, g := range revoked {
		if err := c.waitAccess(ctx, client, user, g, false); err != nil {
			return err
		}
	}
	return nil
}

// waitAccess waits until the server's authorizer, which learns of changes by watching, has seen them.
func (c *Cluster) waitAccess(ctx context.Context, client kubernetes.Interface, user string, g grant, want bool) error {
	for _, r := range g.rules {
		if len(r.APIGroups) == 0 || len(r.Resources) == 0 { // non-resource URLs
			continue
		}
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: user,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: g.namespace, Verb: r.Verbs[0], Group: r.APIGroups[0], Resource: r.Resources[0],
			},
		}}
		err := c.poll(ctx, fmt.Sprintf("the rights of %s to change", user), func(ctx context.Context) (bool, error) {
			got, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil {
				return false, err
			}
			return got.Status.Allowed == want, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
