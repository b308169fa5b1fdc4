package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rewatch/model/diff"
	"rewatch/watch/recorder"
)

// damagedTape is a copy of a tape with a wrong bit.
func damagedTape(t *testing.T, path string, at int) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 4
	out := filepath.Join(t.TempDir(), "damaged.rwt")
	if err := os.WriteFile(out, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

func mustRun(t *testing.T, code int, args ...string) result {
	t.Helper()
	got := rewatch(t, args...)
	if got.code != code {
		t.Fatalf("rewatch %q: exit code %d, want %d\n%s%s", args, got.code, code, got.out, got.stderr)
	}
	if all := got.out + got.stderr; strings.Contains(all, "\x1b") || strings.Contains(all, "fake-value") || strings.Contains(all, "ZmFrZS12YWx1ZS0w") {
		t.Errorf("rewatch %q printed a control character or a Secret", args)
	}
	return got
}

func TestImportInfoVerify(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	tape := filepath.Join(dir, "shop.rwt")
	got := mustRun(t, 0, "import", shopPath, "-o", tape)
	if got.out != "" || !containsAll(got.stderr, []string{"imported 2,242 frames of 12 streams from the capture in " + shopPath}) {
		t.Errorf("%+v", got)
	}
	if got := mustRun(t, 1, "import", shopPath, "-o", tape); !strings.Contains(got.stderr, "--force") {
		t.Errorf("%+v", got)
	}
	mustRun(t, 0, "import", shopPath, "-o", tape, "--force", "--context", "prod-eu")
	only(t, dir, "shop.rwt")

	got = mustRun(t, 0, "info", tape)
	if !containsAll(got.out, []string{"ended      in order", "(3m4s)", "520 initial, 228 added, 1,384 modified, 38 deleted, 72 heartbeats", "keyed fingerprints",
		"deployments.apps", "prod-eu  unknown", "99.9 %  LIVE", "gaps       none"}) || got.stderr != "" {
		t.Errorf("%s%s", got.out, got.stderr)
	}
	var doc infoList
	if err := json.Unmarshal([]byte(mustRun(t, 0, "info", tape, tape, "-o", "json").out), &doc); err != nil || len(doc.Tapes) != 2 {
		t.Fatalf("%v %+v", err, doc)
	}
	if d := doc.Tapes[1]; doc.Version != 2 || d.Frames != 2242 || d.Ended != "in order" || len(d.Streams) != 12 || d.Plain < 6e6 || d.Plain > 8e6 || d.Streams[1].Namespaced {
		t.Errorf("%+v", d)
	}
	got = mustRun(t, 0, "verify", tape)
	if !strings.Contains(got.out, "whole: 2,286 records, 2,170 changes of objects rebuilt") || got.stderr != "" {
		t.Errorf("%+v", got)
	}
}

func TestImportFromAPipe(t *testing.T) {
	isolate(t)
	var out, stderr buffer
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	code := run(ctx, []string{"import", "-", "-o", "-"}, streams{strings.NewReader(shopLines(t)), &out, &stderr})
	path := filepath.Join(t.TempDir(), "x.tape")
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil || code != 0 {
		t.Fatal(err, code, stderr.String())
	}
	if got := mustRun(t, 0, "info", path); !strings.Contains(got.out, " imported  unknown ") {
		t.Error(got.out)
	}
}

// TestImportIsInterrupted: whatever it waits for, nothing is left.
func TestImportIsInterrupted(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	var out, stderr buffer
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"import", "-", "-o", filepath.Join(dir, "x.tape")}, streams{r, &out, &stderr})
	}()
	_, _ = io.WriteString(w, shopLines(t)[:100_000])
	cancel()
	if c := <-code; c != 1 || !strings.Contains(stderr.String(), "interrupted: "+dir) {
		t.Errorf("%d %s", c, stderr.String())
	}
	only(t, dir)
}

