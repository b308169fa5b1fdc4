package export

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// parquetRows reads an export back.
func parquetRows(t testing.TB, file string) []parquetRow {
	t.Helper()
	r := parquet.NewGenericReader[parquetRow](strings.NewReader(file))
	defer func() { _ = r.Close() }()
	rows := make([]parquetRow, r.NumRows())
	for n := 0; n < len(rows); {
		m, err := r.Read(rows[n:])
		if n += m; err != nil && err != io.EOF || m == 0 {
			t.Fatal(n, err)
		}
	}
	return rows
}

// parquetText is everything in an export.
func parquetText(t testing.TB, file string) string {
	t.Helper()
	var b strings.Builder
	for _, r := range parquetRows(t, file) {
		if err := json.NewEncoder(&b).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

func rowGroups(t testing.TB, file string) int {
	t.Helper()
	f, err := parquet.OpenFile(strings.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return len(f.RowGroups())
}
