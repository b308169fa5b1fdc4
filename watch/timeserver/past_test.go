package timeserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"rewatch/model"
	"rewatch/watch/tape"
)

// The state that is served is that of the tape, byte for byte: loaded at any
// moment, and moved there from the start.
func TestPastIsTheTape(t *testing.T) {
	tp := demoTape(t)
	info := tp.Info()
	rng := rand.New(rand.NewPCG(1, 2))
	moments := []time.Time{info.From, info.To}
	for range 6 {
		moments = append(moments, info.From.Add(rand.N(info.To.Sub(info.From))+time.Duration(rng.IntN(2))))
	}
	for _, at := range moments {
		compareStates(t, at.String(), stateOf(loadPast(t, tp, "shop", at).Store()), replayed(t, tp, at))
	}
	p := loadPast(t, tp, "shop", info.From)
	if err := p.Run(t.Context(), math.Inf(1)); err != nil {
		t.Fatal(err)
	}
	compareStates(t, "moved to the end", stateOf(p.Store()), replayed(t, tp, info.To))
	if !p.Now().Equal(info.To) {
		t.Errorf("the clock shows %v at the end, want %v", p.Now(), info.To)
	}
}

// An informer that watches while the past moves has the state of the end when
// the end is reached.
func TestPastInformer(t *testing.T) {
	tp := demoTape(t)
	info := tp.Info()
	p := loadPast(t, tp, "shop", info.From.Add(info.To.Sub(info.From)/3))
	client, err := dynamic.NewForConfig(&rest.Config{Host: servePast(t, p), QPS: -1, WarningHandler: rest.NoWarnings{}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	informers := map[string]cache.SharedIndexInformer{}
	for _, r := range p.Store().Resources() {
		informers[r.Key()] = factory.ForResource(schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource}).Informer()
	}
	factory.Start(ctx.Done())
	defer func() { cancel(); factory.Shutdown() }()
	for gvr, ok := range factory.WaitForCacheSync(ctx.Done()) {
		if !ok {
			t.Fatalf("%v does not sync", gvr)
		}
	}
	check := func() error {
		for key, inf := range informers {
			if err := sameObjects(inf.GetStore().List(), p.Store().State(key)); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	}
	if err := check(); err != nil {
		t.Fatalf("after syncing: %v", err)
	}
	if err := p.Run(ctx, 200); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		err := check()
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the end: %v", err)
		}
	}
}

// sameObjects reports how the objects of a cache differ from a state.
func sameObjects(have []any, want [][]byte) error {
	if len(have) != len(want) {
		return fmt.Errorf("%d objects, want %d", len(have), len(want))
	}
	byName := map[string]map[string]any{}
	for _, h := range have {
		u := h.(interface {
			GetNamespace() string
			GetName() string
			UnstructuredContent() map[string]any
		})
		byName[u.GetNamespace()+"/"+u.GetName()] = u.UnstructuredContent()
	}
	for _, raw := range want {
		var o map[string]any
		if err := json.Unmarshal(raw, &o); err != nil {
			return err
		}
		meta := o["metadata"].(map[string]any)
		ns, _ := meta["namespace"].(string)
		got, err := json.Marshal(byName[ns+"/"+meta["name"].(string)])
		if err != nil {
			return err
		}
		var g map[string]any
		if err := json.Unmarshal(got, &g); err != nil {
			return err
		}
		if !reflect.DeepEqual(g, o) {
			return fmt.Errorf("%s/%s is %s, want %s", ns, meta["name"], got, raw)
		}
	}
	return nil
}

// Records that are no objects of their type are left out, and counted.
func TestPastOfStrangeObjects(t *testing.T) {
	r := newRecording(t)
	pods := r.stream("prod", "pods", "")
	r.put(pods, "Pod", "shop", "a", 5, "")
	r.put(pods, "Pod", "", "no-namespace", 6, "")
	r.append(model.Record{Stream: pods, Type: model.Added, Raw: []byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"odd","namespace":"shop","uid":"u","resourceVersion":"not-a-number"}}`)})
	p, err := LoadPast(t.Context(), r.tape(), "prod", r.at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p.Skipped() != 1 || p.Store().count("pods") != 2 {
		t.Errorf("%d left out, %d pods", p.Skipped(), p.Store().count("pods"))
	}
}

// Where the tape is damaged, what moves says so, and is right again from the
// next checkpoint on.
func TestPastOfADamagedTape(t *testing.T) {
	var out bytes.Buffer
	w := tape.NewWriter(&out, tape.Header{Tool: "test"}, tape.Options{FrameSize: 4096, Checkpoint: 1, SegmentRecords: 100, SegmentFloor: 1})
	whole := demoTape(t)
	for _, s := range whole.Info().Streams {
		w.AddStream(s)
	}
	for e, err := range whole.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(e.Record); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := out.Bytes()
	for i := range 200 {
		b[len(b)*2/5+i] ^= 0x55
	}
	tp := openTape(t, b)
	end := loadPast(t, tp, "shop", tp.Info().To)
	p := loadPast(t, tp, "shop", tp.Info().From)
	doubted := false
	p.store.SetWindow(1 << 20)
	for {
		e, err := p.reader.Next()
		var d *tape.Damage
		if errors.As(err, &d) {
			p.setWhole(p.reader.Whole())
			doubted = doubted || !p.whole
			continue
		}
		if err != nil {
			break
		}
		if err := p.accept(e); err != nil {
			t.Fatal(err)
		}
	}
	if !doubted || !p.whole {
		t.Errorf("doubted %v, and whole at the end %v: the damage is not where this test wants it", doubted, p.whole)
	}
	compareStates(t, "behind the damage", stateOf(p.Store()), stateOf(end.Store()))
}

func TestPastStopsAtOnce(t *testing.T) {
	tp := demoTape(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LoadPast(ctx, tp, "shop", tp.Info().To, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("loading: %v", err)
	}
	p := loadPast(t, tp, "shop", tp.Info().From)
	if err := p.Run(ctx, 1); err != nil {
		t.Errorf("running: %v", err)
	}
}
