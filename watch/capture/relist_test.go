package capture

import (
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// gear is a frame of a stream of gears, t seconds after first.
func gear(t float64, typ, name, rv string) string {
	return line(first+t, "gears", typ, "Gear", `"name":"`+name+`","namespace":"n","uid":"u-`+name+`","resourceVersion":"`+rv+`","creationTimestamp":"2026-12-01T10:00:00Z"`)
}

func mark(t float64, rv string) string {
	return line(first+t, "gears", "BOOKMARK", "Gear", strings.Replace(end, `"1"`, `"`+rv+`"`, 1))
}

func beat(t float64, rv string) string {
	return line(first+t, "gears", "BOOKMARK", "Gear", `"resourceVersion":"`+rv+`"`)
}

func failure(t string, code string) string {
	return `{"t":` + t + `,"stream":"gears","frame":{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 6 (900)","code":` + code + `}}}` + "\n"
}

// TestAnErrorEndsTheWatch: what an ERROR frame of a capture means is what it
// meant live: changes may be missing, and the state that comes then is all there is.
func TestAnErrorEndsTheWatch(t *testing.T) {
	const (
		begun = "0 12:00:00 IDLE→SYNC\n0 12:00:00 ADDED a initial\n0 12:00:00 ADDED b initial\n0 12:00:00 BOOKMARK \n0 12:00:00 SYNC→LIVE\n"
		gone  = "0 12:01:00  \n0 12:01:00 LIVE→EXPIRED\n"
		at    = "1796126460.000000"
	)
	state := gear(0, "ADDED", "a", "5") + gear(0, "ADDED", "b", "4") + mark(0, "6")
	for name, c := range map[string]struct {
		text, want string
		gaps       int
		exist      string
		state      model.State
	}{
		"a list after it": {
			state + failure(at, "410") + gear(61, "ADDED", "c", "950") + gear(61, "ADDED", "b", "930") + mark(62, "951") + gear(70, "ADDED", "d", "960"),
			begun + gone + "0 12:01:01 EXPIRED→RELIST\n0 12:01:01 ADDED c synthetic\n0 12:01:01 MODIFIED b synthetic\n0 12:01:02 BOOKMARK \n" +
				"0 12:01:02 DELETED a synthetic\n0 12:01:02 GAP 6→951 1 added 1 modified 1 deleted\n0 12:01:02 RELIST→LIVE\n0 12:01:10 ADDED d\n",
			1, "b c d", model.Live},
		"an empty list after it": {
			state + failure(at, "410") + mark(62, "951"),
			begun + gone + "0 12:01:02 BOOKMARK \n0 12:01:02 DELETED a synthetic\n0 12:01:02 DELETED b synthetic\n" +
				"0 12:01:02 GAP 6→951 0 added 0 modified 2 deleted\n0 12:01:02 EXPIRED→LIVE\n",
			1, "", model.Live},
		"the same list after it": {
			state + failure(at, "410") + gear(61, "ADDED", "a", "5") + gear(61, "ADDED", "b", "4") + mark(62, "6"),
			begun + gone + "0 12:01:01 EXPIRED→RELIST\n0 12:01:01 ADDED a replayed\n0 12:01:01 ADDED b replayed\n0 12:01:02 BOOKMARK \n0 12:01:02 RELIST→LIVE\n",
			0, "a b", model.Live},
		"a list without an end after it": {
			state + failure(at, "410") + gear(61, "ADDED", "c", "950") + gear(61, "ADDED", "b", "4") + gear(70, "MODIFIED", "b", "960"),
			begun + gone + "0 12:01:01 EXPIRED→RELIST\n0 12:01:01 ADDED c synthetic\n0 12:01:01 ADDED b replayed\n" +
				"0 12:01:10 DELETED a synthetic\n0 12:01:10 GAP 6→ 1 added 0 modified 1 deleted\n0 12:01:10 RELIST→LIVE\n0 12:01:10 MODIFIED b\n",
			1, "b c", model.Live},
		"no list after it": {
			state + failure(at, "410") + beat(62, "951") + gear(70, "ADDED", "d", "960") + gear(71, "DELETED", "a", "970"),
			begun + gone + "0 12:01:02 EXPIRED→EXPIRED\n0 12:01:02 GAP 6→951 0 added 0 modified 0 deleted\n0 12:01:02 BOOKMARK \n0 12:01:10 ADDED d\n0 12:01:11 DELETED a\n",
			1, "b d", model.Expired},
		"changes, and a list only later": {
			state + failure(at, "410") + gear(70, "ADDED", "d", "960") + gear(71, "MODIFIED", "d", "970") + gear(80, "ADDED", "d", "970") + mark(81, "990"),
			begun + gone + "0 12:01:10 EXPIRED→RELIST\n0 12:01:10 ADDED d synthetic\n0 12:01:11 RELIST→EXPIRED\n0 12:01:11 GAP 6→970 0 added 0 modified 0 deleted\n0 12:01:11 MODIFIED d\n" +
				"0 12:01:20 EXPIRED→RELIST\n0 12:01:20 ADDED d replayed\n0 12:01:21 BOOKMARK \n0 12:01:21 DELETED a synthetic\n0 12:01:21 DELETED b synthetic\n" +
				"0 12:01:21 GAP 6→990 0 added 0 modified 2 deleted\n0 12:01:21 RELIST→LIVE\n",
			2, "d", model.Live},
		"nothing after it": {state + failure(at, "410"), begun + gone, 0, "a b", model.Expired},
		"another error, and changes": {
			state + failure(at, "500") + gear(61, "ADDED", "c", "7"),
			begun + "0 12:01:00  \n0 12:01:00 LIVE→RETRY\n0 12:01:01 RETRY→LIVE\n0 12:01:01 ADDED c\n", 0, "a b c", model.Live},
		"another error, and a list": {
			state + failure(at, "500") + gear(61, "ADDED", "a", "5") + mark(61, "8"),
			begun + "0 12:01:00  \n0 12:01:00 LIVE→RETRY\n0 12:01:01 RETRY→RELIST\n0 12:01:01 ADDED a replayed\n0 12:01:01 BOOKMARK \n0 12:01:01 DELETED b synthetic\n" +
				"0 12:01:01 GAP 6→8 0 added 0 modified 1 deleted\n0 12:01:01 RELIST→LIVE\n", 1, "a", model.Live},
		"it comes first": {
			failure(at, "410") + gear(61, "ADDED", "a", "5") + mark(62, "6"),
			"0 12:01:00  \n0 12:01:00 IDLE→EXPIRED\n0 12:01:01 EXPIRED→RELIST\n0 12:01:01 ADDED a initial\n0 12:01:02 BOOKMARK \n0 12:01:02 RELIST→LIVE\n", 0, "a", model.Live},
		"of several watches of one name": {
			state + gear(1, "ADDED", "c", "7") + mark(1, "8") + failure(at, "410") + gear(61, "ADDED", "a", "5") + mark(62, "951"),
			begun + "0 12:00:01 ADDED c\n0 12:00:01 BOOKMARK \n" + gone + "0 12:01:01 EXPIRED→EXPIRED\n0 12:01:01 GAP 8→5 0 added 0 modified 0 deleted\n0 12:01:01 ADDED a\n0 12:01:02 BOOKMARK \n",
			1, "a b c", model.Expired},
	} {
		x, sum, err := imported(t, strings.NewReader(c.text), Options{Context: "c"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := records(t, x); got != c.want {
			t.Errorf("%s:\n%swant\n%s", name, got, c.want)
		}
		if got := string(exported(t, x)); got != c.text {
			t.Errorf("%s: it comes back as\n%s", name, got)
		}
		if r, err := x.Verify(); err != nil || r.Gaps != c.gaps || sum.Gaps != c.gaps || len(r.Damages) > 0 {
			t.Errorf("%s: %+v %v, %+v", name, r, err, sum)
		}
		if exist, state := atTheEnd(t, x); exist != c.exist || state != c.state || x.Info().Streams[0].Kind != "Gear" {
			t.Errorf("%s: %q in state %v of %+v at the end", name, exist, state, x.Info().Streams[0])
		}
	}
}

// atTheEnd are the names of what exists at the end of a tape, and the state of
// its first stream.
func atTheEnd(tb testing.TB, x *tape.Tape) (string, model.State) {
	tb.Helper()
	r, err := x.Seek(now.Add(24 * time.Hour))
	if err != nil {
		tb.Fatal(err)
	}
	found := map[string]bool{}
	for o, err := range r.Objects() {
		if err != nil {
			tb.Fatal(err)
		}
		found[strings.Clone(o.Identity.Name)] = true
	}
	var names []string
	for _, name := range []string{"a", "b", "c", "d"} {
		if found[name] {
			names = append(names, name)
		}
	}
	return strings.Join(names, " "), r.Streams()[0].Last.To
}

// TestANameThatIsTakenAgain: who had it is gone before who has it comes.
func TestANameThatIsTakenAgain(t *testing.T) {
	old := gear(0, "ADDED", "a", "5")
	x := must(t, old+mark(0, "6")+failure("1796126460.000000", "410")+strings.ReplaceAll(gear(61, "ADDED", "a", "950"), "u-a", "u-new")+mark(62, "951"))
	got := records(t, x)
	if !strings.Contains(got, "DELETED a synthetic\n0 12:01:01 ADDED a synthetic\n") || !strings.Contains(got, "GAP 6→951 1 added 0 modified 1 deleted") {
		t.Error(got)
	}
	if exist, _ := atTheEnd(t, x); exist != "a" {
		t.Errorf("%q exists", exist)
	}
}

// TestAnErrorOfSecrets is not quoted: who knows what it says.
func TestAnErrorOfSecrets(t *testing.T) {
	x := must(t, strings.ReplaceAll(failure("1796126460.000000", "410"), "gears", "secrets"))
	for e, err := range x.Records() {
		if d, ok := e.Detail.(model.Transition); err != nil || ok && strings.Contains(d.Text, "too old") {
			t.Errorf("%+v %v", e, err)
		}
	}
}

// TestKubectlEndsWithAnError: kubectl prints it as an object, and then its list
// when it is started again.
func TestKubectlEndsWithAnError(t *testing.T) {
	status := `{"kind":"Status","apiVersion":"v1","status":"Failure","code":410,"reason":"Expired","message":"too old"}`
	x := must(t, event("ADDED", pod("a", ""))+event("ADDED", pod("b", ""))+event("MODIFIED", pod("b", written2("11:00:00")))+
		event("ERROR", status)+event("ADDED", pod("b", written2("11:00:00"))))
	if exist, state := atTheEnd(t, x); exist != "b" || state != model.Live {
		t.Errorf("%q exists, %v:\n%s", exist, state, records(t, x))
	}
	x = must(t, pod("a", "")+pod("b", "")+status)
	if exist, state := atTheEnd(t, x); exist != "a b" || state != model.Stopped || !strings.Contains(records(t, x), "SYNC→EXPIRED") {
		t.Errorf("%q exists, %v:\n%s", exist, state, records(t, x))
	}
}
