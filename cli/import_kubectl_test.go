package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rewatch/watch/export"
	"rewatch/watch/tape"
)

// TestImportOfRealKubectl imports what a real kubectl printed of a server that
// plays the recording.
func TestImportOfRealKubectl(t *testing.T) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		t.Skip("no kubectl on PATH")
	}
	isolate(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "kubeconfig")
	serve := background(t, "serve", importedShop(t), "--speed", "8", "--write-kubeconfig", config)
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if b, err := os.ReadFile(config); err == nil && bytes.Contains(b, []byte("current-context")) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no kubeconfig: %s", serve.stderr.String())
		}
	}
	for name, c := range map[string]struct {
		args   string
		want   string // in what import says
		events bool
	}{
		"events":  {"get pods -A -w --output-watch-events -o json", "from the output of kubectl get --output-watch-events", true},
		"objects": {"get pods -A -w -o json", "from the output of kubectl get -o json", false},
		"a list":  {"get pods,deployments,nodes -A -o json", "from the output of kubectl get -o json", false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			var out buffer
			cmd := exec.CommandContext(ctx, kubectl, append([]string{"--kubeconfig", config}, strings.Fields(c.args)...)...)
			cmd.Stdout, cmd.WaitDelay = &out, time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() { defer close(done); _ = cmd.Wait() }()
			const enough = 60 << 10 // of a watch that never ends
			watch := strings.Contains(c.args, "-w")
			for running := true; running && !(watch && len(out.String()) >= enough); {
				select {
				case <-done:
					running = false
				case <-time.After(5 * time.Millisecond):
				}
			}
			_ = cmd.Process.Kill()
			<-done
			text := out.String()
			if i := strings.LastIndex(text, "}\n"); i >= 0 {
				text = text[:i+2] // kubectl was killed
			}
			in, to := filepath.Join(t.TempDir(), "in.json"), filepath.Join(t.TempDir(), "out.rwt")
			if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			// A pretty-printed object may have been cut where a brace ends a line.
			if got := mustRun(t, 0, "import", "--keep-going", in, "-o", to); !strings.Contains(got.stderr, c.want) {
				t.Errorf("%s\n%.300s", got.stderr, text)
			}
			x, err := openTape(to)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = x.Close() }()
			streams := x.Info().Streams
			for _, s := range streams {
				if s.Namespaced != (s.Kind != "Node") || s.Resource != map[string]string{"Pod": "pods", "Deployment": "deployments", "Node": "nodes"}[s.Kind] {
					t.Errorf("%+v", s)
				}
			}
			var lines bytes.Buffer
			result, err := export.Write(t.Context(), x.Tape, &lines, "watch-json", export.Options{Damaged: func(d *tape.Damage) { t.Error(d) }})
			if err != nil || result.Rows == 0 {
				t.Errorf("%d frames, %v", result.Rows, err)
			}
			if !c.events {
				return
			}
			// The frames are what kubectl printed, to the byte.
			var got strings.Builder
			for line := range strings.Lines(lines.String()) {
				_, frame, _ := strings.Cut(line, `"frame":`)
				got.WriteString(strings.TrimSuffix(frame, "}\n") + "\n")
			}
			if got.String() != text {
				t.Errorf("%d frames, %d bytes; kubectl printed %d", result.Rows, got.Len(), len(text))
			}
		})
	}
}
