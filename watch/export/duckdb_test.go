package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// duck runs queries on an export with DuckDB, or skips the test where node or
// the package @duckdb/node-api (by NODE_PATH) are not there.
func duck(t *testing.T, file string, queries ...string) [][][]any {
	t.Helper()
	if out, err := exec.Command("node", "-e", `require.resolve("@duckdb/node-api")`).CombinedOutput(); err != nil {
		t.Skipf("no DuckDB here (npm package @duckdb/node-api, found by NODE_PATH): %v %.100s", err, out)
	}
	path := filepath.Join(t.TempDir(), "tape.parquet")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(queries)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "testdata/duckdb.mjs", path)
	cmd.Stdin = bytes.NewReader(in)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, stderr.String())
	}
	var rows [][][]any
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestDuckDBReadsWhatTheTapeHolds: counts, times, types, a join and an
// aggregation agree with the tape.
func TestDuckDBReadsWhatTheTapeHolds(t *testing.T) {
	tp := imported(t, shop(t))
	file, result := exported(t, tp, "parquet", Options{Name: "shop.rwt"})
	counts, kinds := map[string]int{}, map[string]int{}
	var spec int64 // of the first object with the big integer
	for e, err := range tp.Records() {
		if err != nil {
			t.Fatal(err)
		}
		counts[e.Type.String()]++
		if e.Type.IsObject() {
			kinds[strings.Clone(e.Identity.Kind)]++
		}
		if bytes.Contains(e.Raw, []byte("9007199254740993")) {
			spec++
		}
	}
	got := duck(t, file,
		`select count(*)::int from FILE`,
		`select type, count(*)::int from FILE group by type`,
		`select kind, count(*)::int from FILE where type in ('ADDED', 'MODIFIED', 'DELETED') group by kind`,
		`select epoch_ns(min(time))::varchar, min(time_ns)::varchar, max(time_ns)::varchar, typeof(any_value(time)), typeof(any_value(paths)), typeof(any_value(object)) from FILE`,
		`select count(*)::int from FILE where object like '%9007199254740993%'`,
		`select max((object->>'$.metadata.generation')::bigint)::varchar from FILE where kind = 'Deployment' and name = 'checkout'`,
		// Each version joined with the one before it, as docs/export.md has it.
		`select count(*)::int from FILE a join FILE b on a.uid = b.uid and a.context = b.context and a.version = b.version + 1
			where a.type = 'MODIFIED' and not list_contains(a.flags, 'replayed') and not list_contains(b.flags, 'replayed')
			and (a.object->>'$.spec.replicas') is distinct from (b.object->>'$.spec.replicas')`,
		`select count(*)::int from FILE where type = 'MODIFIED' and list_contains(paths, 'spec.replicas')`,
		`select value from parquet_kv_metadata(FILE) where key = 'rewatch.tape'`,
		`select count(*)::int from FILE where stream is null or time is null`)
	if n := fmt.Sprint(got[0][0][0]); n != fmt.Sprint(result.Rows) {
		t.Errorf("%s rows, not %d", n, result.Rows)
	}
	same := func(what string, rows [][]any, want map[string]int) {
		t.Helper()
		have := map[string]int{}
		for _, r := range rows {
			have[fmt.Sprint(r[0])] = int(r[1].(float64))
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, have, want)
		}
	}
	same("types", got[1], counts)
	same("kinds", got[2], kinds)
	info := tp.Info()
	want := fmt.Sprint([]any{fmt.Sprint(info.From.UnixMicro() * 1000), fmt.Sprint(info.From.UnixNano()), fmt.Sprint(info.To.UnixNano()), "TIMESTAMP WITH TIME ZONE", "VARCHAR[]", "VARCHAR"})
	if fmt.Sprint(got[3][0]) != want {
		t.Errorf("times and types %v, want %v", got[3][0], want)
	}
	if fmt.Sprint(got[4][0][0]) != fmt.Sprint(spec) || spec == 0 {
		t.Errorf("the big integer is in %v objects, not %d", got[4], spec)
	}
	if fmt.Sprint(got[5][0][0]) == "<nil>" {
		t.Error("no generation of the deployment")
	}
	if joined, listed := fmt.Sprint(got[6][0][0]), fmt.Sprint(got[7][0][0]); joined != listed || joined == "0" {
		t.Errorf("a join finds %s changes of replicas, the paths name %s", joined, listed)
	}
	if fmt.Sprint(got[8]) != "[[shop.rwt]]" && !strings.Contains(fmt.Sprint(got[8]), "shop.rwt") {
		t.Errorf("metadata %v", got[8])
	}
	if fmt.Sprint(got[9][0][0]) != "0" {
		t.Errorf("%v rows without a stream or a time", got[9])
	}
}

