package table

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// printed is what a kube-apiserver 1.37.2 printed of some objects, at a moment
// between two. testdata/tables.json.gz is written by the test of the same name
// in e2e/serve: go test ./serve -run TestTables -keep FILE.
type printed struct {
	Group, Kind   string
	Before, After time.Time
	Objects       []json.RawMessage
	Columns       []metav1.TableColumnDefinition
	Cells         [][]any
}

func readPrinted(t testing.TB) []printed {
	t.Helper()
	f, err := os.Open("testdata/tables.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []printed
	d := json.NewDecoder(bufio.NewReader(z))
	d.UseNumber()
	for d.More() {
		var p printed
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// printerFor is the printer of a kind; that of a custom resource comes from
// its definition, which is among the objects.
func printerFor(t testing.TB, all []printed, group, kind string) *Printer {
	t.Helper()
	for _, p := range all {
		if p.Kind != "CustomResourceDefinition" {
			continue
		}
		for _, raw := range p.Objects {
			var crd struct {
				Spec struct {
					Group    string
					Names    struct{ Kind string }
					Versions []struct{ AdditionalPrinterColumns []CustomColumn }
				}
			}
			if err := json.Unmarshal(raw, &crd); err != nil {
				t.Fatal(err)
			}
			if crd.Spec.Group == group && crd.Spec.Names.Kind == kind {
				return Custom(crd.Spec.Versions[0].AdditionalPrinterColumns)
			}
		}
	}
	return NewBuiltins().For(group, kind)
}

// settled are cells as they come out of JSON.
func settled(t *testing.T, rows []Row) [][]any {
	t.Helper()
	out := [][]any{}
	for _, r := range rows {
		b, err := json.Marshal(r.Cells)
		if err != nil {
			t.Fatal(err)
		}
		var cells []any
		if err := json.Unmarshal(b, &cells); err != nil {
			t.Fatal(err)
		}
		out = append(out, cells)
	}
	return out
}

func TestTables(t *testing.T) {
	all := readPrinted(t)
	rows := 0
	for _, p := range all {
		t.Run(p.Kind, func(t *testing.T) {
			printer := printerFor(t, all, p.Group, p.Kind)
			if !reflect.DeepEqual(printer.Columns, p.Columns) {
				t.Errorf("columns\n got %+v\nwant %+v", printer.Columns, p.Columns)
			}
			raws := make([][]byte, len(p.Objects))
			for i, raw := range p.Objects {
				raws[i] = raw
			}
			var want [][]any
			b, _ := json.Marshal(p.Cells)
			if err := json.Unmarshal(b, &want); err != nil {
				t.Fatal(err)
			}
			early, late := settled(t, printer.Rows(raws, p.Before)), settled(t, printer.Rows(raws, p.After))
			for i, w := range want {
				rows++
				if !reflect.DeepEqual(early[i], w) && !reflect.DeepEqual(late[i], w) {
					t.Errorf("got  %v\nwant %v", early[i], w)
				}
			}
		})
	}
	if rows < 300 || len(all) < 60 {
		t.Errorf("only %d rows of %d types compared", rows, len(all))
	}
}

// Whatever an object holds, a row has its name and as many cells as any.
func FuzzRow(f *testing.F) {
	all := readPrinted(f)
	for i, p := range all {
		for _, raw := range p.Objects[:min(len(p.Objects), 3)] {
			f.Add(i, []byte(raw))
		}
	}
	printers := make([]*Printer, len(all))
	for i, p := range all {
		printers[i] = printerFor(f, all, p.Group, p.Kind)
	}
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, kind int, raw []byte) {
		p := printers[uint(kind)%uint(len(printers))]
		rows := p.Rows([][]byte{raw}, now)
		if len(rows) != 1 || len(rows[0].Cells) < len(p.Columns) {
			t.Fatalf("%d rows, %d cells of %d columns", len(rows), len(rows[0].Cells), len(p.Columns))
		}
		if _, err := json.Marshal(rows[0].Cells); err != nil {
			t.Fatal(err)
		}
	})
}

// Of what cannot be decoded there is a row with the name.
func TestRowOfAStrangeObject(t *testing.T) {
	row := NewBuiltins().For("", "Pod").Row([]byte(`{"metadata":{"name":"web"},"spec":7}`), time.Now())
	if len(row.Cells) != 9 || row.Cells[0] != "web" || row.Cells[1] != nil {
		t.Errorf("%v", row.Cells)
	}
}

// Columns that cannot be read end the table, they do not break it; paths that
// lead nowhere are empty cells.
func TestCustomColumns(t *testing.T) {
	p := Custom([]CustomColumn{
		{Name: "A", Type: "string", JSONPath: ".spec.a"}, {Name: "B", Type: "integer", JSONPath: ".spec.a[5].b"},
		{Name: "C", Type: "date", JSONPath: ".spec.c"}, {Name: "D", Type: "string", JSONPath: ".spec["}, {Name: "E", Type: "string", JSONPath: ".spec.e"},
	})
	if len(p.Columns) != 4 {
		t.Fatalf("%d columns", len(p.Columns))
	}
	row := p.Row([]byte(`{"metadata":{"name":"x"},"spec":{"a":"\u001b[31m","c":"soon","e":"e"}}`), time.Now())
	if want := []any{"x", "\x1b[31m", nil, "<invalid>"}; !reflect.DeepEqual(row.Cells, want) {
		t.Errorf("got %q, want %q", row.Cells, want)
	}
}

func BenchmarkPods(b *testing.B) {
	all := readPrinted(b)
	for _, p := range all {
		if p.Kind != "Pod" {
			continue
		}
		printer := NewBuiltins().For("", "Pod")
		for b.Loop() {
			printer.Row(p.Objects[0], p.After)
		}
	}
}
