package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestAGapComesBackFromAnExport: a watch that was lost is as lost in what import
// makes of its frames, and what had gone meanwhile is as gone.
func TestAGapComesBackFromAnExport(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	lines, back := filepath.Join(dir, "demo.jsonl"), filepath.Join(dir, "demo.rwt")
	mustRun(t, 0, "export", "demo.rwt", "-o", lines)
	if got := mustRun(t, 0, "import", lines, "-o", back); !strings.Contains(got.stderr, "changes may be missing in 13 places") {
		t.Error(got.stderr)
	}
	want, got := toldOf(t, "demo.rwt"), toldOf(t, back)
	if len(want) < 26 || !slices.Equal(want, got) {
		t.Errorf("info tells\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, tape := range []string{"demo.rwt", back} {
		mustRun(t, codeGaps, "verify", tape)
		mustRun(t, exitUnknown, "tail", "pods", "--from", tape, "--until", "type == 'NOPE'")
	}
}

// toldOf is what info tells of the streams of a tape and of their gaps, sorted.
func toldOf(t *testing.T, tape string) []string {
	t.Helper()
	var list infoList
	if err := json.Unmarshal([]byte(mustRun(t, 0, "info", tape, "-o", "json").out), &list); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range list.Tapes[0].Streams {
		if s.State == "QUIET" { // LIVE without heartbeats, which an import does not tell apart
			s.State = "LIVE"
		}
		out = append(out, fmt.Sprint(s.Resource, s.Initial, s.Added, s.Modified, s.Deleted, s.Bookmarks, s.Objects, s.Gaps, s.State))
	}
	for _, g := range list.Tapes[0].Gaps {
		out = append(out, fmt.Sprintln(g.Time[:len("2026-12-01T13:54:50")], g.Stream, g.Cause, g.Text, g.FromRV, g.ToRV, g.Added, g.Modified, g.Deleted))
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}
