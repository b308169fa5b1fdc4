//go:build !unix

package cli

import (
	"context"

	"rewatch/ui"
)

// withJobs has none here.
func withJobs(ctx context.Context, _ any) (context.Context, ui.Jobs) { return ctx, nil }

func letStop(context.Context) (again func()) { return func() {} }
