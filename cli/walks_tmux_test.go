package cli

import (
	"path/filepath"
	"testing"

	"rewatch/watch/timeserver"
)

// The walks of docs/walks.md: what somebody asks at night, with the keys that
// the screen offers, and the answer that must be on it.

// Which image did a deployment run, and who changed it?
func TestWalkWhoChangedTheImage(t *testing.T) {
	isolate(t)
	t.Setenv("TZ", "UTC")
	term := inTerminal(t, 120, 36, "replay "+demoFile(t))
	term.play([]keyStep{
		{"", "", "playing"},
		{"", "$", "end of the tape"}, // what is held is as far back as the tape goes
		{"", "/", "path:replicas"},   // what the empty filter says of itself
		{"", "path:image Enter", "/path:image +13 gaps · "},
		{"", "N", "▌Deploy; image; registry.example/envoy:does-not-exist; registry.example/envoy:1.29; by kubectl"},
	})
}

// Is what is shown of the nodes current?
func TestWalkIsTheNodeViewCurrent(t *testing.T) {
	isolate(t)
	t.Setenv("TZ", "UTC")
	term := inTerminal(t, 120, 36, "replay "+demoFile(t))
	term.play([]keyStep{
		{"", "", "playing"},
		{"", "Space", "paused"}, // a busy machine may look later than somebody would
		{"", "t 13:54:45 Enter", "13:54:45; RETRY"},
		{"", "C", "▸Coverage; /nodes .*%/"},
	})
}

// Why do Pods restart?
func TestWalkWhyPodsRestart(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	server.put(t, "pods", "shop", "cart", `"status":{"phase":"Running","containerStatuses":[{"name":"app","ready":false,"restartCount":7,`+
		`"state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 5m0s restarting failed container"}},`+
		`"lastState":{"terminated":{"reason":"OOMKilled","exitCode":137}}}]}`)
	kubeconfig(t, "dev="+server.url)
	term := inTerminal(t, 120, 36, "-A pods,nodes")
	term.play([]keyStep{
		{"", "", "LIVE; initial list of pods"},
		{"", "F", "▸Problems; shop/cart; CrashLoopBackOff; OOMKilled ×7; exit 137"},
	})
}

// Record, and look at the tape.
func TestWalkRecordAndReplay(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	tapes := t.TempDir()
	t.Chdir(tapes) // where tapes are written
	term := inTerminal(t, 120, 36, "-A pods,nodes")
	term.play([]keyStep{
		{"", "", "LIVE; initial list of pods"},
		{"", "R", "n from now; h with the"},
		{"", "h", "REC"},
		{"", "R", "rewatch replay rewatch-dev"},
		{"", "q", "exit=0"},
	})
	found, err := filepath.Glob(filepath.Join(tapes, "*.rwt"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the tapes are %v, %v", found, err)
	}
	again := inTerminal(t, 120, 36, "replay "+found[0])
	again.play([]keyStep{{"", "", "REPLAY; pods"}, {"", "q", "exit=0"}})
}
