//go:build unix

package recorder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestForceLeavesARecordingAlone: a file that somebody records to is not
// replaced, and is when that has ended.
func TestForceLeavesARecordingAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.rwt")
	first, err := create(path, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := create(path, true, false); !errors.Is(err, ErrRecorded) {
		t.Errorf("%v, want %v", err, ErrRecorded)
	}
	if err := first.present(); err != nil {
		t.Errorf("the file that is recorded to: %v", err)
	}
	if err := first.out.Close(); err != nil {
		t.Fatal(err)
	}
	second, err := create(path, true, false)
	if err != nil {
		t.Fatal(err)
	}
	_ = second.out.Close()
	_ = os.Remove(path)
}

// TestAVanishedFileIsNoWholeTape: nobody has it any more, and making room does
// not help.
func TestAVanishedFileIsNoWholeTape(t *testing.T) {
	f := &Failure{Path: "two.rwt", Cause: ErrVanished, Safe: time.Now()}
	if got := f.Error(); strings.Contains(got, "whole up to") || !strings.Contains(got, "is gone with it") {
		t.Error(got)
	}
}
