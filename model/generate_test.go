package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// generator makes the events of a busy cluster: rolling updates of pods of
// about 9 KB through all their phases, with the ReplicaSets, Deployments,
// EndpointSlices and Events around them, and the leases and status of nodes.
// Its objects have the status details that kubelets write and that captures
// without kubelets lack. About half of its events are of pods.
type generator struct {
	rnd   *rand.Rand
	emit  func(stream string, typ Type, raw []byte)
	now   time.Time
	rv    uint64
	buf   []byte
	nodes []genNode
	apps  []*genApp
}

type genNode struct {
	name, uid string
	images    string // each node has its own
}

type genApp struct {
	ns, name, uid string
	revision      int
	spec          string // of its pods, as JSON
	pods          []*genPod
	slice         string // uid
}

type genPod struct {
	app               *genApp
	name, uid, hash   string
	node              int
	created           string
	phase             int
	started, ip, rsID string
}

func newGenerator(seed uint64, emit func(stream string, typ Type, raw []byte)) *generator {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 9)), emit: emit, now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), rv: 100_000}
	for i := range 100 {
		var images strings.Builder
		for range 30 {
			fmt.Fprintf(&images, `{"names":["registry.example/img-%d@sha256:%s%s","registry.example/img-%d:v%d"],"sizeBytes":%d},`,
				g.rnd.IntN(500), strings.ReplaceAll(g.uid(), "-", ""), strings.ReplaceAll(g.uid(), "-", ""), g.rnd.IntN(500), g.rnd.IntN(50), g.rnd.IntN(1e9))
		}
		g.nodes = append(g.nodes, genNode{fmt.Sprintf("node-%02d.eu-1.example", i), g.uid(), images.String()})
	}
	for i := range 200 {
		a := &genApp{ns: fmt.Sprintf("team-%d", i%20), name: fmt.Sprintf("%s-%d", []string{"checkout", "cart", "api", "worker"}[i%4], i), uid: g.uid(), slice: g.uid()}
		a.spec = g.podSpec(a)
		for range 5 + g.rnd.IntN(30) {
			p := g.newPod(a)
			p.phase = 4
			a.pods = append(a.pods, p)
		}
		g.apps = append(g.apps, a)
	}
	return g
}

func (g *generator) uid() string {
	a, b := g.rnd.Uint64(), g.rnd.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", uint32(a), uint16(a>>32), uint16(a>>48)&0xfff, uint16(b)&0x3fff|0x8000, b>>16)
}

func (g *generator) suffix(n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[g.rnd.IntN(len(letters))]
	}
	return string(b)
}

func (g *generator) stamp() string { return g.now.Format(time.RFC3339) }

