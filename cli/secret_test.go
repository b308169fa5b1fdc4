package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoSecretComesThroughImport: whatever a Secret comes in, an export of what
// was imported does not give its values back.
func TestNoSecretComesThroughImport(t *testing.T) {
	secret := `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db","namespace":"shop","uid":"s1","resourceVersion":"7"},"data":{"password":"Y29ycmVjdC1ob3JzZQ=="},"stringData":{"again":"correct-horse"}}`
	item := strings.Replace(secret, `"apiVersion":"v1","kind":"Secret",`, "", 1)
	config := `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"shop","uid":"c1","resourceVersion":"6"},"data":{"keep":"me"}}`
	for _, frame := range []string{
		`{"type":"SYNC","object":` + secret + `}`,
		`{"type":"SYNC","object":{"item":` + secret + `}}`,
		`{"type":"ERROR","object":{"kind":"SecretList","apiVersion":"v1","items":[` + item + `]}}`,
		`{"type":"ADDED","object":{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[` + item + `]}}`,
		`{"type":"ADDED","object":{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[` + config + `,` + secret + `]}}`,
		`{"type":"BOOKMARK","object":` + secret + `}`,
		`{"type":"BOOKMARK","object":{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[` + item + `]}}`,
		`{"type":"MODIFIED","object":` + config + `,"old":` + secret + `}`,
		`{"type":"MODIFIED","object":` + config + `,"object":` + secret + `}`,
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.json"), filepath.Join(dir, "out.rwt")
		if err := os.WriteFile(in, []byte(`{"type":"ADDED","object":`+config+"}\n"+frame+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := runForTest(t, t.Context(), "import", in, "-o", out); code != 0 {
			t.Errorf("%s: %d %s", frame, code, errs)
			continue
		}
		for _, format := range []string{"watch-json", "events-json"} {
			code, text, errs := runForTest(t, t.Context(), "export", out, "--format", format, "-o", "-")
			if code != 0 || format == "watch-json" && !strings.Contains(text, `"keep":"me"`) {
				t.Errorf("%s as %s: %d %s%s", frame, format, code, text, errs)
			}
			if strings.Contains(text, "Y29ycmVjdC1ob3JzZQ") || strings.Contains(text, "correct-horse") {
				t.Errorf("%s as %s gives the values back: %s", frame, format, text)
			}
		}
	}
}
