package capture

import (
	"strings"
	"testing"

	"rewatch/model"
	"rewatch/watch/tape"
)

// TestWithoutEventsNobodyKnowsDeletions: kubectl get -w -o json prints a deleted
// object like a changed one, so nothing of it is certain at the end.
func TestWithoutEventsNobodyKnowsDeletions(t *testing.T) {
	x, sum, err := imported(t, strings.NewReader(pod("a", "")+pod("b", "")+pod("a", written2("11:00:00"))), Options{})
	if err != nil || !sum.Blind {
		t.Fatalf("%+v %v", sum, err)
	}
	if r, err := x.Verify(); err != nil || r.Verdict() != tape.Gaps {
		t.Errorf("%+v %v", r, err)
	}
	if _, state := atTheEnd(t, x); state != model.Stopped {
		t.Errorf("%v at the end", state)
	}
	if x, sum, err = imported(t, strings.NewReader(`{"kind":"List","items":[`+pod("a", "")+`]}`), Options{}); err != nil || sum.Blind {
		t.Errorf("a List: %+v %v\n%s", sum, err, records(t, x))
	}
}
