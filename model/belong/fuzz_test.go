package belong

import (
	"testing"
	"time"

	"rewatch/model"
)

// Whatever objects say of whom they belong to, trees and stories end.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a","uid":"1","ownerReferences":[{"uid":"2"},{"uid":"1"},1,null]}}`), []byte(`{"metadata":{"name":"b","uid":"2","ownerReferences":[{"uid":"1","controller":true}]},"spec":{"nodeName":"b"}}`))
	f.Add([]byte(`{"kind":"Event","involvedObject":{"name":"x","kind":"Event","uid":"1"},"regarding":{},"metadata":{"name":"x","uid":"1"}}`), []byte(`{"kind":"EndpointSlice","metadata":{"name":"y","labels":{"kubernetes.io/service-name":"y"}}}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		l := model.NewLog(model.Options{})
		x := New(l)
		st := l.AddStream(model.StreamInfo{Version: "v1", Resource: "pods", Kind: "Pod"})
		for i, raw := range [][]byte{a, b, a, b} {
			e := l.Append(model.Record{Time: time.Unix(int64(i), 0), Stream: st, Type: model.Type(1 + i/2), Raw: raw})
			x.Add(e)
			x.Tree(e.Object, e.Seq)
			entries, _ := x.Story(e.Object)
			if len(entries) > 8 {
				t.Fatalf("%d rows of %d", len(entries), i+1)
			}
			for _, link := range append(x.Links(e.Object), x.Members(e.Object)...) {
				if link.End < link.Begin {
					t.Fatalf("%+v", link)
				}
			}
			EventTime(raw)
		}
	})
}
