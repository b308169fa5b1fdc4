package watch

import (
	"context"
	"io"
)

// Read sends a GET for a path of the server, beside all streams: once, and
// without their limits. The error has what the server said of a refusal, as
// those of client-go do. The reader must be closed.
func (c *Cluster) Read(ctx context.Context, path, accept string) (io.ReadCloser, error) {
	return c.client.Get().AbsPath(path).SetHeader("Accept", accept).MaxRetries(0).Stream(quiet(ctx))
}
