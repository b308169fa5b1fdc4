package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// configs is a text of some lines, with one of them changed.
func configs(lines int, change string) string {
	var b strings.Builder
	for i := range lines {
		v := "same"
		if change != "" && (i == 1 || i == lines-2) {
			v = change
		}
		fmt.Fprintf(&b, "key%d=%s\n", i, v)
	}
	return b.String()
}

// textOf joins lines of a pane, with the signs of their kinds.
func textOf(doc []docLine) string {
	var b strings.Builder
	for _, d := range doc {
		b.WriteString(map[docKind]string{docOld: "-", docNew: "+", docSame: " ", docText: "#"}[d.kind] + d.a + "\n")
	}
	return b.String()
}

func TestTextsAreComparedByLine(t *testing.T) {
	got := textOf(textDiff(configs(30, ""), configs(30, "other")))
	want := " key0=same\n-key1=same\n+key1=other\n key2=same\n key3=same\n key4=same\n#    …\n" +
		" key25=same\n key26=same\n key27=same\n-key28=same\n+key28=other\n key29=same\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := textOf(textDiff("a\nb", "a\nb\n")); !strings.Contains(got, "newline at the end") {
		t.Errorf("texts that differ in their last newline: %s", got)
	}
}

// What is not shown is said.
func TestALongComparisonSaysWhereItIsCut(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	for _, text := range []string{configs(30_000, ""), strings.ToUpper(configs(30_000, ""))} {
		d.demo.object(d.now, "prod-eu/configmaps", model.Modified, 0, "ConfigMap", "v1", "shop", "settings", fmt.Sprintf(`"data":{"app.properties":%q}`, text))
		d.wait(time.Second)
	}
	d.press("enter", "z")
	d.has("- key0=same")
	for range 200 {
		if strings.Contains(d.screen(), "not all of it is shown") {
			return
		}
		d.press("pgdown")
	}
	t.Errorf("nothing says that the comparison is cut:\n%s", d.screen())
}

// An object that left a selection need not have been deleted, nor one that
// entered it created.
func TestTheObjectOfASelectionIsNotCalledDeleted(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	d.script()
	for _, c := range []struct {
		typ  model.Type
		flag model.Flag
		want string
	}{
		{model.Deleted, model.Selection, " deleted or unselected "},
		{model.Added, model.Selection, " created or selected "},
		{model.Added, model.Synthetic, " found, by a relist "},
		{model.Deleted, 0, " deleted "},
	} {
		d.demo.pod(d.now, "prod-eu", d.demo.pods[0], c.typ, c.flag, "Running", 0)
		d.wait(previewPause)
		d.has(c.want)
	}
}

// What a note is about is not the stream that it happens to hang on, and all
// of it can be read.
func TestNotesOfTheCluster(t *testing.T) {
	d := newDriver(t, 100, 36, "mono", "prod-eu")
	d.script()
	note := func(cause model.Cause, text string) {
		d.demo.log.Append(model.Record{Time: d.now, Stream: 0, Type: model.Noted, Detail: model.Note{Cause: cause, Text: text}})
		d.wait(0)
		d.press("G", "up", "down")
	}
	note(model.CauseForbidden, "left out, this user may not list or watch nodes, persistentvolumes, persistentvolumeclaims, limitranges in all namespaces; name one: rewatch -n NAMESPACE")
	d.has(" i left out, this user")
	d.has("note          left out, this user may not list or watch nodes, persistentvolumes, ")
	d.has("               NAMESPACE ")
	note(model.CauseGarbage, "BOOKMARK frame without a readable object")
	d.has(" i pods ")
}
