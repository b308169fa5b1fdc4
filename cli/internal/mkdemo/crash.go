package main

import (
	"fmt"
	"time"
)

// crash is the life of a Pod whose container uses more memory than it may: at
// times after the beginning it starts, ends, and waits longer each time.
type crash struct {
	at       time.Duration
	restarts int
	running  bool
}

var crashes = []crash{ // never changed
	{34 * time.Second, 0, true}, {41 * time.Second, 1, true}, {45 * time.Second, 1, false}, {52 * time.Second, 2, true},
	{56 * time.Second, 2, false}, {70 * time.Second, 3, true}, {74 * time.Second, 3, false},
	{112 * time.Second, 4, true}, {116 * time.Second, 4, false},
}

// pod is the Pod as it is then: nobody's but of who ran it.
func (c crash) pod(born, now time.Time) string {
	stamp := func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	state, ready, terminated := `{"running":{"startedAt":"`+stamp(now)+`"}}`, "True", "{}"
	if !c.running {
		state, ready = `{"waiting":{"reason":"CrashLoopBackOff","message":"back-off restarting failed container=app pod=mailer_shop"}}`, "False"
	}
	if c.restarts > 0 {
		terminated = `{"terminated":{"reason":"OOMKilled","exitCode":137,"finishedAt":"` + stamp(now) + `"}}`
	}
	managed := `{"manager":"kubectl-run","operation":"Update","apiVersion":"v1","time":"` + stamp(born) +
		`","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:run":{}}},"f:spec":{"f:containers":{}}}},` +
		`{"manager":"kubelet","operation":"Update","apiVersion":"v1","subresource":"status","time":"` + stamp(now) +
		`","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{},"f:containerStatuses":{},"f:phase":{}}}}`
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"mailer","namespace":"shop","creationTimestamp":%q,"labels":{"run":"mailer"},`+
		`"managedFields":[%s]},"spec":{"nodeName":"node-01","restartPolicy":"Always","containers":[{"name":"app","image":"registry.example/mailer:2.3.1",`+
		`"resources":{"limits":{"memory":"64Mi"}}}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":%q}],`+
		`"containerStatuses":[{"name":"app","image":"registry.example/mailer:2.3.1","ready":%v,"restartCount":%d,"state":%s,"lastState":%s}]}}`,
		stamp(born), managed, ready, ready == "True", c.restarts, state, terminated)
}

// crashing is what happens to that Pod, as acts.
func crashing(begin time.Time) (acts []act) {
	born := begin.Add(crashes[0].at)
	for _, c := range crashes {
		acts = append(acts, act{at: c.at, do: func(s *stage) {
			if _, err := s.player.Store.Put("pods", []byte(c.pod(born, time.Now()))); err != nil {
				panic(err) // what this program writes is wrong
			}
		}})
	}
	return acts
}
