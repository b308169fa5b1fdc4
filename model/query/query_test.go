package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/cputest"
)

// shopLog is a log of a few rows that the tests look for.
func shopLog() (*model.Log, []model.Event) {
	l := model.NewLog(model.Options{})
	now := time.Date(2026, 12, 1, 12, 30, 0, 0, time.UTC)
	pods := l.AddStream(model.StreamInfo{Context: "prod-eu", Version: "v1", Resource: "pods", Kind: "Pod"})
	deployments := l.AddStream(model.StreamInfo{Context: "prod-eu", Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment"})
	nodes := l.AddStream(model.StreamInfo{Context: "test", Version: "v1", Resource: "nodes", Kind: "Node"})
	var rows []model.Event
	add := func(r model.Record, after time.Duration) {
		now = now.Add(after)
		r.Time = now
		rows = append(rows, l.Append(r))
	}
	pod := func(name, rv, rest string) []byte {
		return fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"u-%s","resourceVersion":%q%s`, name, name, rv, rest)
	}
	manager := func(name, seconds string) string {
		return `,"managedFields":[{"manager":"` + name + `","operation":"Update","apiVersion":"v1","time":"2026-12-01T12:30:` + seconds + `Z","fieldsV1":{}}]`
	}
	add(model.Record{Stream: pods, Type: model.Added, Raw: pod("checkout-1", "5", `},"spec":{"nodeName":"node-7"},"status":{"phase":"Pending"}}`)}, 0)
	add(model.Record{Stream: pods, Type: model.Modified, Raw: pod("checkout-1", "6", manager("kubelet", "01")+`,"annotations":{"team.example/owner":"web"}},"spec":{"nodeName":"node-7"},"status":{"phase":"Running"}}`)}, time.Minute)
	add(model.Record{Stream: deployments, Type: model.Added, Flags: model.Initial, Raw: []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"checkout","namespace":"shop","uid":"u-d","resourceVersion":"7"},"spec":{"replicas":8,"template":{"spec":{"containers":[{"name":"app","image":"a:1"}]}}}}`)}, time.Minute)
	add(model.Record{Stream: deployments, Type: model.Modified, Raw: []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"checkout","namespace":"shop","uid":"u-d","resourceVersion":"8"` + manager("gitops", "05") + `},"spec":{"replicas":9,"template":{"spec":{"containers":[{"name":"app","image":"a:2"}]}}}}`)}, time.Minute)
	add(model.Record{Stream: nodes, Type: model.Deleted, Flags: model.Synthetic, Raw: []byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"node-7","uid":"u-n","resourceVersion":"9"},"spec":{"n":9007199254740993}}`)}, time.Minute)
	add(model.Record{Stream: nodes, Type: model.GapFound, Detail: model.Gap{Text: "410 expired"}}, time.Minute)
	add(model.Record{Stream: pods, Type: model.StreamChange, Detail: model.Transition{To: model.Backoff, Cause: model.CauseRefused, Text: "connection refused"}}, time.Minute)
	add(model.Record{Stream: pods, Type: model.Bookmark, Raw: []byte(`{"metadata":{"resourceVersion":"10"}}`)}, time.Minute)
	return l, rows
}

// The rows of shopLog.
const (
	podAdded = iota
	podRuns
	deployInitial
	deployScaled
	nodeGone
	gap
	refused
	heartbeat
)

