package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestARecordingThatCannotBeginCostsNone(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.rwt")
	if err := os.WriteFile(path, []byte("an older recording"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Nobody listens there.
	code, _, stderr := runForTest(t, t.Context(), "record", "pods", "-s", "http://127.0.0.1:1", "-o", path, "--force")
	if code != 1 {
		t.Errorf("%d %s", code, stderr)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "an older recording" {
		t.Errorf("%q %v", b, err)
	}
	only(t, dir, "a.rwt")
}