func (g *generator) podSpec(a *genApp) string {
	var b strings.Builder
	b.WriteString(`"spec":{"volumes":[{"name":"kube-api-access","projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],"containers":[`)
	for c := range 3 {
		if c > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"c%d","image":"registry.example/%s:1.%d.0","args":["--listen=:80%02d","--log=json"],"ports":[{"name":"http","containerPort":80%02d,"protocol":"TCP"}],"env":[`, c, a.name, a.revision, c, c)
		for e := range 10 {
			fmt.Fprintf(&b, `{"name":"SETTING_%d","value":"%s-%d"},`, e, a.name, e*7)
		}
		b.WriteString(`{"name":"POD_IP","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"status.podIP"}}}],"resources":{"limits":{"cpu":"1","memory":"512Mi"},"requests":{"cpu":"100m","memory":"256Mi"}},"volumeMounts":[{"name":"kube-api-access","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],"readinessProbe":{"httpGet":{"path":"/readyz","port":"http","scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`)
	}
	b.WriteString(`],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true`)
	return b.String()
}

func (g *generator) newPod(a *genApp) *genPod {
	hash := fmt.Sprintf("%x", uint32(a.revision*2654435761+len(a.name)*97))
	return &genPod{app: a, hash: hash, name: a.name + "-" + hash + "-" + g.suffix(5), uid: g.uid(), rsID: g.uid(), node: g.rnd.IntN(len(g.nodes)), created: g.stamp(),
		ip: fmt.Sprintf("10.%d.%d.%d", g.rnd.IntN(250), g.rnd.IntN(250), g.rnd.IntN(250))}
}

// meta begins an object with the parts of its metadata that all have.
func (g *generator) meta(apiVersion, kind, ns, name, uid, created string) {
	g.rv++
	g.buf = fmt.Appendf(g.buf[:0], `{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,`, kind, apiVersion, name)
	if ns != "" {
		g.buf = fmt.Appendf(g.buf, `"namespace":%q,`, ns)
	}
	g.buf = fmt.Appendf(g.buf, `"uid":%q,"resourceVersion":"%d","creationTimestamp":%q`, uid, g.rv, created)
}

func (g *generator) managed(managers ...string) {
	g.buf = append(g.buf, `,"managedFields":[`...)
	for i, m := range managers {
		if i > 0 {
			g.buf = append(g.buf, ',')
		}
		g.buf = fmt.Appendf(g.buf, `{"manager":%q,"operation":"Update","apiVersion":"v1","time":%q,"fieldsType":"FieldsV1","fieldsV1":`, m, g.stamp())
		g.buf = append(g.buf, `{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:startTime":{}}}}`...)
	}
	g.buf = append(g.buf, ']')
}

var podPhases = [...]string{"Pending", "Pending", "Pending", "Running", "Running", "Running", "Running"}

// pod writes a pod in one of its phases: created, scheduled, containers being
// created, running, ready, terminating, not ready any more.
func (g *generator) pod(p *genPod, typ Type) {
	g.meta("v1", "Pod", p.app.ns, p.name, p.uid, p.created)
	g.buf = fmt.Appendf(g.buf, `,"generateName":"%s-%s-","labels":{"app":%q,"pod-template-hash":%q},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"%s-%s","uid":%q,"controller":true}]`,
		p.app.name, p.hash, p.app.name, p.hash, p.app.name, p.hash, p.rsID)
	if p.phase >= 5 {
		g.buf = fmt.Appendf(g.buf, `,"deletionTimestamp":%q,"deletionGracePeriodSeconds":30`, g.stamp())
	}
	g.managed([]string{"kube-controller-manager", "kube-scheduler", "kubelet"}[:min(3, 1+p.phase)]...)
	g.buf = append(append(g.buf, "},"...), p.app.spec...)
	if p.phase >= 1 {
		g.buf = fmt.Appendf(g.buf, `,"nodeName":%q`, g.nodes[p.node].name)
	}
	g.buf = fmt.Appendf(g.buf, `},"status":{"phase":%q,"qosClass":"Burstable"`, podPhases[p.phase])
	if p.phase >= 2 {
		g.status(p)
	}
	g.buf = append(g.buf, `}}`...)
	g.emit("pods", typ, g.buf)
}

func (g *generator) status(p *genPod) {
	ready := p.phase == 4 || p.phase == 5
	if p.phase == 2 {
		p.started = g.stamp()
	}
	g.buf = fmt.Appendf(g.buf, `,"conditions":[{"type":"PodScheduled","status":"True","lastProbeTime":null,"lastTransitionTime":%q},{"type":"Ready","status":"%v","lastProbeTime":null,"lastTransitionTime":%q},{"type":"ContainersReady","status":"%v","lastProbeTime":null,"lastTransitionTime":%q}],"hostIP":"10.0.0.%d","podIP":%q,"startTime":%q,"containerStatuses":[`,
		p.created, ready, g.stamp(), ready, g.stamp(), p.node, p.ip, p.started)
	for c := range 3 {
		if c > 0 {
			g.buf = append(g.buf, ',')
		}
		if p.phase == 2 {
			g.buf = fmt.Appendf(g.buf, `{"name":"c%d","state":{"waiting":{"reason":"ContainerCreating"}},"lastState":{},"ready":false,"restartCount":0,"image":"registry.example/%s:1.%d.0","imageID":""}`, c, p.app.name, p.app.revision)
			continue
		}
		g.buf = fmt.Appendf(g.buf, `{"name":"c%d","state":{"running":{"startedAt":%q}},"lastState":{},"ready":%v,"restartCount":0,"image":"registry.example/%s:1.%d.0","imageID":"registry.example/%s@sha256:%032x%032x","containerID":"containerd://%s%s","started":true}`,
			c, p.started, ready, p.app.name, p.app.revision, p.app.name, p.app.revision, len(p.app.name), strings.ReplaceAll(p.uid, "-", ""), strings.ReplaceAll(p.rsID, "-", ""))
	}
	g.buf = append(g.buf, ']')
}

func (g *generator) event(p *genPod, reason, message, component string) {
	uid := g.uid()
	g.meta("v1", "Event", p.app.ns, p.name+"."+uid[:8]+g.suffix(8), uid, g.stamp())
	g.managed(component)
	g.buf = fmt.Appendf(g.buf, `},"involvedObject":{"kind":"Pod","namespace":%q,"name":%q,"uid":%q,"apiVersion":"v1","resourceVersion":"%d"},"reason":%q,"message":%q,"source":{"component":%q,"host":%q},"firstTimestamp":%q,"lastTimestamp":%q,"count":1,"type":"Normal","eventTime":null,"reportingComponent":%q,"reportingInstance":%q}`,
		p.app.ns, p.name, p.uid, g.rv-3, reason, message, component, g.nodes[p.node].name, g.stamp(), g.stamp(), component, g.nodes[p.node].name)
	g.emit("events", Added, g.buf)
}

func (g *generator) owners(a *genApp) {
	ready := 0
	for _, p := range a.pods {
		if p.phase == 4 {
			ready++
		}
	}
	for _, o := range [...]struct{ stream, kind, name string }{{"replicasets", "ReplicaSet", a.name + "-x"}, {"deployments", "Deployment", a.name}} {
		g.meta("apps/v1", o.kind, a.ns, o.name, a.uid, "2026-11-01T00:00:00Z")
		g.managed("kubectl", "kube-controller-manager")
		g.buf = fmt.Appendf(g.buf, `},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":%q}},"template":{"metadata":{"labels":{"app":%q}},%s}}},"status":{"observedGeneration":%d,"replicas":%d,"readyReplicas":%d,"availableReplicas":%d}}`,
			len(a.pods), a.name, a.name, a.spec, a.revision, len(a.pods), ready, ready)
		g.emit(o.stream, Modified, g.buf)
	}
	g.meta("discovery.k8s.io/v1", "EndpointSlice", a.ns, a.name+"-w7k2p", a.slice, "2026-11-01T00:00:00Z")
	g.buf = append(g.buf, `},"addressType":"IPv4","endpoints":[`...)
	for i, p := range a.pods {
		if i > 0 {
			g.buf = append(g.buf, ',')
		}
		g.buf = fmt.Appendf(g.buf, `{"addresses":[%q],"conditions":{"ready":%v,"serving":true,"terminating":false},"targetRef":{"kind":"Pod","namespace":%q,"name":%q,"uid":%q},"nodeName":%q,"zone":"eu-1a"}`,
			p.ip, p.phase == 4, a.ns, p.name, p.uid, g.nodes[p.node].name)
	}
	g.buf = append(g.buf, `],"ports":[{"name":"http","port":8080,"protocol":"TCP"}]}`...)
	g.emit("endpointslices", Modified, g.buf)
}

func (g *generator) heartbeat() {
	n := &g.nodes[g.rnd.IntN(len(g.nodes))]
	g.meta("coordination.k8s.io/v1", "Lease", "kube-node-lease", n.name, n.uid[:35]+"0", "2026-11-01T00:00:00Z")
	g.managed("kubelet")
	g.buf = fmt.Appendf(g.buf, `},"spec":{"holderIdentity":%q,"leaseDurationSeconds":40,"renewTime":"%s.%06dZ"}}`, n.name, g.stamp()[:19], g.rnd.IntN(1e6))
	g.emit("leases", Modified, g.buf)
	if g.rnd.IntN(5) == 0 {
		return
	}
	n = &g.nodes[g.rnd.IntN(len(g.nodes))]
	g.meta("v1", "Node", "", n.name, n.uid, "2026-11-01T00:00:00Z")
	g.managed("kubelet")
	g.buf = fmt.Appendf(g.buf, `},"spec":{"providerID":"example:///eu-1/%s"},"status":{"capacity":{"cpu":"32","memory":"263832020Ki","pods":"110"},"conditions":[`, n.uid)
	for i, c := range [...]string{"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"} {
		if i > 0 {
			g.buf = append(g.buf, ',')
		}
		g.buf = fmt.Appendf(g.buf, `{"type":%q,"status":"False","lastHeartbeatTime":%q,"lastTransitionTime":"2026-11-01T00:00:07Z","reason":"Kubelet%s","message":"kubelet has sufficient"}`, c, g.stamp(), c)
	}
	g.buf = append(append(append(g.buf, `],"images":[`...), n.images...), `{"names":[],"sizeBytes":1}]}}`...)
	g.emit("nodes", Modified, g.buf)
}

// run emits about n events, after the initial state.
func (g *generator) run(n int) {
	count := 0
	emit := g.emit
	g.emit = func(stream string, typ Type, raw []byte) { count++; emit(stream, typ, raw) }
	for _, a := range g.apps {
		for _, p := range a.pods {
			p.started = p.created
			g.pod(p, Added)
		}
	}
	for count < n {
		a := g.apps[g.rnd.IntN(len(g.apps))]
		a.revision++
		a.spec = g.podSpec(a)
		for i := range a.pods {
			g.replace(a, i)
		}
	}
}

// replace is one step of a rolling update.
func (g *generator) replace(a *genApp, i int) {
	old, p := a.pods[i], g.newPod(a)
	g.pod(p, Added)
	g.event(p, "Scheduled", "Successfully assigned "+a.ns+"/"+p.name+" to "+g.nodes[p.node].name, "default-scheduler")
	for p.phase < 4 {
		p.phase++
		g.tick()
		g.pod(p, Modified)
	}
	g.event(p, "Started", "Started container c0", "kubelet")
	a.pods[i] = p
	old.phase = 5
	g.pod(old, Modified)
	g.owners(a)
	old.phase = 6
	g.tick()
	g.pod(old, Modified)
	g.pod(old, Deleted)
}

func (g *generator) tick() {
	g.now = g.now.Add(time.Duration(g.rnd.IntN(1500)) * time.Millisecond)
	if g.rnd.IntN(3) > 0 {
		g.heartbeat()
	}
}
