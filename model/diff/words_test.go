package diff

import (
	"fmt"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ path, old, new, want string }{
		{"spec.containers[name=app].resources.limits.memory", `"256Mi"`, `"512Mi"`, "doubled"},
		{"spec.containers[name=app].resources.requests.cpu", `"1"`, `"500m"`, "halved"},
		{"spec.containers[name=app].resources.requests.cpu", `1`, `"1000m"`, "the same amount"},
		{"spec.resources.requests.storage", `"1G"`, `"1Gi"`, "+7%"},
		{"spec.resources.requests.storage", `"10Gi"`, `"7Gi"`, "−30%"},
		{"status.capacity.memory", `"263832020Ki"`, `"263832024Ki"`, ""},
		{"spec.hard.pods", `"1e1"`, `"2e3"`, "×200"},
		{"spec.hard[\"requests.cpu\"]", `"1"`, `"3"`, "tripled"},
		{"status.used.cpu", `"100n"`, `"100u"`, "×1000"},
		{"spec.limits", `"1"`, `"2"`, ""},
		{"metadata.labels.limits", `"1"`, `"2"`, ""},
		{"spec.volumes[name=x].emptyDir.sizeLimit", `"1Mi"`, `"1MiB"`, ""},
		{"spec.interval", `"30s"`, `"1m0s"`, "doubled"},
		{"spec.interval", `"5m"`, `"5x"`, ""},
		{"spec.replicas", `3`, `6`, ""},
		{"status.startTime", `"2026-12-01T00:00:00Z"`, `"2026-12-01T00:00:40Z"`, "40 s later"},
		{"spec.renewTime", `"2026-12-01T00:00:00.000000Z"`, `"2026-12-01T00:00:00.250000Z"`, "250 ms later"},
		{"status.startTime", `"2026-12-03T00:00:00Z"`, `"2026-12-01T00:00:00Z"`, "2 d earlier"},
		{"status.startTime", `"2026-12-01T01:00:00+01:00"`, `"2026-12-01T00:00:00Z"`, "the same time"},
	} {
		if got := Words(Change{Path: c.path, Op: Replace, Old: c.old, New: c.new}); got != c.want {
			t.Errorf("%s %s→%s: %q, want %q", c.path, c.old, c.new, got, c.want)
		}
	}
	if got := Words(Change{Path: "status.capacity.cpu", Op: Add, New: `"1"`}); got != "" {
		t.Errorf("words of an addition: %s", got)
	}
}

func TestSummaryInWords(t *testing.T) {
	object := func(memory, applied string) []byte {
		return fmt.Appendf(nil, `{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":%q}},"spec":{"resources":{"limits":{"memory":%q}}}}`, applied, memory)
	}
	got := Summary("X", object("256Mi", `{"spec":{"replicas":1,"a":"x"}}`+"\n"), object("512Mi", `{"spec":{"replicas":2,"a":"y"}}`+"\n"), 0)
	want := `spec.resources.limits.memory 256Mi→512Mi (doubled), annotations["kubectl.kubernetes.io/last-applied-configuration"]: spec.replicas 1→2 +1 inside`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestInside(t *testing.T) {
	c := Change{Op: Replace, Old: `"{\"a\":{\"n\":9007199254740993,\"l\":[{\"name\":\"x\",\"v\":1}]}}"`, New: `"{\"a\":{\"n\":9007199254740993,\"l\":[{\"name\":\"x\",\"v\":2}]}}"`}
	r, ok := Inside(c)
	if !ok || len(r.Changes) != 1 || r.Changes[0].Path != "a.l[name=x].v" || r.Changes[0].New != "2" {
		t.Errorf("%+v %v", r, ok)
	}
	for _, text := range []string{`"plain"`, `"{broken"`, `7`, `"{}` + strings.Repeat(" ", maxInside) + `"`} {
		c.New = text
		if r, ok := Inside(c); ok {
			t.Errorf("%.20s: %+v", text, r)
		}
	}
}
