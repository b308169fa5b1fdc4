package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	if others(path) {
		return nil, failed("name another file with --write-kubeconfig", "%s names other clusters, and would be replaced", path)
	}
	if path == "" {
		if dir, err = os.MkdirTemp("", "rewatch-serve-"); err != nil {
			return nil, failed("name a file with --write-kubeconfig", "cannot make a temporary directory: %s", oneLine(err))
		}
		path = filepath.Join(dir, "kubeconfig")
	}
	f, err := s.createFile(context.Background(), path, o.force)
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
	if path == "-" {
		return func() {}, nil
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

// ourPrefix begins the names in the kubeconfigs written here.
const ourPrefix = "rewatch-"

// others reports whether a file is a kubeconfig of more than one server of
// ours, as one that was killed leaves it: it must neither be replaced nor be
// removed.
func others(path string) bool {
	c := readKubeconfig(path)
	if c == nil {
		return false
	}
	names := slices.Collect(maps.Keys(c.Clusters))
	names = slices.AppendSeq(slices.AppendSeq(names, maps.Keys(c.Contexts)), maps.Keys(c.AuthInfos))
	foreign := func(name string) bool { return !strings.HasPrefix(name, ourPrefix) }
	return len(c.Clusters) > 1 || slices.ContainsFunc(names, foreign)
}

// stillOurs reports whether a kubeconfig names no server but this one: its
// user may have merged others into it.
func stillOurs(path, url string) bool {
	c := readKubeconfig(path)
	if c == nil {
		return false
	}
	for _, cluster := range c.Clusters {
		if cluster.Server != url {
			return false
		}
	}
	return len(c.Clusters) > 0
}

// readKubeconfig reads a kubeconfig; nil where there is none.
func readKubeconfig(path string) *clientcmdapi.Config {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would keep its reader waiting
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	c, err := clientcmd.Load(bytes.TrimSpace(data))
	if err != nil {
		return nil
	}
	return c
}

func (v *serving) config() clientcmdapi.Config {
	name := ourPrefix + v.past.Context()
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