func TestMatch(t *testing.T) {
	l, rows := shopLog()
	for query, want := range map[string][]int{
		"":                                {0, 1, 2, 3, 4, 5, 6, 7},
		"kind:pod":                        {podAdded, podRuns, refused, heartbeat},
		"kind:Pods":                       {podAdded, podRuns, refused, heartbeat},
		"kind:po":                         {podAdded, podRuns, refused, heartbeat},
		"kind:deploy":                     {deployInitial, deployScaled},
		"kind:deployments.apps":           {deployInitial, deployScaled},
		"kind:pod,no":                     {podAdded, podRuns, nodeGone, refused, heartbeat},
		"kind:*":                          {0, 1, 2, 3, 4, 6, 7},
		"kind:~^dep":                      {deployInitial, deployScaled},
		"ns:shop":                         {podAdded, podRuns, deployInitial, deployScaled},
		"namespace:sho":                   {},
		"ns:sh*":                          {podAdded, podRuns, deployInitial, deployScaled},
		"name:checkout":                   {podAdded, podRuns, deployInitial, deployScaled},
		"name:=checkout":                  {deployInitial, deployScaled},
		`name:="checkout"`:                {deployInitial, deployScaled},
		"name:~^check.*1$":                {podAdded, podRuns},
		"name:check*":                     {podAdded, podRuns, deployInitial, deployScaled},
		"uid:u-n":                         {nodeGone},
		"type:deleted":                    {nodeGone},
		"type:relist":                     {nodeGone},
		"type:initial":                    {deployInitial},
		"type:stream,bookmark":            {refused, heartbeat},
		"stream:pods":                     {podAdded, podRuns, refused, heartbeat},
		"stream:deployments.apps":         {deployInitial, deployScaled},
		"context:prod-eu":                 {podAdded, podRuns, deployInitial, deployScaled, refused, heartbeat},
		"context:test":                    {nodeGone},
		"path:spec.replicas":              {deployScaled},
		"path:replicas":                   {deployScaled},
		"path:Spec":                       {deployScaled},
		"path:containers.image":           {deployScaled},
		"path:containers[name=app].image": {deployScaled},
		"path:containers[name=db].image":  {},
		"path:spec.repl":                  {},
		"path:spec.*":                     {deployScaled},
		"path:metadata.annotations.team.example/owner":    {podRuns},
		`path:metadata.annotations["team.example/owner"]`: {podRuns},
		`path:~^spec\.`:               {deployScaled},
		"manager:gitops":              {deployScaled},
		"manager:kube*":               {podRuns},
		"-manager:kubelet":            {podAdded, deployInitial, deployScaled, nodeGone, refused, heartbeat},
		"POD shop":                    {podAdded, podRuns},
		"running":                     {podRuns},
		"gitops":                      {deployScaled},
		"refused":                     {refused},
		"retry":                       {refused},
		"checkout -kind:pod":          {deployInitial, deployScaled},
		"NOT checkout":                {nodeGone, refused, heartbeat},
		"-(kind:pod OR kind:node)":    {deployInitial, deployScaled},
		"kind:node OR name:=checkout": {deployInitial, deployScaled, nodeGone},
		"kind:node OR name:=checkout type:modified": {deployScaled, nodeGone},
		"(kind:node OR kind:pod) AND type:added":    {podAdded},
		"/check.*t-\\d/":                            {podAdded, podRuns},
		"/^(pending|running)/":                      {podAdded},
		"/pending→running/":                         {podRuns},
		`"connection refused"`:                      {refused},
		`'connection refused'`:                      {refused},
		"since:3m":                                  {nodeGone, refused, heartbeat},
		"after:12:32":                               {deployInitial, deployScaled, nodeGone, refused, heartbeat},
		"before:12:31":                              {podAdded},
		"before:2026-12-01T12:31:00Z":               {podAdded},
		"before:2026-12-01T12:31":                   {podAdded},
		"after:2026-12-02":                          {},
		"between:12:31..12:33":                      {podRuns, deployInitial},
		"between:6m..5m":                            {podRuns},
		"cel: type == 'DELETED'":                    {nodeGone},
		"cel: object.status.phase == 'Running' && old.status.phase == 'Pending'": {podRuns},
		"cel: object.spec.n == 9007199254740993":                                 {nodeGone},
		"cel: object.spec.n > 9007199254740992":                                  {nodeGone},
		"cel: old == null && object != null":                                     {podAdded, deployInitial, nodeGone},
		"cel: 'spec.replicas' in paths":                                          {deployScaled},
		"cel: paths.exists(p, p.startsWith('status'))":                           {podRuns},
		"cel: manager == 'gitops'":                                               {deployScaled},
		"cel: synthetic":                                                         {nodeGone},
		"cel: kind == 'Pod' && stream == 'pods' && context == 'prod-eu' && namespace == 'shop' && name.endsWith('-1')": {podAdded, podRuns},
		"cel: object.spec.template.spec.containers[0].image == 'a:2'":                                                  {deployScaled},
		"cel: object.spec.template.spec.containers.exists(c, c.name == 'app' && c.image.endsWith(':1'))":               {deployInitial},
		"cel: has(object.status) && size(object.metadata.annotations) == 1":                                            {podRuns},
		"cel: object.?status.?phase.orValue('none') == 'none'":                                                         {deployInitial, deployScaled, nodeGone, refused, heartbeat},
		"cel: object.metadata.namespace == namespace && namespace != ''":                                               {podAdded, podRuns, deployInitial, deployScaled},
		"cel: object.metadata.?namespace.orValue('') == (gap ? '' : namespace) && kind == 'Pod'":                       {podAdded, podRuns},
		"cel: object.metadata == {'name': 'x'}":                                                                        {},
		"-cel: type == 'ADDED'":                                                                                        {podRuns, deployScaled, nodeGone, refused, heartbeat},
		"(cel: kind == 'Pod' && (type == 'ADDED')) OR kind:node":                                                       {podAdded, nodeGone},
	} {
		q, err := Parse(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		want = slices.DeleteFunc(slices.Clone(want), func(i int) bool { return i == gap }) // see the tests of gaps
		for _, cache := range []*Cache{nil, NewCache()} {
			m := q.Compile(l, Options{Cache: cache})
			for range 2 { // from the cache the second time
				var got []int
				for i, e := range rows {
					if i != gap && m.Match(e) {
						got = append(got, i)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: rows %v, want %v", query, got, want)
				}
			}
		}
	}
}

func TestGapsPassButDoNotHold(t *testing.T) {
	l, rows := shopLog()
	for query, holds := range map[string]bool{"name:x": false, "-type:gap": false, "type:gap": true, "cel: gap": true, "expired": true} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		m := q.Compile(l, Options{})
		if !m.Match(rows[gap]) {
			t.Errorf("%s hides a gap", query)
		}
		if m.Holds(rows[gap]) != holds {
			t.Errorf("%s holds of a gap: %v", query, !holds)
		}
	}
}

func TestAQueryAsksForGaps(t *testing.T) {
	for query, want := range map[string]bool{"": false, "type:gap": true, "gap": true, "cel: gap": true, "type:gap,deleted": true, "type:g*": true,
		"type:gap ns:shop": true, "-ns:shop type:gap": true, "type:gap OR kind:pod": true, "-type:gap": false, "type:deleted": false, "name:gapminder": false,
		"gapminder": false, "a": false, "-gap": false, "kind:pod": false, "kind:pod -type:gap": false, "kind:pod OR type:deleted": false} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		if q.AsksForGaps() != want {
			t.Errorf("%q asks for gaps: %v", query, !want)
		}
	}
}

