package cli

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/player"
	"rewatch/watch/recorder"
	"rewatch/watch/timeserver"
)

// A recording goes on while other namespaces are watched, and the tape tells
// what was watched when.
func TestARecordingGoesOnWhileNamespacesAreSwitched(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	f := newFlags()
	f.namespaces = []string{"shop"}
	c := choosing(t, f, "pods")
	c.settles("dev pods in shop")
	path := filepath.Join(t.TempDir(), "shop.rwt")
	r, err := recorder.Start(c.log, recorder.Options{Path: path, Tool: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.SetNamespaces(t.Context(), these("pay")); err != nil {
		t.Fatal(err)
	}
	c.settles("dev pods in pay")
	server.put(t, "pods", "pay", "ledger", `"status":{"phase":"Failed"}`)
	for deadline := time.Now().Add(patience); c.log.Streams(time.Now())[1].Modified == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the change did not come")
		}
	}
	if !r.Close(patience) {
		t.Fatal("the recording did not end")
	}

	sources, _, closeAll, err := openSources([]string{path})
	defer closeAll()
	if err != nil {
		t.Fatal(err)
	}
	tp := sources[0].Tape
	info := tp.Info()
	if len(info.Streams) != 2 || info.Streams[0].Namespace != "shop" || info.Streams[1].Namespace != "pay" {
		t.Fatalf("the tape has the streams %+v", info.Streams)
	}
	in, err := tp.Seek(info.To)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for o, err := range in.Objects() {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, o.Identity.Namespace+"/"+o.Identity.Name)
	}
	if !slices.Equal(names, []string{"pay/ledger"}) {
		t.Errorf("at the end %q exist", names)
	}
	// A replay says of the streams what the screen said, also after a jump.
	for _, at := range []time.Time{{}, info.To} {
		play := player.New(sources, player.Options{At: at, Speed: math.Inf(1)})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); play.Run(ctx) }()
		var got []model.StreamStatus
		for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			if got = play.Log().Streams(time.Now()); len(got) == 2 && got[0].Removed() && got[1].Objects == 1 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("from %v the replay has %+v", at, got)
			}
		}
		for range play.Log().Current(0) {
			t.Error("something of the stream that was removed exists")
		}
		cancel()
		<-done
	}
}
