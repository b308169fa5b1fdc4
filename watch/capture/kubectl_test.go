package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func pod(name, more string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"creationTimestamp":"2026-12-01T10:00:00Z","name":%q,"namespace":"n","uid":"u-%s"%s}}`, name, name, more)
}

func written2(at string) string {
	return `,"managedFields":[{"manager":"a","time":"2026-12-01T10:30:00Z"},{"manager":"b"},{"manager":"c","time":"2026-12-01T` + at + `Z"}]`
}

func event(typ, object string) string { return `{"type":"` + typ + `","object":` + object + `}` }

func pretty(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "    "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}

// TestKubectlEvents: times are those of the newest write and never go back, and
// what kubectl printed over several lines comes back in one.
func TestKubectlEvents(t *testing.T) {
	frames := []string{
		event("ADDED", pod("a", "")), event("ADDED", `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}`),
		event("MODIFIED", pod("a", written2("11:00:00"))), event("DELETED", pod("a", written2("10:59:00"))),
		event("ERROR", `{"kind":"Status","apiVersion":"v1","code":410}`),
	}
	const want = "0 10:00:00 IDLE→SYNC\n0 10:00:00 ADDED a initial\n" +
		"0 10:00:00 NOTE imported from the output of kubectl get --output-watch-events, which tells no times of receipt: times are those of the newest write to each object; nor does it tell which namespaces and selectors were asked for\n" +
		"1 10:00:00 IDLE→SYNC\n1 10:00:00 ADDED n1 initial\n0 11:00:00 SYNC→LIVE\n0 11:00:00 MODIFIED a\n0 11:00:00 DELETED a\n0 11:00:00  \n0 11:00:00 LIVE→EXPIRED\n1 11:00:00 SYNC→LIVE\n"
	var compact, indented string
	for _, f := range frames {
		compact += f + "\n"
		indented += pretty(t, f)
	}
	for name, text := range map[string]string{"compact": compact, "pretty": indented, "on one line": strings.ReplaceAll(compact, "\n", "")} {
		x, sum, err := imported(t, strings.NewReader(text), Options{})
		if err != nil || sum.Kind != Events || sum.Frames != 5 || sum.Streams != 2 {
			t.Fatalf("%s: %+v %v", name, sum, err)
		}
		if got := records(t, x); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
		var got []string
		for l := range strings.Lines(string(exported(t, x))) {
			_, f, _ := strings.Cut(l, `"frame":`)
			got = append(got, strings.TrimSuffix(f, "}\n"))
		}
		if strings.Join(got, "\n") != strings.Join(frames, "\n") {
			t.Errorf("%s:\n%s", name, strings.Join(got, "\n"))
		}
		if s := x.Info().Streams; s[0].Resource != "pods" || !s[0].Namespaced || s[1].Resource != "nodes" || s[1].Namespaced {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestKubectlObjects(t *testing.T) {
	list := `{"apiVersion":"v1","items":[` + pod("a", "") + `,{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"n"}}],"kind":"List","metadata":{"resourceVersion":""}}`
	x, sum, err := imported(t, strings.NewReader(pretty(t, list)), Options{})
	if err != nil || sum.Kind != Objects || sum.Frames != 2 || sum.Streams != 2 {
		t.Fatalf("%+v %v", sum, err)
	}
	got := records(t, x)
	if !strings.Contains(got, "ADDED a initial\n") || !strings.Contains(got, "ADDED d initial\n") {
		t.Error(got)
	}
	// Nobody watched after it, and nobody knows what was asked for.
	if strings.Contains(got, "LIVE") || strings.Count(got, "SYNC→STOPPED") != 2 || !strings.Contains(got, "which namespaces and selectors were asked for") {
		t.Error(got)
	}
	if one := records(t, must(t, pretty(t, pod("a", "")))); !strings.Contains(one, "SYNC→STOPPED") {
		t.Error(one)
	}
	// All of a List is of one moment, and a List after it of another.
	x = must(t, pretty(t, `{"kind":"List","items":[`+pod("b", written2("11:00:00"))+`,`+pod("a", "")+`]}`)+pretty(t, `{"kind":"List","items":[`+pod("b", written2("12:00:00"))+`]}`))
	if got := records(t, x); strings.Count(got, " 11:00:00 ADDED") != 2 || strings.Count(got, " 12:00:00 ADDED b initial") != 1 || strings.Count(got, "SYNC→STOPPED") != 2 {
		t.Error(got)
	}
	x = must(t, pretty(t, pod("a", ""))+pretty(t, pod("b", ""))+pretty(t, pod("a", written2("11:00:00"))))
	if got := records(t, x); !strings.Contains(got, "ADDED a initial\n") || !strings.Contains(got, "0 11:00:00 MODIFIED a\n") {
		t.Error(got)
	}
}

func TestPlurals(t *testing.T) {
	for kind, want := range map[string]string{"v1 Pod": "pods", "v1 Endpoints": "endpoints", "networking.k8s.io/v1 NetworkPolicy": "networkpolicies",
		"networking.k8s.io/v1 Ingress": "ingresses", "discovery.k8s.io/v1 EndpointSlice": "endpointslices", "metrics.k8s.io/v1beta1 PodMetrics": "pods"} {
		v, k, _ := strings.Cut(kind, " ")
		x := must(t, event("ADDED", fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"a"}}`, v, k)))
		if got := x.Info().Streams[0].Resource; got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
