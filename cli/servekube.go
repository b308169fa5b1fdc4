package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func newToken() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// writeKubeconfig writes the kubeconfig of the server, readable by its owner
// only. What it returns removes it again: without the server it is of no use,
// and another process may get the port.
func (v *serving) writeKubeconfig(o serveOptions, s streams) (remove func(), err error) {
	data, err := clientcmd.Write(v.config())
	if err != nil {
		return nil, failed("", "cannot make a kubeconfig: %s", oneLine(err))
	}
	path, dir := o.kubeconfig, ""
	if path == "" {
		if dir, err = os.MkdirTemp("", "rewatch-serve-"); err != nil {
			return nil, failed("name a file with --write-kubeconfig", "cannot make a temporary directory: %s", oneLine(err))
		}
		path = filepath.Join(dir, "kubeconfig")
	}
	f, err := createFile(path, o.force)
	if err != nil {
		return nil, err
	}
	defer f.Abort()
	if _, err := f.Write(data); err != nil {
		return nil, err
	}
	if err := f.Commit(); err != nil {
		return nil, err
	}
	if v.kubeconfig, err = filepath.Abs(path); err != nil {
		v.kubeconfig = path
	}
	return func() {
		if dir != "" {
			_ = os.RemoveAll(dir)
		} else if stillOurs(v.kubeconfig, v.url) {
			_ = os.Remove(v.kubeconfig)
		}
	}, nil
}

// stillOurs reports whether a kubeconfig names no server but this one: its
// user may have merged others into it.
func stillOurs(path, url string) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	c, err := clientcmd.Load(bytes.TrimSpace(data))
	if err != nil {
		return false
	}
	for _, cluster := range c.Clusters {
		if cluster.Server != url {
			return false
		}
	}
	return len(c.Clusters) > 0
}

func (v *serving) config() clientcmdapi.Config {
	name := "rewatch-" + v.past.Context()
	c := clientcmdapi.NewConfig()
	c.CurrentContext = name
	c.Clusters[name] = &clientcmdapi.Cluster{Server: v.url, CertificateAuthorityData: v.endpoint.CA()}
	c.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: v.token}
	c.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name, Namespace: v.past.Namespace()}
	return *c
}

// shellQuote quotes a word for a shell, if it needs that.
func shellQuote(s string) string {
	if !strings.ContainsAny(s, " \t\n'\"\\$`*?[]{}()<>|&;!~#") {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
