package ui

import (
	"strings"
	"testing"
)

func TestYAML(t *testing.T) {
	const in = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{},"managedFields":[{"manager":"kubelet"}],
		"annotations":{"on":"yes","n":"12","empty":"","s":" a","colon":"a: b"}},
		"spec":{"n":9007199254740993,"containers":[{"name":"app","args":["-x","y"],"env":[]},{"name":"b"}],"matrix":[[1,2],[3]],
		"text":"one\ntwo\n","ok":true,"none":null}}`
	want := strings.TrimPrefix(`
apiVersion: v1
kind: Pod
metadata:
  name: a
  labels: {}
  annotations:
    on: "yes"
    n: "12"
    empty: ""
    s: " a"
    colon: "a: b"
spec:
  n: 9007199254740993
  containers:
  - name: app
    args:
    - "-x"
    - y
    env: []
  - name: b
  matrix:
  -
    - 1
    - 2
  -
    - 3
  text: |
    one
    two
  ok: true
  none: null`, "\n")
	if got := strings.Join(yamlLines([]byte(in), 100), "\n"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if got := yamlLines([]byte(in), 3); len(got) != 4 || got[3] != "… cut after 3 lines" {
		t.Errorf("cut to %q", got)
	}
	if got := yamlLines([]byte("not json"), 3); len(got) != 1 || got[0] != "not json" {
		t.Errorf("what is no JSON is %q", got)
	}
}

func TestValuesInOneLine(t *testing.T) {
	for in, want := range map[string]string{
		`"a b"`: "a b", `""`: `""`, `12`: "12", `null`: "null",
		`{"type":"Ready","status":"True","n":[1,"a,b"],"z":{}}`: `{type: Ready, status: "True", n: [1, "a,b"], z: {}}`,
		`{"broken`: `{"broken`,
	} {
		if got := value(in); got != want {
			t.Errorf("value(%s) = %s, want %s", in, got, want)
		}
	}
}
