//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestASignalEndsWorkWhoseOutputStalls: nobody reads the pipe that the output
// goes to, whether that is stdout or has a name.
func TestASignalEndsWorkWhoseOutputStalls(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()

	for _, path := range []string{"-", fifo} {
		ctx, cancel := context.WithCancel(t.Context())
		stuck, ended, work := make(chan bool, 1), make(chan error, 1), make(chan error, 1)
		go func() {
			ended <- streams{out: w}.writeFile(ctx, path, false, func(out io.Writer) error {
				_, err := out.Write(make([]byte, 1)) // there is room for this
				stuck <- true
				for err == nil {
					_, err = out.Write(make([]byte, 1<<20))
				}
				work <- err
				return err
			})
		}()
		<-stuck
		time.Sleep(20 * time.Millisecond) // the next Write is under way
		cancel()
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: no error", path)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the command waits for its output", path)
		}
		if path == "-" {
			_ = w.Close() // what the end of the process does
		}
		if err := <-work; err != errEnded {
			t.Errorf("%s: what came too late: %v", path, err)
		}
	}
}
