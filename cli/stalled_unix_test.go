//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rewatch/model"
	"rewatch/watch/recorder"
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
		case <-time.After(patience):
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

// TestASignalEndsTheWaitForAReader: of a pipe with a name that nobody has opened.
func TestASignalEndsTheWaitForAReader(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { // whoever waits in vain may go
		if r, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			_ = r.Close()
		}
	}()
	for name, begin := range map[string]func(ctx context.Context) error{
		"a file": func(ctx context.Context) error {
			return streams{}.writeFile(ctx, fifo, false, func(io.Writer) error { return nil })
		},
		"a recording": func(ctx context.Context) error {
			_, err := startRecording(ctx, model.NewLog(model.Options{}), recorder.Options{Path: fifo})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- begin(ctx) }()
		select {
		case err := <-ended:
			t.Errorf("%s: it did not wait for a reader: %v", name, err)
		case <-time.After(20 * time.Millisecond):
		}
		cancel()
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "interrupted") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(patience):
			t.Fatalf("%s: it waits for a reader", name)
		}
	}
}
