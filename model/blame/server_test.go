package blame

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"

	"rewatch/model/diff"
)

// writes makes random writes to a Deployment by several managers through the
// API server's own field management, and calls f with each step and with who
// made it.
func writes(t testing.TB, seed uint64, n int, f func(old, new []byte, manager string)) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	gvk := schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
	server := managedfieldstest.NewTestFieldManager(applyconfigurations.NewTypeConverter(scheme.Scheme), gvk)
	managers := []string{"kubectl", "gitops", "autoscaler", "controller"}
	if err := server.Update(&unstructured.Unstructured{Object: deployment(rnd)}, "creator"); err != nil {
		t.Fatal(err)
	}
	for range n {
		old := mustJSON(t, server.Live())
		who := managers[rnd.IntN(len(managers))]
		var err error
		if who == "gitops" {
			err = server.Apply(&unstructured.Unstructured{Object: applied(rnd)}, who, true)
		} else {
			live := server.Live().(*unstructured.Unstructured)
			change(rnd, live.Object)
			err = server.Update(live, who)
		}
		if err != nil {
			t.Fatal(err)
		}
		f(old, mustJSON(t, server.Live()), who)
	}
}

type object = map[string]any

func pick(rnd *rand.Rand, of ...string) string { return of[rnd.IntN(len(of))] }

func container(rnd *rand.Rand, name string) object {
	c := object{"name": name, "image": pick(rnd, "a:1", "a:2", "b:1"), "args": []any{pick(rnd, "-v", "-q"), pick(rnd, "x", "y")}}
	if rnd.IntN(2) == 0 {
		c["ports"] = []any{object{"containerPort": int64(80 + rnd.IntN(3)), "protocol": pick(rnd, "TCP", "UDP"), "name": pick(rnd, "web", "api")}}
	}
	if rnd.IntN(2) == 0 {
		c["env"] = []any{object{"name": "A", "value": pick(rnd, "1", "2")}, object{"name": "B", "value": pick(rnd, "1", "2")}}
	}
	return c
}

func deployment(rnd *rand.Rand) object {
	return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "x", "labels": object{"app.example/a": "1"}},
		"spec": object{"replicas": int64(1), "template": object{"spec": object{"containers": []any{container(rnd, "app")},
			"tolerations": []any{object{"key": "a", "operator": "Exists"}}}}}}
}

// applied is what somebody declares: a few fields of the whole.
func applied(rnd *rand.Rand) object {
	o := object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "x"}}
	if rnd.IntN(2) == 0 {
		o["metadata"].(object)["labels"] = object{"app.example/b": pick(rnd, "1", "2")}
	}
	if rnd.IntN(2) == 0 {
		o["metadata"].(object)["finalizers"] = []any{pick(rnd, "x.example/a", "x.example/b")}
	}
	if rnd.IntN(2) == 0 {
		o["spec"] = object{"replicas": int64(rnd.IntN(4))}
	}
	return o
}

// change changes a few things as a controller does that writes whole objects.
func change(rnd *rand.Rand, o object) {
	spec := o["spec"].(object)
	inner := spec["template"].(object)["spec"].(object)
	containers := inner["containers"].([]any)
	for range 1 + rnd.IntN(3) {
		switch rnd.IntN(9) {
		case 0:
			spec["replicas"] = int64(rnd.IntN(5))
		case 1:
			containers[rnd.IntN(len(containers))].(object)["image"] = pick(rnd, "a:1", "a:2", "b:1")
		case 2:
			name := fmt.Sprint("side-", rnd.IntN(3))
			has := slices.ContainsFunc(containers, func(c any) bool { return c.(object)["name"] == name })
			if !has {
				containers = append(containers, container(rnd, name))
			} else {
				containers = slices.DeleteFunc(containers, func(c any) bool { return c.(object)["name"] == name })
			}
			inner["containers"] = containers
		case 3:
			containers[0] = container(rnd, containers[0].(object)["name"].(string))
		case 4:
			labels, _ := o["metadata"].(object)["labels"].(object)
			if labels == nil {
				labels = object{}
				o["metadata"].(object)["labels"] = labels
			}
			labels[pick(rnd, "app.example/a", "app.example/c")] = pick(rnd, "1", "2", "3")
		case 5:
			if labels, ok := o["metadata"].(object)["labels"].(object); ok {
				delete(labels, "app.example/c")
			}
		case 6:
			inner["tolerations"] = []any{object{"key": pick(rnd, "a", "b"), "operator": "Exists"}}
		case 7:
			spec["paused"] = true
		case 8:
			delete(spec, "paused")
		}
	}
}

// What is said for certain is true, all that a write set is put down to
// somebody, and of what is likely most is true.
func TestOwnersOfWrites(t *testing.T) {
	var certain, likely, right, unknown, set int
	o := newOracle(t)
	var n counts
	for seed := range uint64(6) {
		writes(t, seed, 60, func(old, new []byte, manager string) {
			o.check(old, new, &n)
			r := diff.Objects(old, new)
			for i, owner := range Changes(r, old, new) {
				c := r.Changes[i]
				if c.Op != diff.Remove {
					set++
				}
				switch {
				case !owner.Known():
					unknown++
					if c.Op != diff.Remove {
						t.Errorf("%s set %s: unknown", manager, c.Path)
					}
				case owner.Likely:
					likely++
					if owner.Manager == manager {
						right++
					}
				default:
					certain++
					if owner.Manager != manager {
						t.Errorf("%s set %s, told of %+v for certain\nold %s\nnew %s", manager, c.Path, owner, old, new)
					}
				}
			}
			o.checkObject(new)
		})
	}
	t.Logf("%d set; %d certain; %d likely, %d of those right; %d unknown", set, certain, likely, right, unknown)
	if certain < 100 || set < 100 || right*10 < likely*7 {
		t.Errorf("%d set; %d certain; %d likely, %d of those right; %d unknown", set, certain, likely, right, unknown)
	}
}
