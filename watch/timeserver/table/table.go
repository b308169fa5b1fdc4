// Package table prints objects as a kube-apiserver 1.37 does for kubectl get:
// as rows of cells, under columns that depend on the kind. The columns of
// builtin kinds are those of k8s.io/kubernetes/pkg/printers/internalversion;
// custom resources have those that their definition names, see [Custom].
//
// Cells hold strings, int64, float64, bool or nil. Ages in them are relative
// to a moment that the caller names.
package table

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Printer prints the objects of one kind.
type Printer struct {
	Columns []metav1.TableColumnDefinition
	row     func(raw []byte, now clock) (Row, error)
	// whole, if not nil, prints a list, where a row depends on the others or
	// the order is not that of the list.
	whole func(raws [][]byte, rows []Row)
}

// Row is one object. It must not be changed.
type Row struct {
	Cells      []any
	Conditions []metav1.TableRowCondition
	Index      int // of the object in the list
}

// Row prints one object, given as JSON, as of a moment. Cells of what cannot
// be decoded are the name and nothing else.
func (p *Printer) Row(raw []byte, now time.Time) Row {
	r, err := p.row(raw, clock(now))
	if err != nil {
		var o metav1.PartialObjectMetadata
		_ = json.Unmarshal(raw, &o) // a name, if there is one
		r = Row{Cells: make([]any, len(p.Columns))}
		for i, c := range p.Columns {
			if c.Format == "name" {
				r.Cells[i] = o.Name
			}
		}
	}
	return r
}

// Rows prints a list.
func (p *Printer) Rows(raws [][]byte, now time.Time) []Row {
	rows := make([]Row, len(raws))
	for i, raw := range raws {
		rows[i] = p.Row(raw, now)
		rows[i].Index = i
	}
	if p.whole != nil {
		p.whole(raws, rows)
	}
	return rows
}

// Builtins are the printers of the builtin kinds.
type Builtins map[schema.GroupKind]*Printer

// NewBuiltins makes them.
func NewBuiltins() Builtins {
	b := Builtins{}
	b.addCore()
	b.addPods()
	b.addVolumes()
	b.addApps()
	b.addBatch()
	b.addNetwork()
	b.addAutoscaling()
	b.addAccess()
	b.addAdmission()
	b.addDefinitions()
	b.addDevices()
	b.addScheduling()
	return b
}

// For is the printer of a kind; kinds without one of their own get the name
// and the time of creation.
func (b Builtins) For(group, kind string) *Printer {
	if p, ok := b.Known(group, kind); ok {
		return p
	}
	return Default()
}

// Known is the printer of a kind that has one of its own.
func (b Builtins) Known(group, kind string) (p *Printer, ok bool) {
	p, ok = b[schema.GroupKind{Group: group, Kind: kind}]
	return p, ok
}

// Default prints the name and the time of creation, as a kube-apiserver does
// for kinds that have no columns of their own.
func Default() *Printer {
	return printer(func(o *metav1.PartialObjectMetadata, _ clock) []any {
		return []any{o.Name, o.CreationTimestamp.UTC().Format(time.RFC3339)}
	}, name(), column("Created At", "date", metaDoc("creationTimestamp")))
}

// printer prints what is decoded into a T.
func printer[T any](cells func(o *T, now clock) []any, columns ...metav1.TableColumnDefinition) *Printer {
	return &Printer{Columns: columns, row: func(raw []byte, now clock) (Row, error) {
		o := new(T)
		if err := json.Unmarshal(raw, o); err != nil {
			return Row{}, err
		}
		return Row{Cells: cells(o, now)}, nil
	}}
}

// add registers a printer for a kind of a group.
func (b Builtins) add(group, kind string, p *Printer) {
	b[schema.GroupKind{Group: group, Kind: kind}] = p
}

func column(name, typ, description string) metav1.TableColumnDefinition {
	return metav1.TableColumnDefinition{Name: name, Type: typ, Description: description}
}

func text(name, description string) metav1.TableColumnDefinition {
	return column(name, "string", description)
}

func number(name, description string) metav1.TableColumnDefinition {
	return column(name, "integer", description)
}

func flag(name, description string) metav1.TableColumnDefinition {
	return column(name, "boolean", description)
}

// wide is a column that only -o wide shows.
func wide(c metav1.TableColumnDefinition) metav1.TableColumnDefinition {
	c.Priority = 1
	return c
}

func name() metav1.TableColumnDefinition {
	c := text("Name", metaDoc("name"))
	c.Format = "name"
	return c
}

func age() metav1.TableColumnDefinition { return text("Age", metaDoc("creationTimestamp")) }

// doc is the documentation of a field, as the API's types carry it.
func doc(of interface{ SwaggerDoc() map[string]string }, field string) string {
	return of.SwaggerDoc()[field]
}

func metaDoc(field string) string { return doc(metav1.ObjectMeta{}, field) }

// clock is the moment that ages are relative to.
type clock time.Time

// since is how long ago a time was, in the words of kubectl.
func (c clock) since(t metav1.Time) string { return c.ago(t.Time) }

func (c clock) sinceMicro(t metav1.MicroTime) string { return c.ago(t.Time) }

func (c clock) ago(t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(time.Time(c).Sub(t))
}

// or is a text, or another where it is empty.
func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func deref[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