func TestErrors(t *testing.T) {
	for query, want := range map[string]string{
		"knd:pod":                           `column 1: there is no field "knd"; did you mean kind:?`,
		"shop image:nginx":                  `column 6: there is no field "image"; quote it to look for it as text: "image:nginx"`,
		"shop kind:":                        "column 11: kind: needs a value; for example kind:pod",
		"kind:pod,":                         "column 10: a value is missing here; for example kind:pod",
		"kind:(":                            "column 6: a value does not begin with a parenthesis; alternatives have commas between them, as kind:pod,job",
		"kind:(pod OR node)":                "column 6: a value does not begin with a parenthesis",
		"name:=(a":                          "column 7: a value does not begin with a parenthesis",
		"type:delete":                       "column 6: there is no type delete; did you mean type:deleted?",
		"type:xyzzy":                        "column 6: no type of row matches; types are added, ",
		"name:~^(check":                     "column 7: not a regular expression: missing closing ): `^(check`",
		"/a(/":                              "column 2: not a regular expression: missing closing ): `a(`",
		"/a)(b/":                            "column 2: not a regular expression: unexpected ): `a)(b`",
		"/abc":                              "column 1: the regular expression has no closing /; quote a word that begins with /",
		"//":                                "column 1: the regular expression is empty",
		`name:"x`:                           "column 6: the quote is not closed",
		`""`:                                "column 1: there is nothing in the quotes",
		"-":                                 "column 2: a term is missing here",
		"a OR":                              "column 5: a term is missing here",
		"OR a":                              `column 1: OR needs a term before it; quote it to look for the word: "OR"`,
		"a AND OR b":                        `column 7: OR needs a term before it; quote it to look for the word: "OR"`,
		"(a":                                "column 3: the parenthesis of column 1 is not closed",
		"()":                                "column 2: a term is missing here",
		") a":                               "column 1: there is no open parenthesis; quote it to look for it as text",
		"since:soon":                        `column 7: "soon" is no moment; ` + momentForms,
		"between:12:30":                     "column 9: between: needs two moments with .. between them; for example between:12:30..12:45",
		"between:12:30..x":                  `column 16: "x" is no moment; ` + momentForms,
		"größe kind:":                       "column 12: kind: needs a value; for example kind:pod",
		"cel:":                              "column 5: cel: needs an expression; for example cel: object.status.phase == 'Failed'",
		"kind:pod cel: objct.a > 1":         "column 15: CEL knows no objct here; did you mean object?",
		"cel: object.a ==":                  "column 17: CEL: mismatched input the end",
		"cel: 'namespace' + namespac == ''": "column 20: CEL knows no namespac here; did you mean namespace?",
		"cel: kind":                         "column 6: the expression is no condition but a value of type string; compare it with something",
		"cel: kind == 3":                    "column 11: CEL: found no matching overload for '_==_' applied to '(string, int)'",
		strings.Repeat("(", 60):             "column 52: nested deeper than 50",
		strings.Repeat("a ", 61):            "column 121: more than 60 terms",
		strings.Repeat("a", 20000):          "column 1: the query is longer than 16384 bytes",
	} {
		_, err := Parse(query)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%.40s: error %v", query, err)
		} else if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40s:\n got %s\nwant %s", query, err, want)
		}
	}
}

func TestProblem(t *testing.T) {
	l, rows := shopLog()
	for query, want := range map[string]string{
		"cel: object.status.phase == 'Running'":                "no such key: status",
		"cel: object.kind":                                     "the expression is no condition but a value of type string",
		"cel: object.metadata.name.matches(object.kind + '(')": "error parsing regexp: missing closing ): `Pod(`",
		"cel: [1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, a+b+c+d+e+f < 100))))))": "takes too long",
	} {
		q, err := Parse(query)
		if err != nil {
			t.Fatal(err)
		}
		cache := NewCache()
		m := q.Compile(l, Options{Cache: cache})
		start := cputest.Process()
		for _, e := range rows {
			m.Match(e)
		}
		text, n := m.Problem()
		again := q.Compile(l, Options{Cache: cache})
		for _, e := range rows {
			again.Match(e)
		}
		if _, k := again.Problem(); k != n {
			t.Errorf("%s: %d rows had a problem, the next time %d", query, n, k)
		}
		if !strings.Contains(text, want) || n == 0 {
			t.Errorf("%s: problem of %d rows: %s", query, n, text)
		}
		if used := cputest.Process() - start; used > cputest.Bound(5*time.Second) {
			t.Errorf("%s took %v", query, used)
		}
	}
}
