package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/model/logtest"
)

func TestScreensOfColumnsAndTimes(t *testing.T) {
	live := func(size [2]int, theme string) *driver {
		d := newDriver(t, size[0], size[1], theme)
		d.script()
		return d
	}
	for name, do := range map[string]func(*driver){
		"columns": func(d *driver) {
			d.app.o.NoiseFile = "/home/dev/.config/rewatch/config.yaml"
			d.app.o.Rows.Save = func([]string, string) error { return nil }
			d.press("c", "j", "j", "j", "j", "space", "K")
		},
		"columns-chosen": func(d *driver) {
			d.app.setColumns(newColumnSet([]string{"sign", "time", "version", "name", "namespace", "stream", "change", "resourceVersion"}))
		},
		"times-local": func(d *driver) {
			d.app.home = time.FixedZone("", 2*60*60)
			d.app.setTimes(timeLocal)
		},
		"times-utc":    func(d *driver) { d.press("T"); d.wait(4 * time.Second) },
		"times-ago":    func(d *driver) { d.press("T", "T"); d.wait(4 * time.Second) },
		"times-server": func(d *driver) { d.press("T", "T", "T", "a"); d.wait(4 * time.Second) },
	} {
		sameInAllThemes(t, name, live, do)
	}
}

// TestColumnsFit: whatever is wanted, and however narrow it is, rows have what
// changed, and no column is wider than the row.
func TestColumnsFit(t *testing.T) {
	for _, names := range [][]string{nil, Columns(), {"change"}, {"manager", "change"}, {"time", "kind", "name", "change", "namespace"}} {
		for w := 40; w <= 220; w++ {
			for mode := range timeModes {
				c := newColumns(w, true, newColumnSet(names), mode)
				if c.width[colChange] < barelyChange {
					t.Fatalf("%v in %d cells: %d for what changed", names, w, c.width[colChange])
				}
				sum := 1
				for i, x := range c.order[:c.n] {
					if sum += c.width[x]; i < c.n-1 {
						sum += x.gap()
					}
				}
				if sum != w {
					t.Fatalf("%v in %d cells take %d", names, w, sum)
				}
			}
		}
	}
	shown := func(w int) []string {
		c := newColumns(w, true, newColumnSet(Columns()), timeLocal)
		var out []string
		for _, x := range c.order[:c.n] {
			out = append(out, x.String())
		}
		return out
	}
	for w, want := range map[int]string{
		200: "time sign context kind namespace name change manager version resourceVersion stream",
		140: "time sign context kind namespace name change manager",
		120: "time sign context kind namespace name change",
		80:  "time sign context kind name change",
		50:  "time sign kind name change",
		40:  "time sign name change",
	} {
		if got := strings.Join(shown(w), " "); got != want {
			t.Errorf("in %d cells there are %s, want %s", w, got, want)
		}
	}
}

func TestChooseColumns(t *testing.T) {
	d := newDriver(t, 200, 50, "mono")
	d.script()
	d.seek("spec.replicas")
	row := d.cursorLine()
	d.press("c")
	d.has("[x] name")
	d.press("j", "space", "enter", "space") // off, on, off
	d.has("[ ] sign")
	d.press("esc")
	if got := d.cursorLine(); !strings.HasPrefix(got, "12:03:43.822 Deployment    shop/checkout ") {
		t.Errorf("%q\nwithout the sign is\n%q", row, got)
	}
	d.press("c", "J", "esc") // the time moves behind the sign, which is off; then it is in front of the context
	if got := d.app.timeline.how.set.order; got[0] != colSign || got[1] != colTime {
		t.Error(got)
	}
	d.press("c")
	for range colChange {
		d.press("down")
	}
	d.press("space")
	d.has("what changed is always there")
	d.press("esc")
	d.app.setColumns(newColumnSet([]string{"version", "change"}))
	if got := d.cursorLine(); !strings.HasPrefix(got, "v") || !strings.Contains(got, "spec.replicas") {
		t.Error(got)
	}
	d.press("c")
	for d.app.list.lines[d.app.list.cursor].text != "the usual columns in the usual order" {
		d.press("down")
	}
	d.press("enter", "esc")
	if got := d.cursorLine(); got != row {
		t.Errorf("as at first is\n%q, not\n%q", got, row)
	}
}

// TestKeepColumns: what is chosen is handed to be written, and an error is told.
func TestKeepColumns(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	d.press("c")
	d.hasNot("from now on")
	d.press("esc")
	var names []string
	var times string
	d.app.o.NoiseFile = "/home/dev/c.yaml"
	d.app.o.Rows.Save = func(c []string, s string) error { names, times = c, s; return nil }
	keep := func() {
		d.press("c")
		for !strings.HasPrefix(d.app.list.lines[d.app.list.cursor].head, "keep") {
			d.press("down")
		}
		d.press("enter")
	}
	d.press("T", "c", "space", "esc")
	keep()
	d.has("columns and times are in /home/dev/c.yaml")
	if want := []string{"sign", "context", "kind", "name", "change", "manager"}; !reflect.DeepEqual(names, want) || times != "utc" {
		t.Errorf("%v %s", names, times)
	}
	d.app.o.Rows.Save = func([]string, string) error { return errors.New("line 3: theme: a mistake") }
	keep()
	d.has("not kept: line 3: theme: a mistake")
}

