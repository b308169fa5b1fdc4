package diff

import (
	"bytes"
	"fmt"
	"strings"

	"rewatch/model/jsonscan"
)

// describe says what an object is, for its kind.
func describe(kind string, o []byte) string {
	var s string
	switch kind {
	case "Pod":
		s = pod(o)
	case "Deployment", "ReplicaSet", "StatefulSet", "ReplicationController":
		s = join(str(o, "spec", "replicas")+" replicas", count(o, "ready", "status", "readyReplicas"), images(o, "spec", "template", "spec", "containers"))
	case "DaemonSet":
		s = join(orZero(str(o, "status", "numberReady"))+"/"+orZero(str(o, "status", "desiredNumberScheduled"))+" ready", images(o, "spec", "template", "spec", "containers"))
	case "Node":
		s = node(o)
	case "Event":
		s = event(o)
	case "Job":
		s = job(o)
	case "CronJob":
		s = join(str(o, "spec", "schedule"), flag(o, "suspended", "spec", "suspend"))
	case "Service":
		s = service(o)
	case "Ingress":
		s = ingress(o)
	case "ConfigMap", "Secret":
		s = keys(o)
	case "EndpointSlice":
		s = endpoints(o)
	case "Lease":
		s = join("held by "+orDash(str(o, "spec", "holderIdentity")), str(o, "spec", "renewTime"))
	case "PersistentVolumeClaim":
		s = join(str(o, "status", "phase"), str(o, "spec", "resources", "requests", "storage"), str(o, "spec", "storageClassName"))
	case "PersistentVolume":
		s = join(str(o, "status", "phase"), str(o, "spec", "capacity", "storage"), str(o, "spec", "storageClassName"))
	case "HorizontalPodAutoscaler":
		s = fmt.Sprintf("%s replicas, %s to %s", orDash(str(o, "status", "currentReplicas")), orDash(str(o, "spec", "minReplicas")), orDash(str(o, "spec", "maxReplicas")))
	}
	if s == "" {
		s = generic(o)
	}
	return s
}

// join puts commas between what is not empty.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p != "" && b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p)
	}
	return b.String()
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}

// count is "n word", "" if there is no such number.
func count(o []byte, word string, path ...string) string {
	if n := str(o, path...); n != "" {
		return n + " " + word
	}
	return ""
}

// flag is the word if the value is true.
func flag(o []byte, word string, path ...string) string {
	if str(o, path...) == "true" {
		return word
	}
	return ""
}

// each calls f for the elements of the list at a path, and returns their
// number.
func each(o []byte, f func(element []byte), path ...string) int {
	raw := jsonscan.Get(o, path...) // o itself without a path
	spans, _ := jsonscan.AppendElements(nil, raw)
	for _, s := range spans {
		f(s.Of(raw))
	}
	return len(spans)
}

// images names the image of the first container and counts the others.
func images(o []byte, path ...string) string {
	first := ""
	n := each(o, func(c []byte) {
		if first == "" {
			first = str(c, "image")
		}
	}, path...)
	if n > 1 {
		return fmt.Sprintf("%s +%d", first, n-1)
	}
	return first
}

// condition is the status of a condition, and its reason.
func condition(o []byte, typ string) (status, reason string) {
	each(o, func(c []byte) {
		if str(c, "type") == typ {
			status, reason = str(c, "status"), str(c, "reason")
		}
	}, "status", "conditions")
	return status, reason
}

func pod(o []byte) string {
	ready, restarts := 0, 0
	trouble := str(o, "status", "reason")
	n := each(o, func(c []byte) {
		if str(c, "ready") == "true" {
			ready++
		}
		var r int
		_, _ = fmt.Sscan(str(c, "restartCount"), &r)
		restarts += r
		for _, state := range []string{"waiting", "terminated"} {
			if reason := str(c, "state", state, "reason"); reason != "" && reason != "Completed" && trouble == "" {
				trouble = reason
			}
		}
	}, "status", "containerStatuses")
	s := orDash(str(o, "status", "phase"))
	if n > 0 {
		s += fmt.Sprintf(" %d/%d", ready, n)
	}
	if where := str(o, "spec", "nodeName"); where != "" {
		s += " on " + where
	}
	if restarts > 0 {
		trouble = join(trouble, fmt.Sprintf("%d restarts", restarts))
	}
	return join(s, trouble, images(o, "spec", "containers"))
}

func node(o []byte) string {
	ready, reason := condition(o, "Ready")
	s := "Ready"
	if ready != "True" {
		s = "NotReady"
		if reason != "" {
			s += " (" + reason + ")"
		}
	}
	return join(s, flag(o, "unschedulable", "spec", "unschedulable"), str(o, "status", "nodeInfo", "kubeletVersion"))
}

