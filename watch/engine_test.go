package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"rewatch/model"
)

func TestWatchListThenLiveThenRotation(t *testing.T) {
	s := &script{
		sync: []http.HandlerFunc{open2(added("b", 7), added("a", 5), endMark("9"), modified("a", 10))},
	}
	fake(t, s, rigOptions{}, func(r *rig) {
		r.reach(time.Second, model.Live)
		if got, want := r.objects(), []string{"+b Initial", "+a Initial", "~a"}; !slices.Equal(got, want) {
			t.Errorf("rows %q, want %q", got, want)
		}
		r.until(310*time.Second, "resume at 10", func() bool { return s.count("watch 10") == 1 })
		t.Log(r.dump())
	})
}

// open2 sends frames and ends in order at the timeoutSeconds of the request.
func open2(f ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		frames(f...)(w, r)
		d, _ := time.ParseDuration(r.URL.Query().Get("timeoutSeconds") + "s")
		select {
		case <-time.After(d):
		case <-r.Context().Done():
		}
	}
}

// A panic in a stream reaches whoever runs the engine, once all streams have
// ended, and not the runtime, which would leave the terminal raw.
func TestAPanicOfAStreamIsThatOfRun(t *testing.T) {
	c, err := NewCluster("c", &rest.Config{Host: "http://127.0.0.1:1"}, ClusterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(model.NewLog(model.Options{}), Options{Rand: func() float64 { panic("no luck") }})
	e.Add(c, Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"}})
	e.Add(c, Target{StreamInfo: model.StreamInfo{Version: "v1", Resource: "nodes", Kind: "Node"}})
	defer func() {
		if r := fmt.Sprint(recover()); !strings.Contains(r, "no luck") || !strings.Contains(r, "engine_test.go") {
			t.Errorf("Run ended with %s", r)
		}
	}()
	e.Run(t.Context())
}
