package cluster

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/csv"
	"fmt"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The standard users. What they may do is chosen to show one refusal each.
const (
	Admin      = "admin"       // everything: in group system:masters
	Reader     = "reader"      // get, list and watch everything, change nothing: somebody on call
	ViewerShop = "viewer-shop" // the same, in namespace shop only: refused at cluster scope
	ListOnly   = "listonly"    // list pods, but not watch them
	WatchOnly  = "watchonly"   // watch pods, but not list them
	Nobody     = "nobody"      // a valid token and no rights
)

// Shop is the namespace that exists in every cluster, for ViewerShop to have rights in.
const Shop = "shop"

var standardUsers = []string{Admin, Reader, ViewerShop, ListOnly, WatchOnly, Nobody}

// standardRights has no line for those who have none, nor for Admin, who has them by group.
var standardRights = []struct {
	user, namespace string
	rule            rbacv1.PolicyRule
}{
	{Reader, "", rule("*", "*", "get", "list", "watch")},
	{ViewerShop, Shop, rule("*", "*", "get", "list", "watch")},
	{ListOnly, "", rule("", "pods", "get", "list")},
	{WatchOnly, "", rule("", "pods", "get", "watch")},
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

// Kubeconfig is the path of a user's kubeconfig file. Its only context is named after the user.
func (c *Cluster) Kubeconfig(user string) string { return c.path("kubeconfig", user) }

// Config for a client of this user, as its kubeconfig gives it. It panics for a user that does not exist, since
// that is a mistake in the test.
func (c *Cluster) Config(user string) *rest.Config {
	token, ok := c.users[user]
	if !ok {
		panic(fmt.Sprintf("cluster: no user %q: name it in Options.Users", user))
	}
	return &rest.Config{
		Host:            c.URL(),
		BearerToken:     token,
		TLSClientConfig: rest.TLSClientConfig{CAData: bytes.Clone(c.ca)},
	}
}

// unthrottled is for the cluster's own work as administrator, which should not wait for client-side limits.
func (c *Cluster) unthrottled() *rest.Config {
	cfg := c.Config(Admin)
	cfg.QPS = -1
	return cfg
}

// writeTokens gives every user a random token, in the form that --token-auth-file reads.
func (c *Cluster) writeTokens() error {
	c.users = map[string]string{}
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	for _, user := range append(append([]string{}, standardUsers...), c.opts.Users...) {
		if _, twice := c.users[user]; twice {
			return fmt.Errorf("user %q exists already", user)
		}
		c.users[user] = rand.Text()
		group := ""
		if user == Admin {
			group = "system:masters"
		}
		w.Write([]string{c.users[user], user, user, group})
	}
	w.Flush()
	return os.WriteFile(c.path("tokens.csv"), file.Bytes(), 0o600)
}

// writeKubeconfigs waits for the certificate that the API server makes for itself when it first starts. The file
// holds the chain, its own little authority included, so that clients can verify it like any other.
func (c *Cluster) writeKubeconfigs(ctx context.Context) error {
	err := c.poll(ctx, "the API server's certificate", func(context.Context) (bool, error) {
		pem, err := os.ReadFile(c.path("certs", "apiserver.crt"))
		if os.IsNotExist(err) {
			return false, nil
		}
		// The key is written after the certificate: when it is there, the certificate is complete.
		if _, keyErr := os.Stat(c.path("certs", "apiserver.key")); keyErr != nil {
			return false, nil
		}
		c.ca = pem
		return true, err
	})
	if err != nil {
		return err
	}
	for user, token := range c.users {
		cfg := clientcmdapi.NewConfig()
		cfg.CurrentContext = user
		cfg.Clusters["rewatch-e2e"] = &clientcmdapi.Cluster{Server: c.URL(), CertificateAuthorityData: c.ca}
		cfg.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: token}
		cfg.Contexts[user] = &clientcmdapi.Context{Cluster: "rewatch-e2e", AuthInfo: user}
		if err := clientcmd.WriteToFile(*cfg, c.Kubeconfig(user)); err != nil {
			return err
		}
	}
	return nil
}