// event reads both kinds of Events: of the core group and of events.k8s.io.
func event(o []byte) string {
	s := str(o, "reason")
	for _, path := range [][]string{{"series", "count"}, {"count"}, {"deprecatedCount"}} {
		if n := str(o, path...); n != "" && n != "0" {
			if n != "1" {
				s += " ×" + n
			}
			break
		}
	}
	message := str(o, "message")
	if message == "" {
		message = str(o, "note")
	}
	return strings.TrimSpace(s + " " + message)
}

func job(o []byte) string {
	for _, typ := range []string{"Failed", "Complete", "Suspended"} {
		if status, reason := condition(o, typ); status == "True" {
			return join(typ, reason, count(o, "succeeded", "status", "succeeded"), count(o, "failed", "status", "failed"))
		}
	}
	want := str(o, "spec", "completions")
	if want == "" {
		want = "1"
	}
	return join(orZero(str(o, "status", "succeeded"))+"/"+want+" done", count(o, "active", "status", "active"), count(o, "failed", "status", "failed"),
		images(o, "spec", "template", "spec", "containers"))
}

func service(o []byte) string {
	var ports []string
	each(o, func(p []byte) {
		s := str(p, "port")
		if to := str(p, "targetPort"); to != "" && to != s {
			s += "→" + to
		}
		if proto := str(p, "protocol"); proto != "" && proto != "TCP" {
			s += "/" + proto
		}
		ports = append(ports, s)
	}, "spec", "ports")
	return join(str(o, "spec", "type"), str(o, "spec", "clusterIP"), str(o, "spec", "externalName"), strings.Join(ports, " "))
}

// ingress says what leads where: host/path→service.
func ingress(o []byte) string {
	var routes []string
	each(o, func(rule []byte) {
		host := str(rule, "host")
		if host == "" {
			host = "*"
		}
		n := each(rule, func(p []byte) {
			to := str(p, "backend", "service", "name")
			if port := str(p, "backend", "service", "port", "number") + str(p, "backend", "service", "port", "name"); port != "" {
				to += ":" + port
			}
			routes = append(routes, host+str(p, "path")+"→"+orDash(to))
		}, "http", "paths")
		if n == 0 {
			routes = append(routes, host)
		}
	}, "spec", "rules")
	if to := str(o, "spec", "defaultBackend", "service", "name"); to != "" {
		routes = append(routes, "else→"+to)
	}
	if len(routes) > 3 {
		routes = append(routes[:3], fmt.Sprintf("+%d more", len(routes)-3))
	}
	address := ""
	each(o, func(a []byte) { address = join(address, str(a, "ip")+str(a, "hostname")) }, "status", "loadBalancer", "ingress")
	tls := ""
	if len(jsonscan.Get(o, "spec", "tls")) > 2 {
		tls = "TLS"
	}
	return join(str(o, "spec", "ingressClassName"), strings.Join(routes, " "), tls, address)
}

// keys lists the keys of a config map or of a Secret, never the values.
func keys(o []byte) string {
	var names []string
	for _, field := range []string{"data", "binaryData", "stringData"} {
		members, _ := jsonscan.AppendMembers(nil, jsonscan.Find(o, field))
		for _, m := range members {
			names = append(names, m.Key)
		}
	}
	s := fmt.Sprintf("%d keys", len(names))
	if len(names) == 1 {
		s = "1 key"
	}
	if len(names) > 0 {
		s += ": " + strings.Join(names, " ")
	}
	if typ := str(o, "type"); typ != "" && typ != "Opaque" {
		s = join(typ, s)
	}
	return join(s, flag(o, "immutable", "immutable"))
}

func endpoints(o []byte) string {
	ready := 0
	n := each(o, func(e []byte) {
		if str(e, "conditions", "ready") != "false" { // absent is to be read as ready
			ready++
		}
	}, "endpoints")
	s := fmt.Sprintf("%d endpoints", n)
	if n == 1 {
		s = "1 endpoint"
	}
	return fmt.Sprintf("%s, %d ready", s, ready)
}

// generic says what it can of an object of any kind: its phase or state, its
// Ready condition, the first scalars of its spec.
func generic(o []byte) string {
	parts := []string{str(o, "status", "phase"), str(o, "status", "state")}
	for _, typ := range []string{"Ready", "Available", "Established"} {
		if status, reason := condition(o, typ); status != "" {
			s := typ + " " + status
			if reason != "" && status != "True" {
				s += " (" + reason + ")"
			}
			parts = append(parts, s)
			break
		}
	}
	spec := jsonscan.Find(o, "spec")
	members, _ := jsonscan.AppendMembers(nil, spec)
	n := 0
	for _, m := range members {
		v := m.Of(spec)
		if n == 3 || bytes.IndexByte([]byte("{[n"), v[0]) >= 0 {
			continue
		}
		n++
		parts = append(parts, m.Key+"="+short(string(v)))
	}
	return join(parts...)
}