// TestDuckDBRunsTheDocumentedQueries on a tape in trouble.
func TestDuckDBRunsTheDocumentedQueries(t *testing.T) {
	doc, err := os.ReadFile("../../docs/export.md")
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllSubmatch(doc, -1) {
		for _, q := range strings.Split(string(block[1]), ";\n") {
			if strings.TrimSpace(q) != "" {
				queries = append(queries, strings.ReplaceAll(q, "'night.parquet'", "FILE"))
			}
		}
	}
	if len(queries) < 5 {
		t.Fatalf("%d queries in the documentation", len(queries))
	}
	file, _ := exported(t, recorded(t, trouble(t, "x")), "parquet", Options{})
	for i, rows := range duck(t, file, queries...) {
		if len(rows) == 0 {
			t.Errorf("no rows: %s", queries[i])
		}
	}
}

// TestParquetRows: what is read back is what events-json says.
func TestParquetRows(t *testing.T) {
	tp := recorded(t, trouble(t, hostile))
	file, _ := exported(t, tp, "parquet", Options{})
	out, _ := exported(t, tp, "events-json", Options{})
	rows, lines := parquetRows(t, file), eventLines(t, out)
	if len(rows) != len(lines)-2 {
		t.Fatalf("%d rows, %d lines", len(rows), len(lines)-2)
	}
	value := func(s *string) any {
		if s == nil {
			return nil
		}
		return *s
	}
	for i, r := range rows {
		l := lines[i+1]
		if r.Type != l["type"] || value(r.Name) != l["name"] || value(r.Summary) != l["summary"] || value(r.UID) != l["uid"] ||
			fmt.Sprint(r.Row) != fmt.Sprint(l["row"]) || stamp(time.Unix(0, r.TimeNS)) != l["time"] || stamp(time.UnixMicro(r.Time)) != stamp(time.Unix(0, r.TimeNS/1000*1000)) {
			t.Errorf("row %d: %v %v, and %v", i, r.Type, value(r.Name), l)
		}
		changes, _ := l["changes"].([]any)
		if len(changes) != len(r.Changes) || len(r.Paths) != len(changes) {
			t.Errorf("row %d: %d changes, and %d", i, len(r.Changes), len(changes))
		}
		if model.Deleted.String() == r.Type && jsonscan.Find([]byte(*r.Object), "metadata") == nil {
			t.Errorf("row %d: the last state is %.100s", i, *r.Object)
		}
	}
}

// TestRowGroupsAreBounded: a long tape makes many row groups.
func TestRowGroupsAreBounded(t *testing.T) {
	tp := imported(t, shop(t))
	var file bytes.Buffer
	j := &job{ctx: context.Background(), tape: tp, info: tp.Info(), out: &file}
	if err := j.table(&parquetWriter{w: parquet.NewGenericWriter[parquetRow](&file), maxRows: 1000, maxBytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if n := rowGroups(t, file.String()); n < 5 || n > 9 {
		t.Errorf("7 MB in %d row groups", n)
	}
	if n := len(parquetRows(t, file.String())); n != int(tp.Info().Records) {
		t.Errorf("%d rows of %d", n, tp.Info().Records)
	}
}
