package cli

import (
	"github.com/spf13/cobra"

	"rewatch/watch/resolve"
)

// completeTypes offers the well-known types. It asks no server: a completion
// that waits for one is worse than none.
func completeTypes(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return resolve.Builtin().Names(), cobra.ShellCompDirectiveNoFileComp
}
