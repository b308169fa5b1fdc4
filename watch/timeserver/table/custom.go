package table

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"
)

// CustomColumn is an additionalPrinterColumn of a CustomResourceDefinition.
type CustomColumn struct {
	Name, Type, Format, Description string
	JSONPath                        string
	Priority                        int32
}

// Custom prints custom resources: the name, and the columns of the definition,
// or the age where it names none. Columns whose path cannot be parsed, and
// those after them, are left out, as a kube-apiserver does.
func Custom(columns []CustomColumn) *Printer {
	if len(columns) == 0 {
		columns = []CustomColumn{{Name: "Age", Type: "date", Description: metaDoc("creationTimestamp"), JSONPath: ".metadata.creationTimestamp"}}
	}
	p := &Printer{Columns: []metav1.TableColumnDefinition{name()}}
	var paths []*jsonpath.JSONPath
	for _, c := range columns {
		path := jsonpath.New(c.Name)
		if path.Parse("{"+c.JSONPath+"}") != nil {
			break
		}
		path.AllowMissingKeys(true)
		description := or(c.Description, "Custom resource definition column (in JSONPath format): "+c.JSONPath)
		p.Columns = append(p.Columns, metav1.TableColumnDefinition{Name: c.Name, Type: c.Type, Format: c.Format, Description: description,
			Priority: c.Priority})
		paths = append(paths, path)
	}
	p.row = func(raw []byte, now clock) (Row, error) {
		var o any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber() // a float64 would not hold every integer
		if err := d.Decode(&o); err != nil {
			return Row{}, err
		}
		var meta metav1.PartialObjectMetadata
		if err := json.Unmarshal(raw, &meta); err != nil {
			return Row{}, err
		}
		cells := []any{meta.Name}
		for i, path := range paths {
			cells = append(cells, customCell(path, p.Columns[i+1].Type, o, now))
		}
		return Row{Cells: cells}, nil
	}
	return p
}

// customCell is the first value that a path finds, nil where there is none.
// JSONPaths from strangers may be anything: a panic of theirs is no value.
func customCell(path *jsonpath.JSONPath, typ string, o any, now clock) (cell any) {
	defer func() {
		if recover() != nil {
			cell = nil
		}
	}()
	results, err := path.FindResults(o)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return nil
	}
	value := results[0][0].Interface()
	if typ == "string" {
		var b bytes.Buffer
		if path.PrintResults(&b, []reflect.Value{reflect.ValueOf(value)}) != nil {
			return nil
		}
		return b.String()
	}
	return cellOf(typ, value, now)
}

func cellOf(typ string, value any, now clock) any {
	number, _ := value.(json.Number)
	switch typ {
	case "integer":
		if i, err := number.Int64(); err == nil {
			return i
		}
		if f, err := number.Float64(); err == nil {
			return int64(f)
		}
	case "number":
		if f, err := number.Float64(); err == nil {
			return f
		}
	case "boolean":
		if b, ok := value.(bool); ok {
			return b
		}
	case "date":
		if s, ok := value.(string); ok {
			t, err := time.Parse(time.RFC3339, s)
			if err != nil {
				return "<invalid>"
			}
			return now.ago(t)
		}
	}
	return nil
}
