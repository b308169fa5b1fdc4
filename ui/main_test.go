package ui

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("REWATCH_UI_DEMO"); what != "" {
		os.Exit(runDemo(what))
	}
	goleak.VerifyTestMain(m)
}
