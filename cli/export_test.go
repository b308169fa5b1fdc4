package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/tape"
)

// exportTape makes a tape of a config map that changes once a second.
func exportTape(t *testing.T) string {
	t.Helper()
	var file bytes.Buffer
	w := tape.NewWriter(&file, tape.Header{Tool: "test", Created: time.Unix(1796126400, 0)}, tape.Options{})
	s := w.AddStream(model.StreamInfo{Context: "prod", Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true})
	for i := range 10 {
		raw := `{"metadata":{"name":"app","namespace":"shop","uid":"u","resourceVersion":"` + strings.Repeat("1", i+1) + `"},"data":{"step":"` + string(rune('a'+i)) + `"}}`
		typ := model.Modified
		if i == 0 {
			typ = model.Added
		}
		if err := w.Append(model.Record{Time: time.Unix(1796126400+int64(i), 0), Stream: s, Type: typ, Raw: []byte(raw)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "app.rwt")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func runForTest(t *testing.T, ctx context.Context, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(ctx, args, streams{strings.NewReader(""), &out, &errs})
	return code, out.String(), errs.String()
}

func TestExport(t *testing.T) {
	path := exportTape(t)
	dir := filepath.Dir(path)
	full, page := filepath.Join(dir, "full.json"), filepath.Join(dir, "review.html")
	if err := os.WriteFile(full, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		out  string // in stdout
		err  string // in stderr
	}{
		{[]string{path, "-o", page}, 0, "", ""},
		{[]string{path, "-o", page}, 1, "", "exists; name another file, or replace it with --force"},
		{[]string{path, "-o", page, "--force"}, 0, "", ""},
		{[]string{path, "-o", full}, 1, "", "exists"},
		{[]string{path, "-o", "-", "--format", "events-json"}, 0, `"path":"data.step","op":"replace","old":"a","new":"b"`, ""},
		{[]string{path, "-o", "-", "--format", "watch-json", "--from", "+4s", "--to", "+5s"}, 0, `"step":"e"`, ""},
		{[]string{path, "-o", "-", "--format", "events-json", "--from", "+4s"}, 0, `"old":"d","new":"e"`, ""},
		{[]string{path, "-o", "-", "--format", "markdown", "--filter", "kind:configmap type:added"}, 0, "only rows that match kind:configmap type:added", ""},
		{[]string{path, "-o", "-", "--format", "markdown", "--limit", "3"}, 0, "7 more rows are not shown here", "7 more rows are not shown; raise --limit"},
		{[]string{path, "-o", "-"}, 2, "", "name it with --format"},
		{[]string{path}, 2, "", "export needs -o FILE"},
		{[]string{path, "-o", "x.json", "--format", "yaml"}, 2, "", `there is no format "yaml"`},
		{[]string{path, "-o", "-", "--format", "html", "--limit", "999999999"}, 2, "", "more than the format can hold"},
		{[]string{path, "-o", "-", "--format", "markdown", "--filter", "kind:"}, 2, "", "--filter: column 6"},
		{[]string{path, "-o", "-", "--format", "markdown", "--from", "+5s", "--to", "+4s"}, 2, "", "--to is before --from"},
		{[]string{path, "-o", "-", "--format", "markdown", "--from", "2027-01-01T00:00:00Z"}, 1, "", "--from 2027-01-01T00:00:00Z is not on the tape, which is from"},
		{[]string{path, "-o", "-", "--format", "markdown", "--to", "2025-01-01T00:00:00Z"}, 1, "", "--to 2025-01-01T00:00:00Z is not on the tape"},
		{[]string{path, "-o", "-", "--format", "markdown", "--from", "noon"}, 2, "", `"noon" is no moment`},
		{[]string{filepath.Join(dir, "none"), "-o", "-", "--format", "markdown"}, 1, "", "there is no file"},
	} {
		code, out, errs := runForTest(t, t.Context(), append([]string{"export"}, c.args...)...)
		if code != c.code || !strings.Contains(out, c.out) || !strings.Contains(errs, c.err) || c.err == "" && errs != "" || strings.Count(errs, "\n") > 1 {
			t.Errorf("%v: exit %d, not %d\n%.400s\n%s", c.args, code, c.code, out, errs)
		}
	}
	if got, err := os.ReadFile(full); string(got) != "mine" {
		t.Errorf("the file that was there is %.100q, %v", got, err)
	}
	if info, err := os.Stat(page); err != nil || info.Mode().Perm() != 0o600 || info.Size() < 10_000 {
		t.Errorf("the page: %v %v", info, err)
	}
	nothingHalf(t, dir)
}

// nothingHalf fails if a temporary file is left.
func nothingHalf(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".*part*"))
	if err != nil || len(files) > 0 {
		t.Errorf("left: %v %v", files, err)
	}
}

func TestExportOfADamagedTape(t *testing.T) {
	path := exportTape(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(filepath.Dir(path), "x.json")
	code, _, errs := runForTest(t, t.Context(), "export", path, "-o", out)
	if code != 1 || !strings.Contains(errs, "damage at byte") || !strings.Contains(errs, "rewatch verify "+path) {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if text, err := os.ReadFile(out); err != nil || !strings.Contains(string(text), `"type":"DAMAGE"`) {
		t.Errorf("%s %v", text, err)
	}
}

func TestExportInterrupted(t *testing.T) {
	path := exportTape(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(filepath.Dir(path), "x.parquet")
	code, _, errs := runForTest(t, ctx, "export", path, "-o", out)
	if _, err := os.Stat(out); code == 0 || !os.IsNotExist(err) || !strings.Contains(errs, "interrupted") {
		t.Errorf("exit %d, %v\n%s", code, err, errs)
	}
	nothingHalf(t, filepath.Dir(path))
}
