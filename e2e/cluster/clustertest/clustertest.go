// Package clustertest starts control planes for tests.
package clustertest

import (
	"os"
	"testing"

	"rewatch/e2e/cluster"
)

// Start starts a cluster that ends with the test. A component that ended by itself fails the test: what was
// learned against a crashed server is worth nothing.
//
// Programs that are missing are built first, which takes longer than the ten minutes that go test allows by
// default: run "go run ./cmd/cluster build" once before.
func Start(t testing.TB, opts cluster.Options) *cluster.Cluster {
	t.Helper()
	c, err := cluster.Start(t.Context(), opts)
	if err != nil {
		t.Fatalf("starting a control plane: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Errorf("the control plane did not live as long as the test: %v", err)
		}
		if _, err := os.Stat(c.Dir()); err == nil && opts.Keep {
			t.Logf("kept: %s", c.Dir())
		}
	})
	return c
}