func TestCheckColumns(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		"time change":     "",
		"name":            "",
		"time names":      `there is no column "names"; they are time, sign`,
		"time name time":  "the column time is there twice",
		"change resource": "there is no column",
	} {
		if err := CheckColumns(strings.Fields(text)); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if got := newColumnSet([]string{"name"}).names(); !slices.Equal(got, []string{"name", "change"}) {
		t.Error(got)
	}
}

// TestTimes: the key goes through all of them, everything that shows times goes
// along, and ages grow once a second.
func TestTimes(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.app.home = time.FixedZone("", 2*60*60)
	d.app.setTimes(timeLocal)
	d.script()
	d.seek("spec.replicas 8→9")
	local := d.screen()
	for _, where := range []string{"14:03:43.822", "LIVE 14:03:45"} {
		if !strings.Contains(local, where) {
			t.Errorf("no %s:\n%s", where, local)
		}
	}
	d.press("T")
	if utc := d.screen(); strings.Contains(utc, "14:03") || !strings.Contains(utc, "─ UTC ·") || !strings.Contains(utc, "LIVE 12:03:45") {
		t.Errorf("UTC:\n%s", utc)
	}
	d.press("T")
	d.has("─ ago ·")
	if got := d.cursorLine(); !strings.HasPrefix(got, "1.4s") {
		t.Error(got)
	}
	d.wait(300 * time.Millisecond)
	if got := d.cursorLine(); !strings.HasPrefix(got, "1.4s") {
		t.Error("within a second the age has become", got)
	}
	d.wait(800 * time.Millisecond)
	if got := d.cursorLine(); !strings.HasPrefix(got, "2.5s") {
		t.Error("after a second:", got)
	}
	if got, _ := d.app.timeline.plainOf(d.row(), rowInfo{}); !strings.HasPrefix(got, "14:03:43.822") {
		t.Error("copied, an age says nothing:", got)
	}
	d.press("T")
	d.has("─ server time ·")
	d.press("T")
	d.wait(4 * time.Second) // the message goes
	d.has("14:03:43.822")
	for age, want := range map[time.Duration]string{-time.Second: "0.0s", 3299 * time.Millisecond: "3.2s", 9999 * time.Millisecond: "9.9s", 12 * time.Second: "12s",
		250 * time.Second: "4m10s", 125 * time.Minute: "2h05m", 75 * time.Hour: "3d"} {
		if got := ago(age); got != want {
			t.Errorf("%s is %s, want %s", age, got, want)
		}
	}
}

// row is the row under the cursor.
func (d *driver) row() model.Event {
	e, _ := d.app.timeline.selected()
	return e
}

// TestServerTimeOfCapture: of every row of a real cluster the time is the one
// that the object itself has, read by other means, or unknown where it has none
// for this change.
func TestServerTimeOfCapture(t *testing.T) {
	log := logtest.Shop(t)
	known, unknown := 0, map[model.Type]int{}
	for rows, seq := log.Snapshot(), model.Seq(0); seq < rows.End(); seq++ {
		e := rows.At(seq)
		if !e.Type.IsObject() {
			continue
		}
		c, ok := readChange(log, e)
		if !ok {
			t.Fatal("a version has left the log")
		}
		got := serverTime(c.id, e, c.before, c.raw)
		if got.IsZero() {
			if unknown[e.Type]++; e.Type == model.Added {
				t.Fatalf("of a creation nothing is said: %s", c.raw)
			}
			continue
		}
		known++
		if want := decodedTime(t, c.id.Kind, e, c.raw); !got.Equal(want) {
			t.Fatalf("%s %s/%s: %s, decoded it is %s", e.Type, c.id.Kind, c.id.Name, got, want)
		}
		// One machine has both clocks: no change is received before it is made.
		if e.Type == model.Modified && c.id.Kind != "Event" && got.After(e.When()) {
			t.Errorf("%s %s: made at %s, received at %s", c.id.Kind, c.id.Name, got, e.When())
		}
	}
	t.Logf("known of %d rows, unknown of %v", known, unknown)
	if known < 1500 || unknown[model.Modified] > known/10 {
		t.Errorf("of %d rows the server tells the time, of %v not", known, unknown)
	}
}

