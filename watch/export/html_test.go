package export

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"rewatch/model"
	"rewatch/model/clean"
	"rewatch/watch/tape"
)

// parsePage parses a page as a browser does that runs scripts or does not.
func parsePage(t testing.TB, page string, scripts bool) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(scripts))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func all(root *html.Node, ok func(*html.Node) bool) (found []*html.Node) {
	for n := range root.Descendants() {
		if ok(n) {
			found = append(found, n)
		}
	}
	return found
}

func tag(name string) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.Type == html.ElementNode && n.Data == name }
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// pageElements are all elements that a page consists of, and pageAttributes
// all attributes: one that a tape brought in would be another one. None of them
// refers to anything elsewhere.
var (
	pageElements = strings.Fields(`html head meta title style body header h1 h2 p b i small section div span svg rect details summary nav input select
		option button output main ol li article dialog dl dt dd form noscript time em table tbody tr th td pre del ins footer script`)
	pageAttributes = strings.Fields(`lang charset http-equiv content name class id aria-label viewbox viewBox preserveAspectRatio role x y width height
		title hidden type placeholder autocomplete spellcheck value aria-live tabindex method datetime colspan open`)
)

// checkElements fails if anything in a page, or a part of one, is not the
// page's own.
func checkElements(t testing.TB, page string) {
	t.Helper()
	for _, scripts := range []bool{false, true} {
		for n := range parsePage(t, page, scripts).Descendants() {
			switch {
			case n.Type == html.CommentNode:
				t.Fatalf("a comment: %q", n.Data)
			case n.Type != html.ElementNode:
				continue
			case !slices.Contains(pageElements, n.Data):
				t.Fatalf("an element <%s> (scripts %v)", n.Data, scripts)
			}
			for _, a := range n.Attr {
				if !slices.Contains(pageAttributes, a.Key) {
					t.Fatalf("an attribute %s=%q of <%s> (scripts %v)", a.Key, a.Val, n.Data, scripts)
				}
			}
		}
	}
	if !utf8.ValidString(page) {
		t.Fatal("the page is no UTF-8")
	}
	for _, r := range page {
		if unicode.In(r, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) || unicode.IsControl(r) && r != '\n' {
			t.Fatalf("the page holds %U", r)
		}
	}
}

func checkPage(t testing.TB, page string) {
	t.Helper()
	checkElements(t, page)
	for _, scripts := range []bool{false, true} {
		root := parsePage(t, page, scripts)
		if n := len(all(root, tag("script"))); n != 2 {
			t.Fatalf("%d scripts", n)
		}
		if n := len(all(root, tag("style"))); n != 1 {
			t.Fatalf("%d styles", n)
		}
	}
}

func TestPageIsItsOwn(t *testing.T) {
	for _, attack := range []string{"plain", hostile} {
		page, result := exported(t, recorded(t, trouble(t, attack)), "html", Options{Name: attack, FilterText: attack, Tool: attack})
		if result.Rows == 0 {
			t.Fatal("no rows")
		}
		checkPage(t, page)
		if name := os.Getenv("REWATCH_KEEP_PAGE"); name != "" {
			_ = os.WriteFile(name, []byte(page), 0o600)
		}
	}
}

// TestPolicy: the policy names what is in the page, and nothing else may run.
func TestPolicy(t *testing.T) {
	page, _ := exported(t, recorded(t, trouble(t, "x")), "html", Options{})
	root := parsePage(t, page, true)
	policy := ""
	for _, m := range all(root, tag("meta")) {
		if attr(m, "http-equiv") == "Content-Security-Policy" {
			policy = attr(m, "content")
		}
	}
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	style := content(all(root, tag("style"))[0])
	script := content(all(root, tag("script"))[1])
	want := "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) + "; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("policy %q\nwant %q", policy, want)
	}
}

