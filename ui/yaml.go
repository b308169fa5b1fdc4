package ui

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// yamlLines writes an object as the YAML that people read, in the order of its
// bytes, at most limit lines. managedFields is left out: it is longer than most
// objects and the header of the pane already says who changed what. The lines
// are not sanitised.
func yamlLines(raw []byte, limit int) []string {
	return yamlWith(raw, limit, func([]byte) string { return "" })
}

// yamlWith is yamlLines with what managed says in the place of managedFields, ""
// for nothing; without managed they are written as they are.
func yamlWith(raw []byte, limit int, managed func(raw []byte) string) []string {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	y := &yamlWriter{d: d, limit: limit, managed: managed}
	y.value("", "", "")
	if y.err != nil && len(y.out) == 0 {
		return strings.Split(string(raw), "\n")
	}
	if len(y.out) >= limit {
		y.out = append(y.out[:limit], "… cut after "+count(limit)+" lines")
	}
	return y.out
}

type yamlWriter struct {
	d     *json.Decoder
	out   []string
	limit int
	err   error
	// managed is what stands for managedFields; nil: they are written.
	managed func(raw []byte) string
}

func (y *yamlWriter) line(s string) {
	if len(y.out) < y.limit {
		y.out = append(y.out, s)
	}
}

// value writes the next value. lead is what stands before it on its first line
// ("  name:" or "  -"), indent what stands before its further lines.
func (y *yamlWriter) value(lead, indent, path string) {
	t, err := y.d.Token()
	if err != nil {
		y.err = err
		return
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '{' {
			y.object(lead, indent, path)
		} else {
			y.array(lead, indent, path)
		}
	case string:
		y.text(lead, indent, v)
	case json.Number:
		y.line(join(lead, v.String()))
	case bool:
		y.line(join(lead, strconv.FormatBool(v)))
	case nil:
		y.line(join(lead, "null"))
	}
}

func (y *yamlWriter) object(lead, indent, path string) {
	if !y.d.More() {
		y.line(join(lead, "{}"))
		_, y.err = y.d.Token()
		return
	}
	// The first field of an item of a list stands on the line of its dash.
	first := strings.HasSuffix(lead, "-")
	if !first && lead != "" {
		y.line(lead)
	}
	for y.err == nil && y.d.More() {
		t, err := y.d.Token()
		if err != nil {
			y.err = err
			return
		}
		key, _ := t.(string)
		at := path + "." + key
		if at == ".metadata.managedFields" && y.managed != nil {
			var skip json.RawMessage
			if y.err = y.d.Decode(&skip); y.err == nil {
				if text := y.managed(skip); text != "" {
					y.line(indent + key + ": # " + text)
				}
			}
			continue
		}
		head := indent + key + ":"
		if first {
			head, first = lead+" "+key+":", false
		}
		y.value(head, indent+"  ", at)
	}
	if y.err == nil {
		_, y.err = y.d.Token()
	}
}

func (y *yamlWriter) array(lead, indent, path string) {
	if !y.d.More() {
		y.line(join(lead, "[]"))
		_, y.err = y.d.Token()
		return
	}
	if lead != "" {
		y.line(lead)
	}
	// Lists stand under their key, as kubectl writes them.
	dash := indent
	if !strings.HasSuffix(lead, "-") {
		dash = strings.TrimSuffix(indent, "  ")
	}
	for y.err == nil && y.d.More() {
		y.value(dash+"-", dash+"  ", path+"[]")
	}
	if y.err == nil {
		_, y.err = y.d.Token()
	}
}

func (y *yamlWriter) text(lead, indent, s string) {
	if strings.Contains(s, "\n") {
		y.line(join(lead, "|"))
		for _, l := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
			y.line(indent + l)
		}
		return
	}
	y.line(join(lead, scalar(s)))
}

// flow writes a JSON value in one line as YAML does: {type: Ready, status:
// "True"}. What is not JSON stays as it is.
func flow(js string) string {
	d := json.NewDecoder(strings.NewReader(js))
	d.UseNumber()
	var b strings.Builder
	if !flowValue(d, &b) {
		return js
	}
	return b.String()
}

func flowValue(d *json.Decoder, b *strings.Builder) bool {
	t, err := d.Token()
	if err != nil {
		return false
	}
	switch v := t.(type) {
	case json.Delim:
		b.WriteRune(rune(v))
		for i := 0; d.More(); i++ {
			if i > 0 {
				b.WriteString(", ")
			}
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return false
				}
				s, _ := key.(string)
				b.WriteString(s + ": ")
			}
			if !flowValue(d, b) {
				return false
			}
		}
		end, err := d.Token()
		if err != nil {
			return false
		}
		b.WriteString(end.(json.Delim).String())
	case string:
		if strings.ContainsAny(v, ",{}[]\n") {
			b.WriteString(strconv.Quote(v))
			break
		}
		b.WriteString(scalar(v))
	case json.Number:
		b.WriteString(v.String())
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case nil:
		b.WriteString("null")
	}
	return true
}

// scalar quotes a string where YAML would read it as something else.
func scalar(s string) string {
	var v any
	switch low := strings.ToLower(s); {
	case s == "", s != strings.TrimSpace(s), strings.ContainsAny(s[:1], "!&*{}[]|>@`\"'%#-,?:"), strings.Contains(s, ": "),
		strings.Contains(s, " #"), low == "yes", low == "no", low == "on", low == "off", s == "~",
		json.Unmarshal([]byte(low), &v) == nil: // a number, true, false, null
		return strconv.Quote(s)
	}
	return s
}

func join(lead, s string) string {
	if lead == "" {
		return s
	}
	return lead + " " + s
}
