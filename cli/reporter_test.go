package cli

import (
	"strings"
	"testing"
	"time"

	"rewatch/watch/recorder"
)

// TestSummaryTellsWhatDidNotReachTheDisk: nothing is called lost only if
// everything is there.
func TestSummaryTellsWhatDidNotReachTheDisk(t *testing.T) {
	for want, s := range map[string]recorder.Status{
		"1,468 events in 50s, 1 B, 0 gaps, of 1,494 the last 26 did not reach the disk": {Path: "a", Tapes: 1, Events: 1480, OnDisk: 1468, Unsafe: 26, Bytes: 1, Done: true},
		"5 events in 50s, 1 B, 0 gaps, nothing lost":                                    {Path: "a", Tapes: 1, Events: 5, OnDisk: 5, Bytes: 1, Done: true},
		"3 frames lost: the disk could not follow, of 6 the last 1 did not":             {Path: "a", Tapes: 1, Events: 6, OnDisk: 5, Unsafe: 1, Lost: 3, Bytes: 1},
	} {
		got := summaryOf(s, "a", 50*time.Second, s.Done)
		if !strings.Contains(got, want) || s.Unsafe > 0 && strings.Contains(got, "nothing lost") {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := summaryOf(recorder.Status{Path: "a", Tapes: 1}, "a", time.Second, false); strings.Contains(got, "nothing lost") {
		t.Errorf("%q, and the disk has not taken the end", got)
	}
}
