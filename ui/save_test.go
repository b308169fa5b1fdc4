package ui

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"rewatch/model"
)

// memoryFiles keeps what is written, and what programs are given.
type memoryFiles struct {
	saved map[string]string
	tool  Tool
	name  string
	text  string
	err   error
}

func (f *memoryFiles) Open(tool Tool, name string, text []byte) (Process, error) {
	f.tool, f.name, f.text = tool, name, string(text)
	return f, f.err
}

func (f *memoryFiles) Save(name string, data []byte) (string, error) {
	if f.err != nil {
		return "", f.err
	}
	f.saved[name] = string(data)
	return "/home/dev/" + name, nil
}

func (f *memoryFiles) Run() error          { return nil }
func (f *memoryFiles) SetStdin(io.Reader)  {}
func (f *memoryFiles) SetStdout(io.Writer) {}
func (f *memoryFiles) SetStderr(io.Writer) {}

func withFiles(d *driver) *memoryFiles {
	f := &memoryFiles{saved: map[string]string{}}
	d.app.o.Files = f
	return f
}

// saveAs presses w and types a name.
func (d *driver) saveAs(name string) {
	d.press("w", "ctrl+u")
	d.typeText(name)
	d.press("enter")
}

func TestSaveTheScreen(t *testing.T) {
	for _, theme := range []string{"dark", "light", "mono"} {
		d := newDriver(t, 120, 36, theme)
		files := withFiles(d)
		d.script()
		d.trouble()
		d.demo.object(d.now, "prod-eu/configmaps", model.Modified, 0, "ConfigMap", "v1", "shop", "settings", `"data":{"a":"日本語 <b>&amp; é️ done"}`)
		d.wait(0)
		d.press("up")
		want := trimRight(d.screen())
		for _, name := range []string{"a.txt", "a.ansi", "a.html", "a.svg"} {
			d.saveAs(name)
			if !strings.Contains(d.footer(), "saved /home/dev/"+name) {
				t.Errorf("the footer says %q", d.footer())
			}
			d.app.flash = ""
		}
		if got := files.saved["a.txt"]; got != want {
			t.Errorf("the text is\n%s\nwant\n%s", got, want)
		}
		if got := files.saved["a.ansi"]; trimRight(strings.TrimSuffix(ansi.Strip(got), "\n")) != want {
			t.Errorf("the ANSI text is\n%s", got)
		}
		page := files.saved["a.html"]
		_, body, _ := strings.Cut(page, "<pre>\n")
		body, _, _ = strings.Cut(body, "</pre>")
		plain := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&").Replace(regexp.MustCompile("<[^>]*>").ReplaceAllString(body, ""))
		if trimRight(strings.TrimSuffix(plain, "\n")) != want {
			t.Errorf("the page says\n%s\nwant\n%s", plain, want)
		}
		if svg := svgText(t, files.saved["a.svg"]); svg != want {
			t.Errorf("the picture says\n%s\nwant\n%s", svg, want)
		}
		if coloured := strings.Count(files.saved["a.svg"], "<text") < 4*strings.Count(files.saved["a.svg"], ` fill="#`); coloured == (theme == "mono") {
			t.Errorf("%s: the picture has colours: %v", theme, coloured)
		}
	}
}

// svgText puts the text of a picture back at its cells.
func svgText(t *testing.T, svg string) string {
	t.Helper()
	var rows [][]rune
	x := xml.NewDecoder(strings.NewReader(svg))
	for {
		tok, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok || e.Name.Local != "text" {
			continue
		}
		var el struct {
			X    float64 `xml:"x,attr"`
			Y    float64 `xml:"y,attr"`
			Text string  `xml:",chardata"`
		}
		if err := x.DecodeElement(&el, &e); err != nil {
			t.Fatal(err)
		}
		row, col := int((el.Y-margin-baseline)/cellHeight+.5), int((el.X-margin)/cellWidth+.5)
		for len(rows) <= row {
			rows = append(rows, nil)
		}
		at := ansi.StringWidth(string(rows[row]))
		if at > col {
			t.Fatalf("%q at column %d lies over %q", el.Text, col, string(rows[row]))
		}
		rows[row] = append(rows[row], []rune(strings.Repeat(" ", col-at)+el.Text)...)
	}
	var lines []string
	for _, r := range rows {
		lines = append(lines, string(r))
	}
	return trimRight(strings.Join(lines, "\n"))
}