// TestPageWithoutScripts: all rows stand in it, in order, and say what
// happened.
func TestPageWithoutScripts(t *testing.T) {
	page, result := exported(t, recorded(t, trouble(t, "evil")), "html", Options{})
	rows := all(parsePage(t, page, false), tag("li"))
	if len(rows) != int(result.Rows) {
		t.Fatalf("%d rows stand there, of %d", len(rows), result.Rows)
	}
	var text []string
	for i, li := range rows {
		if attr(li, "id") != "r"+json.Number(itoa(i)).String() {
			t.Errorf("row %d is %s", i, attr(li, "id"))
		}
		text = append(text, content(li))
	}
	joined := strings.Join(text, "\n")
	for _, want := range []string{
		"initial list: 12 objects", "deploy began", "changes may be missing between rv 231 and 402, 13 s: 410 expired (a list found 0 added, 1 modified, 1 deleted)",
		"the recorder lost 17 frames between rv 500 and 517", "ERROR 410 Expired too old resource version: 160 (900)", "LIVE → RETRY  connection refused: evil",
		"missing: ", "b: 2\u200cb: 20", "9007199254740993", "LIVE → DENIED  configmaps is forbidden",
	} {
		a, b, _ := strings.Cut(want, "\u200c") // stand near each other
		if !strings.Contains(joined, a) || !strings.Contains(joined, b) {
			t.Errorf("no %q in\n%.3000s", want, joined)
		}
	}
	if strings.Contains(joined, "u-app") {
		t.Error("objects of the initial list are in the page")
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// TestPageIndex: the index is what the rows say.
func TestPageIndex(t *testing.T) {
	tp := imported(t, shop(t))
	page, result := exported(t, tp, "html", Options{})
	root := parsePage(t, page, true)
	var index pageIndex
	for _, s := range all(root, tag("script")) {
		if attr(s, "id") == "index" {
			if err := json.Unmarshal([]byte(content(s)), &index); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows := all(parsePage(t, page, false), tag("li"))
	n := int(result.Rows)
	if len(rows) != n || len(index.Classes) != n || len(index.Times) != n || len(index.Objects) != n || len(index.Streams) != n {
		t.Fatalf("%d rows, %d in the page, %d classes, %d times", n, len(rows), len(index.Classes), len(index.Times))
	}
	var sum int64
	for i, li := range rows {
		if sum += index.Times[i]; attr(li, "class") != index.Classes[i:i+1] {
			t.Errorf("row %d has class %s, and %c in the index", i, attr(li, "class"), index.Classes[i])
		}
		if o := index.Objects[i]; o >= 0 && !strings.Contains(content(li), index.Names[o][0]) {
			t.Errorf("row %d is not about a %s: %s", i, index.Names[o][0], content(li))
		}
	}
	info := tp.Info()
	if last := info.To.UnixMicro() - info.From.UnixMicro(); sum > last || sum < last*9/10 {
		t.Errorf("the last row is %d µs after the start, of %d", sum, last)
	}
	for _, c := range all(parsePage(t, page, true), tag("noscript")) {
		if n := strings.Count(content(c), "\n<li"); n == 0 || n > index.Per {
			t.Errorf("a chunk of %d rows", n)
		}
	}
}

// TestCutIsSaid: the page and the caller are told what does not fit.
func TestCutIsSaid(t *testing.T) {
	tp := imported(t, shop(t))
	for _, format := range []string{"html", "markdown"} {
		out, result := exported(t, tp, format, Options{Limit: 100})
		if result.Rows != 100 || result.Cut < 1000 || !strings.Contains(out, "the first 100 of") {
			t.Errorf("%s: %d rows, %d cut, and the text does not say so", format, result.Rows, result.Cut)
		}
	}
}

// FuzzRows: whatever a row says, its element is what the template wrote. The
// rows are made without a tape, which would cost more than all the rest.
func FuzzRows(f *testing.F) {
	f.Add(hostile, "x", "y")
	f.Add("a\u202eb\u0000", "<!--<script>", "-->")
	f.Add("]]>", "\u2028\u2029\ufeff", "\xff\xfe")
	f.Fuzz(func(t *testing.T, name, value, key string) {
		if len(name) > 200 || len(value) > 2000 || len(key) > 200 {
			return
		}
		stream := &model.StreamInfo{Context: name, Resource: key, Namespace: value, Label: key}
		id := model.Identity{Kind: value, Namespace: key, Name: name}
		raw := func(v string) []byte {
			return []byte(`{"kind":` + quote(value) + `,"data":{` + quote(key) + `:` + quote(v) + `}}`)
		}
		object := func(typ model.Type, old, now []byte) *row {
			return &row{typ: typ.String(), stream: stream, id: id, reached: true, old: old, new: now, event: model.Event{Type: typ}}
		}
		other := func(typ model.Type, d any) *row {
			return &row{typ: typ.String(), stream: stream, event: model.Event{Type: typ, Detail: d}}
		}
		rows := []*row{
			object(model.Added, nil, raw(value)), object(model.Deleted, nil, raw(value)), object(model.Modified, raw("old\n"+value), raw(value+"\n"+name)),
			object(model.Modified, []byte(value), raw(value)), object(model.Modified, raw(value), []byte(name)),
			other(model.StreamChange, model.Transition{To: model.Backoff, Text: value, Cause: model.Cause(key)}),
			other(model.GapFound, model.Gap{FromRV: name, ToRV: value, Text: key}), other(model.Noted, model.Note{Text: value}),
			other(model.Noted, model.Note{Cause: causeMark, Text: name}), {typ: typeDamage, damage: &tape.Damage{Text: value}},
			{typ: typeFrame, stream: stream, words: frameWords([]byte(value))}, {typ: typeFold, stream: stream, folded: 3},
		}
		var b strings.Builder
		p := &page{j: &job{}, t: rowTemplate(), many: true, clock: shortClock, names: map[objectName]int{}}
		p.index.Words = map[string]string{}
		b.WriteString("<noscript><ol>\n")
		for i, r := range rows {
			if err := p.t.ExecuteTemplate(&b, "row", p.row(i, r)); err != nil {
				t.Fatal(err)
			}
		}
		b.WriteString("</ol></noscript>\n")
		if n := strings.Count(b.String(), "\n"); n != len(rows)+2 {
			t.Fatalf("%d lines for %d rows: the script tells them apart by lines", n, len(rows))
		}
		checkElements(t, b.String())
		lis := all(parsePage(t, b.String(), false), tag("li"))
		if len(lis) != len(rows) {
			t.Fatalf("%d elements for %d rows", len(lis), len(rows))
		}
		for _, li := range lis {
			if li.Parent.Data != "ol" {
				t.Fatalf("a row within <%s>", li.Parent.Data)
			}
		}
		md := mdText(clean.Line(value))
		if strings.ContainsAny(md, "\n\r") || regexp.MustCompile(`<[^!]|<!--[^ ]|(^|[^\\])\|`).MatchString(strings.ReplaceAll(md, `\\`, "")) {
			t.Fatalf("Markdown %q", md)
		}
	})
}

var rowTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageTemplate)) })
