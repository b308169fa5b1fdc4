package model

import (
	"fmt"
	"testing"
)

func TestGroupsAndNames(t *testing.T) {
	l := NewLog(Options{})
	st := l.AddStream(StreamInfo{Context: "prod", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment"})
	for i := range 6 {
		id := Identity{Namespace: fmt.Sprint("team-", i%2), Name: fmt.Sprint("app-", i), UID: fmt.Sprint("u", i)}
		e := l.Append(Record{Stream: st, Type: Added, Identity: id, RV: "1", Raw: []byte(`{}`)})
		name, group, ok := l.AppendName([]byte("x/"), e.Object)
		if string(name) != fmt.Sprint("x/app-", i) || !ok {
			t.Errorf("name %s, ok %v", name, ok)
		}
		want := l.Identity(e.Object)
		want.Name, want.UID = "", ""
		if got := l.Groups()[group]; got != want {
			t.Errorf("group %+v, want %+v", got, want)
		}
	}
	if n := len(l.Groups()); n != 2 {
		t.Errorf("%d groups, want 2", n)
	}
	if _, _, ok := l.AppendName(nil, 99); ok {
		t.Error("a name of no object")
	}
}