func TestSaveWantsAFormat(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	files := withFiles(d)
	d.saveAs("screen.pdf")
	d.has("it has to end with .txt, .ansi, .html or .svg")
	d.press("esc")
	files.err = errors.New("there is a file screen.svg already; take another name")
	d.saveAs("screen.svg")
	d.has("not saved: there is a file screen.svg already")
	if len(files.saved) > 0 {
		t.Errorf("%v", files.saved)
	}
}

// The picture is one that other programs take, and of the size of the screen.
func TestSavedPictureIsDrawn(t *testing.T) {
	tool, err := exec.LookPath("rsvg-convert")
	if err != nil {
		t.Skip("there is no rsvg-convert")
	}
	d := newDriver(t, 80, 24, "dark")
	files := withFiles(d)
	d.script()
	d.saveAs("a.svg")
	path := filepath.Join(t.TempDir(), "a.svg")
	if err := os.WriteFile(path, []byte(files.saved["a.svg"]), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(tool, "-o", path+".png", path).CombinedOutput(); err != nil {
		t.Errorf("%v %s", err, out)
	}
}

func TestOpenInOtherPrograms(t *testing.T) {
	d := newDriver(t, 120, 36, "mono")
	files := withFiles(d)
	d.script()
	d.press("!", "p")
	if files.tool != Pager || files.name != "timeline.txt" || strings.Count(files.text, "\n") != 1+d.app.timeline.index.end() || !strings.Contains(files.text, "~ Deployment shop/checkout spec.replicas 8→9") {
		t.Errorf("%v %s\n%s", files.tool, files.name, files.text)
	}
	d.openDeployment("g", "y")
	d.screen()
	d.press("!", "e")
	if files.tool != Editor || files.name != "deployment-checkout-yaml.yaml" || !strings.HasPrefix(files.text, "apiVersion: apps/v1\nkind: Deployment\n") || strings.Contains(files.text, " \n") {
		t.Errorf("%v %s\n%s", files.tool, files.name, files.text)
	}
	d.send(cameBackMsg{tool: Editor})
	if !strings.Contains(d.footer(), "not kept") {
		t.Errorf("the footer says %q", d.footer())
	}
	d.send(cameBackMsg{tool: Editor, err: errors.New("vi ended with: exit status 1")})
	if !strings.Contains(d.footer(), "exit status 1") {
		t.Errorf("the footer says %q", d.footer())
	}
	files.err = errors.New("there is no vi here; set $EDITOR to a program that is")
	d.press("!", "e")
	if !strings.Contains(d.footer(), "there is no vi here") {
		t.Errorf("the footer says %q", d.footer())
	}
}

// A tape does not go on while another program has the screen.
func TestOpeningPausesATape(t *testing.T) {
	d, deck := newReplay(t, 120, 36, "mono")
	files := withFiles(d)
	d.press("space")
	d.press("!", "p")
	if deck.Playback().Playing || files.text == "" {
		t.Errorf("it plays while %q is read", files.text)
	}
	d.send(cameBackMsg{tool: Pager, playing: true})
	if !deck.Playback().Playing {
		t.Error("it does not go on afterwards")
	}
}

// Rows that were listed before the replay jumped have the object numbers of
// another log: nothing is opened.
func TestRowsOfAnotherLogAreNotOpened(t *testing.T) {
	d, _ := newReplay(t, 120, 36, "mono")
	files := withFiles(d)
	d.screen()
	answer := d.app.outside(Pager)().(rowsMsg)
	if !strings.Contains(answer.text, "# ") {
		t.Fatalf("the rows are %q", answer.text)
	}
	d.app.log = model.NewLog(model.Options{})
	if cmd := answer.take(d.app); cmd != nil || files.text != "" {
		t.Errorf("opened: %q", files.text)
	}
}

var _ tea.ExecCommand = Process(nil)
