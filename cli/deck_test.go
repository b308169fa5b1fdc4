package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/timeserver"
)

func TestDeck(t *testing.T) {
	t.Chdir(t.TempDir())
	log := model.NewLog(model.Options{})
	id := log.AddStream(model.StreamInfo{Context: "dev", Version: "v1", Resource: "pods", Kind: "Pod"})
	pod := func(n string) {
		log.Append(model.Record{Time: time.Now(), Stream: id, Type: model.Added,
			Raw: []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"` + n + `","uid":"` + n + `","resourceVersion":"5"}}`)})
	}
	pod("a")
	d := &deck{log: log, name: "arn:aws:eks:eu-west-1:1:cluster/dev"}
	if r := d.Recording(); r.On || r.Path != "" {
		t.Errorf("%+v", r)
	}
	d.Stop()
	var paths []string
	for _, held := range []bool{false, true} {
		if err := d.Record(held); err != nil {
			t.Fatal(err)
		}
		r := d.Recording()
		if !r.On || !strings.HasPrefix(r.Path, "rewatch-arn-aws-eks-eu-west-1-1-cluster-dev-20") || filepath.Ext(r.Path) != ".rwt" {
			t.Errorf("%+v", r)
		}
		paths = append(paths, r.Path)
		if err := d.Record(held); err == nil || !strings.Contains(err.Error(), "is under way") {
			t.Errorf("two at once: %v", err)
		}
		pod("b" + r.Path)
		d.Stop()
		<-d.rec.Done()
		if r := d.Recording(); r.On || r.Failed != "" || r.Bytes == 0 {
			t.Errorf("%+v", r)
		}
	}
	for i, want := range []int{1, 3} { // from now on; with the two that were there
		pods := 0 // where nothing came for a while, the tape tells of that as well
		_, entries := readTape(t, paths[i])
		for _, e := range entries {
			if e.Type.IsObject() {
				pods++
			}
		}
		if pods != want {
			t.Errorf("%d pods in %+v, want %d", pods, entries, want)
		}
	}
	if err := d.Record(false); err != nil {
		t.Fatal(err)
	}
	if told, err := d.close(); !containsAll(told, []string{"recorded to rewatch-arn", "; play it with: rewatch replay rewatch-arn"}) || err != nil {
		t.Errorf("%q %v", told, err)
	}
	if told, err := d.close(); told != "" || err != nil { // the one before has told
		t.Errorf("%q %v", told, err)
	}
	if err := d.Record(false); err == nil || !strings.Contains(err.Error(), "over") {
		t.Errorf("after the end: %v", err)
	}
}

func TestRecordASession(t *testing.T) {
	server := newTestCluster(t, timeserver.Options{})
	kubeconfig(t, "dev="+server.url)
	path := filepath.Join(t.TempDir(), "a.rwt")
	r := background(t, "pods", "-A", "--record", path)
	r.waitFor(&r.out, "ADDED", "ledger")
	r.stop()
	r.waitFor(&r.stderr, "recorded to "+path)
	if info, entries := readTape(t, path); !info.Closed || len(entries) < 4 {
		t.Errorf("%+v", info)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, "exists", "pods", "--record", path)
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Error("it was overwritten")
	}
}
