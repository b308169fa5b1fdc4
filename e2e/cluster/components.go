package cluster

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"
)

// stages is what kwok plays in place of a kubelet.
//
//go:embed stages.yaml
var stages []byte

// readyTimeout is generous because a shared machine may be compiling something else meanwhile.
const readyTimeout = 3 * time.Minute

func (c *Cluster) commandLines() map[Component][]string {
	etcd := func(port int) string { return fmt.Sprintf("http://%s:%d", loopback, port) }
	admin := "--kubeconfig=" + c.Kubeconfig(Admin)
	return map[Component][]string{
		Etcd: {
			"--data-dir=" + c.path("etcd"),
			"--unsafe-no-fsync", // the data is thrown away; a machine crash may spoil it
			"--listen-client-urls=" + etcd(c.ports.etcdClient),
			"--advertise-client-urls=" + etcd(c.ports.etcdClient),
			"--listen-peer-urls=" + etcd(c.ports.etcdPeer),
			"--initial-advertise-peer-urls=" + etcd(c.ports.etcdPeer),
			"--initial-cluster=default=" + etcd(c.ports.etcdPeer),
			// As kubeadm sets it. With etcd's own 10 minutes the API server has no bookmark to send on a resource
			// in which nothing happens.
			"--watch-progress-notify-interval=5s",
			"--log-level=warn",
		},
		APIServer: {
			"--etcd-servers=" + etcd(c.ports.etcdClient),
			"--bind-address=" + loopback,
			fmt.Sprintf("--secure-port=%d", c.ports.apiServer),
			"--cert-dir=" + c.path("certs"), // it makes a certificate of its own there, once
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + c.path("certs", "service-account.key"),
			"--service-account-signing-key-file=" + c.path("certs", "service-account.key"),
			"--token-auth-file=" + c.path("tokens.csv"),
			"--authorization-mode=RBAC",
			"--service-cluster-ip-range=10.0.0.0/24",
			"--endpoint-reconciler-type=none", // would refuse a loopback address
			"--disable-admission-plugins=ServiceAccount",
			// Without it open watches are left hanging for a minute after SIGTERM and then cut, rather than closed.
			"--shutdown-watch-termination-grace-period=2s",
		},
		ControllerManager: {
			admin, "--leader-elect=false", "--secure-port=0",
			"--service-account-private-key-file=" + c.path("certs", "service-account.key"),
			// Its default of 20 requests a second would make a scale test measure this limit.
			"--kube-api-qps=500", "--kube-api-burst=1000",
		},
		Scheduler: {
			admin, "--leader-elect=false", "--secure-port=0",
			"--kube-api-qps=500", "--kube-api-burst=1000",
		},
		Kwok: {
			admin, "--config=" + c.path("stages.yaml"), "--manage-all-nodes",
			"--node-ip=" + loopback, "--cidr=10.1.0.0/16",
			"--node-lease-duration-seconds=40",
		},
	}
}

// writeCredentials makes the secrets that must exist before the API server starts.
func (c *Cluster) writeCredentials() error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	if err := os.WriteFile(c.path("certs", "service-account.key"), block, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(c.path("stages.yaml"), stages, 0o600); err != nil {
		return err
	}
	return c.writeTokens()
}

// KillAPIServer ends the API server as a crash would: SIGKILL, connections reset.
func (c *Cluster) KillAPIServer() error {
	return c.procs[APIServer].end(context.Background(), syscall.SIGKILL, time.Minute)
}

// StopAPIServer ends the API server as a rollout would: SIGTERM, open watches are closed in good order.
func (c *Cluster) StopAPIServer(ctx context.Context) error {
	return c.procs[APIServer].end(ctx, syscall.SIGTERM, 90*time.Second)
}

// StartAPIServer starts an ended API server again on the port and with the certificate it had, and returns when
// it is ready. Its watch cache starts empty: a watch resumed from before is answered with 410 if anything has
// changed in between.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	if err := c.procs[APIServer].start(); err != nil {
		return err
	}
	return c.waitReady(ctx)
}

// PauseAPIServer freezes the API server: connections stay open and say nothing, like behind a dead link.
func (c *Cluster) PauseAPIServer() error { return c.procs[APIServer].pause() }

// ResumeAPIServer lets a paused API server go on.
func (c *Cluster) ResumeAPIServer() error { return c.procs[APIServer].resume() }

// URL of the API server.
func (c *Cluster) URL() string { return fmt.Sprintf("https://%s:%d", loopback, c.ports.apiServer) }

// waitReady returns when the API server says it is ready, or as soon as it or etcd has ended.
func (c *Cluster) waitReady(ctx context.Context) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(c.ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 5 * time.Second}
	var last error
	err := c.poll(ctx, "the API server to be ready", func(ctx context.Context) (bool, error) {
		last = c.readyz(ctx, client)
		return last == nil, nil
	})
	if err != nil && last != nil {
		return fmt.Errorf("%w (last answer: %w)\n%s", err, last, c.procs[APIServer].tail())
	}
	return err
}

func (c *Cluster) readyz(ctx context.Context, client *http.Client) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL()+"/readyz", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.users[Admin])
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("/readyz: %s: %s", resp.Status, body)
	}
	return nil
}

// poll calls done until it is true, a component dies, or time is up.
func (c *Cluster) poll(ctx context.Context, what string, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyTimeout, fmt.Errorf("gave up after %s", readyTimeout))
	defer cancel()
	for {
		ok, err := done(ctx)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("waiting for %s: %w", what, context.Cause(ctx))
		case err != nil:
			return fmt.Errorf("waiting for %s: %w", what, err)
		case ok:
			return nil
		}
		if err := c.Err(); err != nil {
			return fmt.Errorf("waiting for %s: %w", what, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}
