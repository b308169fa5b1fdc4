package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the module's version, with the commit where it is a build from a
// checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

// clientVersion is the version of client-go that was built in.
func clientVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "k8s.io/client-go" {
				return d.Version
			}
		}
	}
	return "unknown"
}

// versionLine is what the command and the flag print.
func versionLine() string {
	return fmt.Sprintf("rewatch %s (client-go %s, %s, %s/%s)\n",
		version(), clientVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs, DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(s.out, versionLine())
			return written(err)
		},
	}
}
