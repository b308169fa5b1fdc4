package lanes

import (
	"fmt"
	"testing"
	"time"

	"rewatch/model"
)

// All namespaces are watched for ten seconds, nothing for ten, one for ten: the
// lane was watched in the first and in the last of them. With overlap it was
// watched all the while.
func TestALaneIsWatchedByEachOfItsStreams(t *testing.T) {
	for _, overlap := range []bool{false, true} {
		l := model.NewLog(model.Options{})
		all := l.AddStream(model.StreamInfo{Context: "c", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment"})
		shop := l.AddStream(model.StreamInfo{Context: "c", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespace: "shop"})
		at := func(s int) time.Time { return time.Unix(1000+int64(s), 0) }
		step := func(s int, st model.StreamID, tr model.Transition) {
			l.Append(model.Record{Time: at(s), Stream: st, Type: model.StreamChange, Detail: tr})
		}
		put := func(s int, st model.StreamID, rv int, typ model.Type, flags model.Flag) model.Event {
			return l.Append(model.Record{Time: at(s), Stream: st, Type: typ, Flags: flags, Raw: fmt.Appendf(nil,
				`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"%d"}}`, rv)})
		}
		step(0, all, model.Transition{To: model.Live})
		e := put(0, all, 1, model.Added, model.Initial)
		if overlap {
			step(9, shop, model.Transition{To: model.Live})
			put(9, shop, 1, model.Added, model.Initial)
		}
		step(10, all, model.Transition{From: model.Live, To: model.Stopped, Cause: model.CauseUser})
		if !overlap {
			put(20, shop, 2, model.Modified, model.Synthetic)
			step(20, shop, model.Transition{To: model.Live})
			l.Append(model.Record{Time: at(20), Stream: shop, Type: model.GapFound, Detail: model.Gap{Since: at(10), Took: 10 * time.Second}})
		}
		put(29, shop, 3, model.Modified, 0)
		w := Window{First: 100, Cell: int64(10 * time.Second), N: 3}
		x := read(l, nil)
		x.Fill(e.Object, w, always)
		for i, c := range x.Cells(nil, e.Object, w, at(30).UnixNano()) {
			if want := i == 1 && !overlap; c.Unwatched != want || i != 2 && c.Missed != want {
				t.Errorf("overlap %v, cell %d: %+v", overlap, i, c)
			}
		}
	}
}
