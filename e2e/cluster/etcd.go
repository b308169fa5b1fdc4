package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// CompactEtcd forgets all history before the current revision, as etcd does every five minutes in a real cluster,
// and returns that revision.
//
// A watch of a cached resource does not notice, because the API server answers it from the watch cache. To
// have a client find its resourceVersion expired: cut it off, change something, compact, and restart the API
// server, which then has nothing older either.
func (c *Cluster) CompactEtcd(ctx context.Context) (int64, error) {
	revision, err := c.EtcdRevision(ctx)
	if err != nil {
		return 0, err
	}
	// physical: return when it is done rather than when it is planned.
	request := map[string]any{"revision": strconv.FormatInt(revision, 10), "physical": true}
	if err := c.etcd(ctx, "/v3/kv/compaction", request, nil); err != nil {
		return 0, err
	}
	return revision, nil
}

// EtcdRevision is the current revision of the store: the resourceVersion of its latest write.
func (c *Cluster) EtcdRevision(ctx context.Context) (int64, error) {
	var answer struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	// Any key will do: each answer carries the revision of the store.
	request := map[string]any{"key": []byte("/"), "keys_only": true, "limit": "1"}
	if err := c.etcd(ctx, "/v3/kv/range", request, &answer); err != nil {
		return 0, err
	}
	return strconv.ParseInt(answer.Header.Revision, 10, 64)
}

// etcd calls the JSON gateway of etcd: its gRPC client would be the heaviest dependency of this module.
func (c *Cluster) etcd(ctx context.Context, path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://%s:%d%s", loopback, c.ports.etcdClient, path)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd %s: %s: %s", path, resp.Status, bytes.TrimSpace(data))
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(data, answer)
}
