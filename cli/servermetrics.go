package cli

import (
	"context"
	"errors"
	"io"

	"rewatch/model"
	"rewatch/watch/metrics"
)

// Metrics reads what the server of a context says of itself, for the screen:
// with the credentials and over the connections of its streams.
func (j *joiner) Metrics(ctx context.Context, cluster string) <-chan model.ServerStats {
	return metrics.Poll(ctx, cluster, serverOf{j, cluster}, metrics.Options{})
}

// serverOf is the server of a context, once it has answered.
type serverOf struct {
	j       *joiner
	context string
}

// Read implements metrics.Source.
func (s serverOf) Read(ctx context.Context, path, accept string) (io.ReadCloser, error) {
	s.j.mu.Lock()
	client, ok := s.j.clients[s.context]
	s.j.mu.Unlock()
	if !ok {
		return nil, errors.New("the server has not answered yet")
	}
	return client.Read(ctx, path, accept)
}