func TestImportOfWhatCannotBeRead(t *testing.T) {
	isolate(t)
	lines := shopLines(t)
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "x.tape")
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"cut":          {[]string{write(lines[:len(lines)-100]), "-o", out}, 1, []string{"capture: line 2242 (byte ", "the input ends", "after 2,241 frames that can be read", "nothing was written; --keep-going"}},
		"no output":    {[]string{shopPath}, 2, []string{"-o TAPE"}},
		"a table":      {[]string{write("NAME  READY\n"), "-o", out}, 1, []string{"not JSON of a watch", "--output-watch-events -o json"}},
		"utf-16":       {[]string{write("\xff\xfe{\x00"), "-o", out}, 1, []string{"UTF-16", "Out-File"}},
		"empty":        {[]string{write(""), "-o", out}, 1, []string{"nothing in"}},
		"not there":    {[]string{"/nonexistent", "-o", out}, 1, []string{"there is no file"}},
		"a tape":       {[]string{shopTape(t), "-o", out}, 1, []string{"is a tape already", "rewatch info"}},
		"no directory": {[]string{shopPath, "-o", filepath.Join(dir, "no", "x")}, 1, []string{"mkdir -p"}},
	} {
		got := rewatch(t, append([]string{"import"}, c.args...)...)
		if got.code != c.code || !containsAll(got.stderr, c.want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	only(t, dir)
	got := mustRun(t, 0, "import", "--keep-going", write(lines[:len(lines)-100]), "-o", out)
	if !containsAll(got.stderr, []string{"1 frame could not be read", "line 2242", "imported 2,241 frames"}) {
		t.Errorf("%+v", got)
	}
}

func TestVerifyAndRepairOfDamage(t *testing.T) {
	isolate(t)
	whole := shopTape(t)
	info, err := os.Stat(whole)
	if err != nil {
		t.Fatal(err)
	}
	bad := damagedTape(t, whole, int(info.Size())*9/10)
	got := mustRun(t, 1, "verify", bad)
	if !containsAll(got.out, []string{"damaged: ", " records survive of 2,286", "\n  byte ", "the frame is damaged", "came back", "rewatch repair " + bad}) || got.stderr != "" {
		t.Errorf("%s%s", got.out, got.stderr)
	}
	var doc verifyList
	if err := json.Unmarshal([]byte(mustRun(t, 1, "verify", whole, bad, "-o", "json").out), &doc); err != nil || len(doc.Tapes) != 2 ||
		doc.Tapes[0].Verdict != "whole" || doc.Tapes[1].Verdict != "damaged" || len(doc.Tapes[1].Damages) == 0 || len(doc.Tapes[1].Damages[0].Streams) == 0 || doc.Tapes[1].Damages[0].From == "" {
		t.Errorf("%v %+v", err, doc)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "repaired.rwt")
	if got := mustRun(t, 0, "repair", bad, "-o", out); !containsAll(got.stderr, []string{"survive in " + out, "known to be lost"}) {
		t.Errorf("%+v", got)
	}
	if got := mustRun(t, 3, "verify", out); !strings.Contains(got.out, "whole, with gaps") || got.stderr != "" {
		t.Errorf("%+v", got)
	}
	if got := mustRun(t, 0, "info", out); !containsAll(got.out, []string{"changes may be missing", "the tape was damaged at byte"}) {
		t.Error(got.out)
	}
	if got := mustRun(t, 1, "verify", whole, "/nonexistent"); !containsAll(got.stderr, []string{"no file /nonexistent", "not all of the files"}) || !strings.Contains(got.out, "whole") {
		t.Errorf("%+v", got)
	}

	torn := filepath.Join(dir, "torn.rwt")
	b, err := os.ReadFile(whole)
	if err == nil {
		err = os.WriteFile(torn, b[:len(b)/2], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	being, err := os.OpenFile(torn, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	recorder.Lock(being) // as a recorder does
	if got := mustRun(t, 0, "info", torn); !strings.Contains(got.out, "not yet: it is being written") {
		t.Error(got.out)
	}
	if got := mustRun(t, 0, "verify", torn); !strings.Contains(got.out, "it is being written") {
		t.Error(got.out)
	}
	if err := being.Close(); err != nil { // and is gone, a moment after it wrote
		t.Fatal(err)
	}
	if got := mustRun(t, 0, "info", torn); !strings.Contains(got.out, "not closed: its recorder was killed") {
		t.Error(got.out)
	}
	if got := mustRun(t, 1, "verify", torn); !containsAll(got.out, []string{"not closed: its recorder was killed or ran out of disk; everything up to ", " is whole"}) {
		t.Error(got.out)
	}
	mustRun(t, 0, "repair", torn, "-o", filepath.Join(dir, "torn.repaired"))
	mustRun(t, 3, "verify", filepath.Join(dir, "torn.repaired"))
	if got := mustRun(t, 1, "repair", torn, "-o", torn); !strings.Contains(got.stderr, "the input itself") {
		t.Errorf("%+v", got)
	}
	only(t, dir, "repaired.rwt", "torn.repaired", "torn.rwt")
}

func importedShop(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shop.rwt")
	mustRun(t, 0, "import", shopPath, "-o", path)
	return path
}

func TestDiff(t *testing.T) {
	isolate(t)
	path := importedShop(t)
	got := mustRun(t, 0, "diff", path)
	if !containsAll(got.out, []string{"~ Deployment shop/checkout", "    ~ spec.replicas  6 → 2\n", "- ConfigMap shop/flags", "+ Secret shop/db", "+ Pod shop/checkout-65d44f9694-",
		"objects in which only heartbeats differ; --all lists them"}) || strings.Contains(got.out, "managedFields") || strings.Contains(got.out, "Node node-01") || got.stderr != "" {
		t.Errorf("%s%s", got.out, got.stderr)
	}
	if got := mustRun(t, 0, "diff", path, "--all"); !containsAll(got.out, []string{"~ Node node-01", "+ Event shop/"}) {
		t.Error("--all does not list all")
	}
	for _, args := range [][]string{{"deploy"}, {"Deployment"}, {"deployments.apps"}, {"deployments.v1.apps"}, {"deploy/checkout"}, {"deploy", "-n", "shop"}} {
		got := mustRun(t, 0, append([]string{"diff", path}, args...)...)
		if !strings.Contains(got.out, "0 added, 0 removed, 1 changed, 0 recreated\n~ Deployment shop/checkout") {
			t.Errorf("%q: %s", args, got.out)
		}
	}
	if got := mustRun(t, 0, "diff", path, "deploy", "-n", "kube-system"); !strings.Contains(got.out, "0 added, 0 removed, 0 changed") {
		t.Error(got.out)
	}
	if got := mustRun(t, 0, "diff", path, "deploy", "--show-managed-fields"); !containsAll(got.out, []string{"metadata.resourceVersion", "metadata.managedFields"}) {
		t.Error(got.out)
	}
	mustRun(t, 0, "diff", path, "--from", "-1ms", "--exit-code")
	mustRun(t, 1, "diff", path, "--exit-code")
	if got := mustRun(t, 0, "diff", path, "--from", "+0s", "nodes"); !containsAll(got.stderr, []string{"at --from the stream nodes", "had not arrived"}) {
		t.Errorf("%s", got.stderr)
	}
	for want, args := range map[string][]string{
		`no type "gizmos"; it has: configmaps, cronwidgets.acme.example`: {"gizmos"},
		"exchange them":                  {"--from", "-1s", "--to", "+1s"},
		"is no moment":                   {"--from", "noon"},
		"not on the tape, which is from": {"--from", "2025-01-01T00:00:00Z"},
	} {
		if got := rewatch(t, append([]string{"diff", path}, args...)...); got.code == 0 || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestDiffJSON(t *testing.T) {
	isolate(t)
	path := importedShop(t)
	var doc diffDoc
	if err := json.Unmarshal([]byte(mustRun(t, 0, "diff", path, "-o", "json").out), &doc); err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	last := ""
	for _, o := range doc.Objects {
		n[string(o.Op)]++
		if at := o.Kind + "\x00" + o.Namespace + "\x00" + o.Name; at < last {
			t.Errorf("%q is behind %q", at, last)
		} else {
			last = at
		}
		if (o.Op == "changed") != (len(o.Changes) > 0) || (o.Op == "changed") != (o.Object == nil) || strings.Contains(string(o.Object), "managedFields") {
			t.Errorf("%s %s: %d changes, object %.40s", o.Op, o.Name, len(o.Changes), o.Object)
		}
	}
	if doc.Version != 1 || doc.Added != n["added"] || doc.Removed != n["removed"] || doc.Changed != n["changed"] || n["added"] == 0 || n["removed"] == 0 || n["changed"] == 0 {
		t.Errorf("%d %v, counts %d %d %d", doc.Version, n, doc.Added, doc.Removed, doc.Changed)
	}
}

// TestDiffPatchApplies: patch(1) makes the second state of the first.
func TestDiffPatchApplies(t *testing.T) {
	if _, err := exec.LookPath("patch"); err != nil {
		t.Skip("no patch(1)")
	}
	isolate(t)
	x, err := openTape(importedShop(t))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	d := stateDiff{tape: x}
	d.all = true
	if err := d.compare(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i := range d.found {
		o := &d.found[i]
		if o.Old != nil {
			if err := os.WriteFile(filepath.Join(dir, patchName(&o.Identity)), []byte(d.yaml(o.Old)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	var text strings.Builder
	if err := d.patch(&text, false); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("patch", "-p1", "--no-backup-if-mismatch", "-d", dir)
	cmd.Stdin = strings.NewReader(text.String())
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "fuzz") || strings.Contains(string(out), "offset") {
		t.Fatalf("%v: %.2000s", err, out)
	}
	for i := range d.found {
		o := &d.found[i]
		got, err := os.ReadFile(filepath.Join(dir, patchName(&o.Identity)))
		if o.New == nil {
			if err == nil {
				t.Errorf("%s is still there", o.Identity.Name)
			}
			continue
		}
		if string(got) != d.yaml(o.New) {
			t.Errorf("%s %s: %v\n%s\nwant\n%s", o.Op, o.Identity.Name, err, got, d.yaml(o.New))
		}
	}
	if len(d.found) < 100 || strings.Contains(text.String(), "managedFields") || !strings.Contains(text.String(), "+++ to/apps.v1.Deployment.shop.checkout\t") {
		t.Errorf("%d differences", len(d.found))
	}
}

// TestWhatIsOnATapeIsCleaned: names and values come from anybody.
func TestWhatIsOnATapeIsCleaned(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	in, tape := filepath.Join(dir, "in"), filepath.Join(dir, "x.tape")
	var lines string
	for i, typ := range []string{"ADDED", "MODIFIED", "MODIFIED"} {
		lines += fmt.Sprintf(`{"t":%d,"stream":"pods\u001b[31m","frame":{"type":%q,"object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a\u001b[5m","namespace":"n\u001b]0;x\u0007","uid":"u",`+
			`"resourceVersion":"%d","managedFields":[{"manager":"m\u001b[2J","time":"2026-12-01T00:00:0%dZ"}]},"spec":{"a\u001b[1m":"\u009b31m\u202e\u007f%d"}}}}`+"\n", 1796086441+i, typ, i, i, i)
	}
	if err := os.WriteFile(in, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, 0, "import", in, "-o", tape, "--context", "c\x1b[31m")
	for _, args := range []string{"info", "info -o json", "verify", "diff --from +0s", "diff --from +0s -o json"} {
		words := strings.Fields(args)
		got := mustRun(t, 0, append([]string{words[0], tape}, words[1:]...)...)
		if i := strings.IndexFunc(got.out, func(r rune) bool { return r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e') }); i >= 0 || got.out == "" {
			t.Errorf("%s: %q", args, got.out[max(i, 0):min(len(got.out), i+20)])
		}
	}
	var doc diffDoc
	if err := json.Unmarshal([]byte(mustRun(t, 0, "diff", tape, "--from", "+0s", "-o", "json").out), &doc); err != nil || len(doc.Objects) != 1 ||
		doc.Objects[0].Name != "a\x1b[5m" || !strings.Contains(string(doc.Objects[0].Changes[0].New), `\u202e`) {
		t.Errorf("%v %+v", err, doc)
	}
	// A terminal gets a patch cleaned; a file gets it as it is.
	x, err := openTape(tape)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	d := stateDiff{tape: x}
	if d.from = "+0s"; d.compare() != nil {
		t.Fatal("cannot compare")
	}
	var out strings.Builder
	if err := d.patch(&out, true); err != nil || strings.ContainsAny(out.String(), "\x1b\u202e\u009b") || !strings.Contains(out.String(), "\n+") {
		t.Errorf("%v %q", err, out.String())
	}
}

func TestHunks(t *testing.T) {
	text := func(change map[int]string) string {
		var b strings.Builder
		for i := range 60 {
			if s, ok := change[i]; ok {
				b.WriteString(s)
				continue
			}
			fmt.Fprintf(&b, "line %d\n", i)
		}
		return b.String()
	}
	var heads []string
	for _, h := range hunks(diff.TextDiff(text(nil), text(map[int]string{5: "", 30: "a\nb\n", 50: "new\n"})).Changes) {
		heads = append(heads, h.head)
	}
	if got := strings.Join(heads, " "); got != "@@ -3,7 +3,6 @@ @@ -28,7 +27,8 @@ @@ -48,7 +48,7 @@" {
		t.Error(got)
	}
	for _, c := range []struct{ old, new, want string }{{"", "a\nb\n", "@@ -0,0 +1,2 @@"}, {"a\n", "", "@@ -1 +0,0 @@"}} {
		if h := hunks(diff.TextDiff(c.old, c.new).Changes); len(h) != 1 || h[0].head != c.want {
			t.Errorf("%q → %q: %+v", c.old, c.new, h)
		}
	}
}
