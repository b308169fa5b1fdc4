package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAPanicBesideTheScreenEndsTheSession(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := &crew{end: cancel}
	c.Go(func() { <-ctx.Done() })
	c.Go(func() { panic("no such luck") })
	select {
	case <-ctx.Done():
	case <-time.After(patience):
		t.Fatal("the session goes on")
	}
	var out strings.Builder
	err := c.wait(patience, &out)
	var f *failure
	if !errors.As(err, &f) || f.code != 1 {
		t.Errorf("wait returned %v", err)
	}
	if !strings.Contains(out.String(), "no such luck") || !strings.Contains(out.String(), "crew_test.go") {
		t.Errorf("the report does not say what and where:\n%s", out.String())
	}
}
