package lanes

import (
	"os"
	"regexp"
	"testing"
)

func TestPhases(t *testing.T) {
	running := `"startTime":"2026-12-01T10:00:00Z","containerStatuses":[{"ready":false,"state":{"running":{"startedAt":"2026-12-01T10:00:05Z"}}}]`
	for _, c := range []struct {
		kind, raw string
		want      Phase
		detail    string
	}{
		{"Pod", `{"status":{"phase":"Pending"}}`, Pending, ""},
		{"Pod", `{"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable"}]}}`, Pending, "Unschedulable"},
		{"Pod", `{"status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"True"}]}}`, Creating, ""},
		{"Pod", `{"status":{"phase":"Pending","containerStatuses":[{"state":{"waiting":{"reason":"ContainerCreating"}}}]}}`, Creating, ""},
		{"Pod", `{"status":{"phase":"Pending","containerStatuses":[{"state":{"waiting":{"reason":"ErrImagePull"}}}]}}`, ImagePull, "ErrImagePull"},
		{"Pod", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[{"ready":true,"state":{"running":{}}}]}}`, Ready, "1/1"},
		{"Pod", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-12-01T10:00:00Z"}],` + running + `}}`, Running, "0/1"},
		{"Pod", `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False","lastTransitionTime":"2026-12-01T10:07:00Z"}],` + running + `}}`, NotReady, "0/1"},
		{"Pod", `{"status":{"phase":"Running","containerStatuses":[{"ready":true,"state":{"running":{}}},{"state":{"waiting":{"reason":"CrashLoopBackOff"}}},{"state":{"terminated":{"exitCode":1}}}]}}`, CrashLoop, "CrashLoopBackOff"},
		{"Pod", `{"status":{"phase":"Running","containerStatuses":[{"state":{"terminated":{"exitCode":137}}}]}}`, Error, "exit 137"},
		{"Pod", `{"status":{"phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"exitCode":0}}}]}}`, Succeeded, ""},
		{"Pod", `{"status":{"phase":"Failed","reason":"Evicted"}}`, Failed, "Evicted"},
		{"Pod", `{"metadata":{"deletionTimestamp":"2026-12-01T10:00:00Z"},"status":{"phase":"Running"}}`, Terminating, ""},
		{"Pod", `{"metadata":{"deletionTimestamp":null},"status":{"phase":"Unknown"}}`, Unknown, ""},
		{"Pod", `{}`, Pending, ""},
		{"Pod", `{"status":[1,`, Pending, ""},

		{"Deployment", `{"metadata":{"generation":2},"spec":{"replicas":3},"status":{"observedGeneration":1,"replicas":3,"updatedReplicas":3,"availableReplicas":3}}`, Progressing, "3/3"},
		{"Deployment", `{"metadata":{"generation":2},"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":4,"updatedReplicas":2,"availableReplicas":3}}`, Progressing, "3/3"},
		{"Deployment", `{"metadata":{"generation":2},"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":3,"availableReplicas":3}}`, Available, "3/3"},
		{"Deployment", `{"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":3,"availableReplicas":2,"conditions":[{"type":"Progressing","status":"True","reason":"NewReplicaSetAvailable"}]}}`, Degraded, "2/3"},
		{"Deployment", `{"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":3,"availableReplicas":2,"conditions":[{"type":"Progressing","status":"True","reason":"ReplicaSetUpdated"}]}}`, Progressing, "2/3"},
		{"Deployment", `{"spec":{"replicas":3},"status":{"observedGeneration":2,"replicas":3,"updatedReplicas":1,"conditions":[{"type":"Progressing","status":"False","reason":"ProgressDeadlineExceeded"}]}}`, Degraded, "0/3 ProgressDeadlineExceeded"},
		{"Deployment", `{"spec":{"replicas":0},"status":{"observedGeneration":2}}`, Zero, "0/0"},
		{"Deployment", `{"spec":{}}`, Progressing, "0/1"},
		{"ReplicaSet", `{"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,"availableReplicas":2}}`, Available, "2/2"},
		{"ReplicaSet", `{"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,"availableReplicas":1}}`, Progressing, "1/2"},
		{"ReplicaSet", `{"spec":{"replicas":2},"status":{"observedGeneration":1,"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate"}]}}`, Degraded, "0/2 FailedCreate"},
		{"ReplicaSet", `{"spec":{"replicas":0},"status":{"observedGeneration":3,"replicas":0}}`, Zero, "0/0"},
		{"StatefulSet", `{"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,"availableReplicas":2,"currentRevision":"a","updateRevision":"b"}}`, Progressing, "2/2"},
		{"StatefulSet", `{"spec":{"replicas":2},"status":{"observedGeneration":1,"replicas":2,"availableReplicas":1,"currentRevision":"a","updateRevision":"a"}}`, Degraded, "1/2"},
		{"DaemonSet", `{"status":{"observedGeneration":1,"desiredNumberScheduled":3,"currentNumberScheduled":3,"numberAvailable":3,"updatedNumberScheduled":3}}`, Available, "3/3"},
		{"DaemonSet", `{"status":{"observedGeneration":1,"desiredNumberScheduled":3,"currentNumberScheduled":3,"numberAvailable":2,"updatedNumberScheduled":3}}`, Degraded, "2/3"},

		{"Node", `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, Ready, ""},
		{"Node", `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"KubeletNotReady"}]}}`, NotReady, "KubeletNotReady"},
		{"Node", `{"status":{"conditions":[{"type":"Ready","status":"Unknown","reason":"NodeStatusUnknown"}]}}`, Unknown, "NodeStatusUnknown"},
		{"Node", `{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}]}}`, Cordoned, ""},
		{"Node", `{"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"False","reason":"X"}]}}`, NotReady, "cordoned, X"},

		{"Job", `{"status":{"active":2}}`, Running, "2 active"},
		{"Job", `{"status":{"conditions":[{"type":"Complete","status":"True"}]}}`, Complete, ""},
		{"Job", `{"status":{"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]}}`, Failed, "BackoffLimitExceeded"},
		{"Job", `{"spec":{"suspend":true}}`, Suspended, ""},
		{"PersistentVolumeClaim", `{"status":{"phase":"Pending"}}`, Pending, ""},
		{"PersistentVolumeClaim", `{"status":{"phase":"Bound"}}`, Bound, ""},
		{"PersistentVolumeClaim", `{"status":{"phase":"Lost"}}`, Lost, ""},
		{"Certificate", `{"status":{"conditions":[{"type":"Issuing","status":"True"},{"type":"Ready","status":"False","reason":"Expired"}]}}`, NotReady, "Expired"},
		{"APIService", `{"status":{"conditions":[{"type":"Available","status":"True"}]}}`, Available, ""},
		{"ConfigMap", `{"data":{"status":"Failed"}}`, Exists, ""},
	} {
		if p, detail := Of(c.kind, []byte(c.raw)); p != c.want || detail != c.detail {
			t.Errorf("%s %s: %s %q, want %s %q", c.kind, c.raw, p.Word(), detail, c.want.Word(), c.detail)
		}
	}
}

// Each phase has a letter of its own.
func TestLetters(t *testing.T) {
	of := map[string]Phase{}
	for p := Exists; p < phases; p++ {
		l := p.Letter()
		if q, taken := of[l]; len(l) != 1 || taken && !(q == Succeeded && p == Complete) {
			t.Errorf("%q is the letter of %q and %q", l, p.Word(), q.Word())
		}
		of[l] = p
	}
}

// docs/lanes.md has every letter, the worst last.
func TestLettersAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/lanes.md")
	if err != nil {
		t.Fatal(err)
	}
	worst := Quiet
	rows := regexp.MustCompile("(?m)^\\| `(.)` \\| ([^|]+) \\|").FindAllStringSubmatch(string(text), -1)
	found := 0
	for _, row := range rows {
		for p := Exists; p < phases; p++ {
			if p.Letter() == row[1] && p.Word() == row[2] {
				if found++; p.Tone() < worst {
					t.Errorf("%s stands below worse ones", p.Word())
				}
				worst = p.Tone()
			}
		}
	}
	if want := int(phases - Exists); found != want || len(rows) != want {
		t.Errorf("%d rows, of which %d are phases; there are %d phases", len(rows), found, want)
	}
}