// decodedTime is serverTime by encoding/json.
func decodedTime(t *testing.T, kind string, e model.Event, raw []byte) (newest time.Time) {
	t.Helper()
	var o struct {
		Metadata struct {
			CreationTimestamp, DeletionTimestamp time.Time
			DeletionGracePeriodSeconds           int
			ManagedFields                        []struct{ Time time.Time }
		}
		LastTimestamp, EventTime time.Time
		Series                   struct{ LastObservedTime time.Time }
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatal(err)
	}
	switch {
	case e.Type == model.Deleted:
		return o.Metadata.DeletionTimestamp
	case kind == "Event":
		return slices.MaxFunc([]time.Time{o.LastTimestamp, o.EventTime, o.Series.LastObservedTime}, time.Time.Compare)
	case e.Type == model.Added && e.Flags&(model.Initial|model.Replayed) == 0:
		return o.Metadata.CreationTimestamp
	}
	for _, m := range o.Metadata.ManagedFields {
		if m.Time.After(newest) {
			newest = m.Time
		}
	}
	asked := o.Metadata.DeletionTimestamp.Add(-time.Duration(o.Metadata.DeletionGracePeriodSeconds) * time.Second)
	if !o.Metadata.DeletionTimestamp.IsZero() && asked.After(newest) {
		return asked
	}
	return newest
}

// TestServerTime: what the capture has not.
func TestServerTime(t *testing.T) {
	at := func(s string) time.Time {
		if s == "" {
			return time.Time{}
		}
		x, err := time.Parse(time.TimeOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return time.Date(2026, 12, 1, x.Hour(), x.Minute(), x.Second(), 0, time.UTC)
	}
	entry := func(who, when string) string {
		return fmt.Sprintf(`{"manager":%q,"operation":"Update","time":%q}`, who, "2026-12-01T"+when+"Z")
	}
	object := func(rest string, entries ...string) []byte {
		return fmt.Appendf(nil, `{"metadata":{"creationTimestamp":"2026-12-01T08:00:00Z"%s,"managedFields":[%s]}}`, rest, strings.Join(entries, ","))
	}
	const dying = `,"deletionTimestamp":"2026-12-01T09:00:30Z","deletionGracePeriodSeconds":30`
	a, b, c := entry("a", "08:30:00"), entry("b", "08:31:00"), entry("c", "08:59:59")
	for name, x := range map[string]struct {
		kind        string
		typ         model.Type
		flags       model.Flag
		before, raw []byte
		want        string
	}{
		"a write":                        {"Pod", model.Modified, 0, object("", a), object("", a, b), "08:31:00"},
		"an older one moved":             {"Pod", model.Modified, 0, object("", entry("a", "08:29:00"), b), object("", a, b), ""},
		"only removed":                   {"Pod", model.Modified, 0, object("", a, b), object("", a, b), ""},
		"removed within the second":      {"Pod", model.Modified, 0, object("", c), object("", c), "08:59:59"},
		"without entries":                {"Pod", model.Modified, 0, object(""), object(""), ""},
		"the version before is not held": {"Pod", model.Modified, 0, nil, object("", a), ""},
		"deletion begins":                {"Pod", model.Modified, 0, object("", a), object(dying, a), "09:00:00"},
		"it goes on":                     {"Pod", model.Modified, 0, object(dying, a), object(dying, a, b), "08:31:00"},
		"deleted":                        {"Pod", model.Deleted, 0, object(dying, a), object(dying, a), "09:00:30"},
		"deleted at once":                {"Pod", model.Deleted, 0, object("", a), object("", a), ""},
		"created":                        {"Pod", model.Added, 0, nil, object("", a), "08:00:00"},
		"there before":                   {"Pod", model.Added, model.Initial, nil, object("", b, a), "08:31:00"},
		"there before, nothing said":     {"Pod", model.Added, model.Initial, nil, object(""), ""},
		"selected":                       {"Pod", model.Added, model.Selection, nil, object("", a), "08:30:00"},
		"a series":                       {"Event", model.Modified, 0, nil, []byte(`{"eventTime":"2026-12-01T07:00:00.5Z","lastTimestamp":null,"series":{"lastObservedTime":"2026-12-01T07:30:00.000000Z"}}`), "07:30:00"},
		"no object":                      {"Pod", model.Modified, 0, []byte("[]"), []byte(`{"metadata":{"managedFields":[{"time":1}]}}`), ""},
	} {
		if got := serverTime(model.Identity{Kind: x.kind}, model.Event{Type: x.typ, Flags: x.flags, Time: at("08:59:59").UnixNano() + 9e8}, x.before, x.raw); !got.Equal(at(x.want)) {
			t.Errorf("%s: %s, want %s", name, got, x.want)
		}
	}
}

func BenchmarkServerTime(b *testing.B) {
	log := logtest.Shop(b)
	var raw []byte
	for rows, seq := log.Snapshot(), model.Seq(0); seq < rows.End(); seq++ {
		if e := rows.At(seq); e.Type == model.Modified && log.Identity(e.Object).Kind == "Pod" {
			raw, _ = log.Bytes(e.Object, e.Version)
		}
	}
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		serverTime(model.Identity{Kind: "Pod"}, model.Event{Type: model.Modified}, raw, raw)
	}
}
