package ui

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/query"
)

// A search, which looks only at rows that match and at the steps of streams,
// lists and folds what a look at each row does, while rows come.
func TestASearchFoldsAsALookAtEachRow(t *testing.T) {
	log, grow := restlessLog(rand.New(rand.NewPCG(4, 5)))
	grow(30_000)
	now := epoch
	a := NewApp(t.Context(), Options{Log: log, Now: func() time.Time { return now }, Location: time.UTC, Theme: "mono"})
	defer a.Close()
	a.reading = true // what the rows mean is not read
	d := &driver{t: t, app: a, now: now}
	d.resize(120, 36)
	tl := &a.timeline
	for _, noise := range []bool{false, true} {
		for _, text := range []string{"kind:pod", "name:=pod-7", "name:nowhere", "type:initial", "type:stream", "-kind:lease", "type:gap"} {
			q, err := query.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			tl.reindex(t.Context(), q, now, noise)
			for steps := 0; tl.due(); steps++ {
				if steps < 3 {
					grow(100)
					tl.extend(log.Snapshot())
				}
				tl.take(tl.goOn()().(searchMsg))
			}
			want := newIndex(q.Compile(log, query.Options{Now: now}).Match, noise, tl.snap.First(), a.all.host)
			for !want.extend(tl.snap) {
			}
			got := tl.index
			if !slices.Equal(got.seqs, want.seqs) || got.hidden != want.hidden || !slices.Equal(got.gaps, want.gaps) {
				t.Errorf("%s, all rows %v: %d rows, %d hidden, %d gaps; want %d, %d, %d", text, noise, len(got.seqs), got.hidden, len(got.gaps), len(want.seqs), want.hidden, len(want.gaps))
			}
			if !maps.EqualFunc(got.folds, want.folds, func(a, b *fold) bool { return fmt.Sprint(*a) == fmt.Sprint(*b) }) {
				t.Errorf("%s, all rows %v: other rows are folded", text, noise)
			}
		}
	}
}

// restlessLog is a log whose streams fail, recover and list anew between the
// changes that they bring, and what makes it grow.
func restlessLog(r *rand.Rand) (*model.Log, func(rows int)) {
	log := model.NewLog(model.Options{})
	kinds := []string{"Pod", "Lease", "Node"}
	for i, resource := range []string{"pods", "leases", "nodes"} {
		log.AddStream(model.StreamInfo{Context: "prod", Version: "v1", Resource: resource, Kind: kinds[i]})
	}
	at, rv := epoch, 0
	states := []model.State{model.Connecting, model.Syncing, model.Live, model.Backoff, model.Relisting, model.Rotating, model.Paused}
	last := make([]model.State, len(kinds))
	return log, func(rows int) {
		for range rows {
			at = at.Add(time.Duration(r.IntN(300)) * time.Millisecond)
			rv++
			s := r.IntN(len(kinds))
			rec := model.Record{Time: at, Stream: model.StreamID(s), Type: model.Modified}
			switch n := r.IntN(50); {
			case n == 0:
				to := states[r.IntN(len(states))]
				rec.Type, rec.Detail = model.StreamChange, model.Transition{From: last[s], To: to, Cause: []model.Cause{model.CauseCut, model.CauseRefused}[r.IntN(2)]}
				last[s] = to
			case n == 1:
				rec.Type = model.Bookmark
			case n == 2 && r.IntN(20) == 0:
				rec.Type, rec.Detail = model.GapFound, model.Gap{Text: "410 expired"}
			default:
				if rec.Flags = 0; n < 20 {
					rec.Type, rec.Flags = model.Added, model.Initial
				}
				name := fmt.Sprintf("%s-%d", []string{"pod", "lease", "node"}[s], r.IntN(500))
				rec.RV, rec.Raw = fmt.Sprint(rv), fmt.Appendf(nil, `{"spec":{"n":%d}}`, rv)
				rec.Identity = model.Identity{APIVersion: "v1", Kind: kinds[s], Namespace: "shop", Name: name, UID: name}
			}
			log.Append(rec)
		}
	}
}
