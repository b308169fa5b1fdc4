package watch

import (
	"net/http"
	"slices"
	"testing"
	"time"

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
