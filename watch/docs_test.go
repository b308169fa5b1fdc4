package watch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocs holds docs/faults.md against the tests: every test that it names
// exists in the file that it names, and every fault test is named.
func TestDocs(t *testing.T) {
	doc, err := os.ReadFile("../docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile(`\[(Test\w+)\]\(\.\./watch/(\w+\.go)\)`).FindAllStringSubmatch(string(doc), -1) {
		named[m[1]] = true
		src, err := os.ReadFile(m[2])
		if err != nil || !strings.Contains(string(src), "func "+m[1]+"(t *testing.T)") {
			t.Errorf("docs/faults.md names %s in %s, where it is not", m[1], m[2])
		}
	}
	files, _ := filepath.Glob("*_test.go")
	found := 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func (TestFault_\w+)\(`).FindAllStringSubmatch(string(src), -1) {
			if found++; !named[m[1]] {
				t.Errorf("%s is not in docs/faults.md", m[1])
			}
		}
	}
	if found < 40 || strings.Count(string(doc), "\n| ") < 60 {
		t.Errorf("%d fault tests; is the table still there?", found)
	}
}
