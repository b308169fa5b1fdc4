package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
	"rewatch/watch/timeserver"
)

// TestRecordFilter: only what matches is on the tape; whoever reads it is told.
func TestRecordFilter(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	path := filepath.Join(t.TempDir(), "a.rwt")
	fails(t, 2, `--filter: column 1: there is no field "knd"`, "record", "pods", "-o", path, "--filter", "knd:pod")
	const filter = "path:status.phase"
	server.put(t, "pods", "shop", "basket", `"status":{"phase":"Pending"}`)
	r := background(t, "record", "pods", "-A", "-o", path, "--filter", filter)
	r.waitFor(&r.stderr, "TAPE", "recording to "+path)
	changes := func(name string) func(e *tape.Entry) bool {
		return func(e *tape.Entry) bool { return object(name)(e) && !e.Has(model.Initial|model.Synthetic) }
	}
	n := 0
	waitUntil(t, func() bool { // it is recording before the watch follows
		n++
		server.put(t, "pods", "shop", "probe", fmt.Sprintf(`"status":{"phase":"%d"}`, n))
		time.Sleep(20 * time.Millisecond)
		return onTape(path, changes("probe"))
	})
	server.put(t, "pods", "shop", "basket", `"status":{"phase":"Pending","hostIP":"10.0.0.1"}`)
	server.put(t, "pods", "shop", "basket", `"status":{"phase":"Running","hostIP":"10.0.0.1"}`)
	taped(t, path, changes("basket"))
	r.stop()
	r.waitFor(&r.stderr, "TAPE", "left out by the filter")
	info, entries := readTape(t, path)
	if info.Filter != filter {
		t.Errorf("%+v", info)
	}
	var objects []string
	for _, e := range entries {
		if object("basket")(&e) {
			word := map[bool]string{true: "state ", false: "change "}[e.Has(model.Initial|model.Synthetic)]
			for _, phase := range []string{"Pending", "Running"} {
				if strings.Contains(string(e.Raw), phase) {
					word += phase
				}
			}
			objects = append(objects, e.Identity.Name+" "+word)
		}
	}
	if got := strings.Join(objects, ", "); got != "basket state Pending, basket change Running" {
		t.Error(got)
	}
	for want, args := range map[string][]string{
		"filter     path:status.phase: only changes that match": {"info", path},
		"was recorded with --filter: it has only changes":       {"export", path, "-o", "-", "--format", "watch-json"},
		"only changes that match this are recorded: path:":      {"replay", path},
	} {
		var out, stderr buffer
		if code := run(t.Context(), args, streams{strings.NewReader(""), &out, &stderr}); code != 0 || !strings.Contains(out.String()+stderr.String(), want) {
			t.Errorf("%v: %d\n%s%s", args, code, out.String(), stderr.String())
		}
	}
	fails(t, 3, "has only what matched when it was recorded", "tail", "--from", path, "--until", "object.status.phase == 'Failed'")
}
