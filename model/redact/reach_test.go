package redact

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestSecretsInside: Secrets are found wherever they are in what may hold
// objects of any type; what is none stays.
func TestSecretsInside(t *testing.T) {
	secret := `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"db"},"data":{"p":"cGxhaW4tMQ=="},"stringData":{"q":"plain-1"}}`
	config := `{"kind":"ConfigMap","data":{"keep":"me"}}`
	quoted, _ := json.Marshal(secret)
	twice, _ := json.Marshal(`{"text":` + string(quoted) + `}`)
	r := NewWithKey([32]byte{1})
	for _, raw := range []string{
		`{"type":"SYNC","object":` + secret + `}`,
		`{"type":"SYNC","item":[{"x":` + secret + `},` + config + `]}`,
		`{"kind":"List","items":[` + config + `,` + secret + `]}`,
		`{"type":"SYNC","object":{"kind":"SecretList","items":[{"data":{"p":"cGxhaW4tMQ=="}}]}}`,
		` {"type":"SYNC","object":` + strings.Replace(secret, `"Secret"`, `"\u0053ecret"`, 1) + `} `,
		`{"type":"SYNC","text":` + string(quoted) + `}`,
		`{"type":"SYNC","text":` + string(twice) + `}`,
		strings.Repeat(`{"a":`, 80) + secret + strings.Repeat(`}`, 80),
		`{"type":"SYNC","object":` + secret,
	} {
		out := string(r.Within([]byte(raw), Inside))
		if strings.Contains(out, "cGxhaW4tMQ") || strings.Contains(out, "plain-1") || !json.Valid([]byte(out)) {
			t.Errorf("%s\nbecame %s", raw, out)
		}
		if strings.Contains(raw, config) && !strings.Contains(out, config) {
			t.Errorf("%s\nlost what is no Secret: %s", raw, out)
		}
		if again := string(r.Within([]byte(out), Inside)); !strings.Contains(raw, strings.Repeat(`{"a":`, 80)) && again != out {
			t.Errorf("%s\nredacted again is %s", out, again)
		}
	}
	for _, raw := range []string{`{"type":"ERROR","object":{"code":410,"data":{"p":"x"}}}`, `not JSON`, ` {"message":"a Secret \u003c was"} `, ``} {
		if out := string(r.Within([]byte(raw), Inside)); out != raw {
			t.Errorf("%s became %s", raw, out)
		}
	}
}
