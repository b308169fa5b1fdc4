package ui

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("REWATCH_UI_DEMO"); what != "" {
		os.Exit(runDemo(what))
	}
	code := m.Run()
	if code == 0 {
		code = leaks()
	}
	os.Exit(code)
}

// leaks is 1 if goroutines are left that do not end. goleak itself waits for half
// a second, which is not enough for the last command of a screen on a busy machine.
func leaks() int {
	for end := time.Now().Add(inVain); ; {
		err := goleak.Find()
		if err == nil {
			return 0
		}
		if time.Now().After(end) {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
}
