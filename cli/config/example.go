package config

import (
	"fmt"
	"strings"

	"rewatch/model/noise"
)

const exampleTop = `# Configuration of rewatch. Flags win over it. Everything may be left out;
# what is here are the defaults. "rewatch config check" finds mistakes,
# "rewatch config path" tells where the file is looked for.

# Colours: auto, or the name of a theme: "rewatch themes" shows them. auto asks
# the terminal for its background and takes dark or light; {dark: dusk, light:
# paper} is auto that takes these. As --theme.
theme: auto

# Draw in ASCII: auto, on or off. auto is on for the Linux console, and where the
# locale is not UTF-8. As --ascii.
ascii: auto

# Most memory for the history of the interface, as 512Mi or 2Gi; the oldest
# leaves first. As --memory. (record and tail need less, and have their own.)
memory: 512Mi

# Times on screen, and those given to replay --at: local, UTC, or a name such as
# Europe/Berlin. Lines that are printed have UTC, always.
timeZone: local

# Which times the interface shows at first: local (when they were received, in
# timeZone), utc, relative (how long ago), or server (when the server says it was).
time: local

# Columns of the timeline, in their order. There are time, sign, context, kind,
# namespace, name, change, manager, version, resourceVersion and stream; [] are
# the usual ones: [time, sign, context, kind, name, change, manager].
columns: []

# What to watch where the command line names no TYPE, as it would name them:
# [pods, deployments.apps, mycrds]. None is: the usual types.
types: []

# Keys of the interface, by the id that docs/keys.md has for what they do: a key,
# a list of them, or [] for none, as in {follow: f2, mark: [], open: [enter, o]}.
keys: {}

# Noise is folded on screen, and left out by tail --changed-only.
noise:
  # Rules of those below that shall not apply, by name.
  off: []
  # More rules. One folds a change if everything that changed is at its paths:
  # * is any key, [*] any element of a list, and what is below a path belongs to
  # it. Behind a # follows a path in JSON that the text there holds.
  # kind (with the group behind a dot), namespace and object (the name) say which
  # objects it is about; * in the last two is any text; none is all.
  # A rule with deleted instead of paths folds deletions of objects that had no
  # news for at least that long.
  rules: []
  # - name: backup annotations
  #   kind: PersistentVolumeClaim
  #   namespace: shop-*
  #   object: data-*
  #   paths: ['metadata.annotations["backup.example/last"]', 'metadata.annotations["backup.example/state"]#at']
  # - name: finished jobs cleaned up
  #   kind: Job.batch
  #   deleted: 24h

  # The rules that come with rewatch:
`

// Example is a file with every key, which says what the defaults say.
func Example() string {
	var b strings.Builder
	b.WriteString(exampleTop)
	for _, r := range noise.Default() {
		line := func(indent, key, value string) {
			if value != "" {
				_, _ = fmt.Fprintf(&b, "  # %s%s: %s\n", indent, key, value)
			}
		}
		line("- ", "name", r.Name)
		line("  ", "kind", r.Kind)
		line("  ", "namespace", r.Namespace)
		line("  ", "object", r.Object)
		if len(r.Paths) > 0 {
			quoted := make([]string, len(r.Paths))
			for i, p := range r.Paths {
				quoted[i] = "'" + strings.ReplaceAll(p, "'", "''") + "'"
			}
			line("  ", "paths", "["+strings.Join(quoted, ", ")+"]")
		}
		if r.Deleted > 0 {
			line("  ", "deleted", r.Deleted.String())
		}
	}
	return b.String()
}
