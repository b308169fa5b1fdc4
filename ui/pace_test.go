package ui

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// spy is a program that looks for its renderer's ticker.
type spy struct {
	find  func() *time.Ticker
	found *time.Ticker
}

func (s *spy) Init() tea.Cmd { return func() tea.Msg { return tickMsg{} } }

func (s *spy) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tickMsg); ok {
		s.found = s.find()
		return s, tea.Quit
	}
	return s, nil
}

func (s *spy) View() tea.View { return tea.NewView("") }

// The version of Bubble Tea in use keeps its ticker where it is looked for.
func TestTheRendererHasATicker(t *testing.T) {
	s := &spy{}
	in, keys := io.Pipe()
	defer keys.Close()
	p := tea.NewProgram(s, tea.WithInput(in), tea.WithOutput(&bytes.Buffer{}), tea.WithWindowSize(80, 24), tea.WithoutSignalHandler())
	s.find = func() *time.Ticker { return rendererTicker(p) }
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if s.found == nil {
		t.Error("the renderer's pace cannot be changed: an idle screen takes 1 to 3 % of a processor")
	}
}

// Two ticks without anything else slow the renderer, anything else wakes it.
func TestAnIdleScreenIsDrawnSeldom(t *testing.T) {
	p := pacer{ticker: time.NewTicker(time.Hour), fast: time.Second / 60, slow: idlePace}
	defer p.ticker.Stop()
	for i, step := range []struct {
		msg  tea.Msg
		idle bool
	}{{tickMsg{}, false}, {tickMsg{}, true}, {tickMsg{}, true}, {wakeMsg{}, false}, {tickMsg{}, false}, {tea.KeyPressMsg{}, false},
		{tickMsg{}, false}, {tickMsg{}, true}, {resumedMsg{}, false}, {tickMsg{}, false}, {tickMsg{}, true}} {
		if p.saw(step.msg); p.idle != step.idle {
			t.Errorf("step %d, %T: idle %v", i, step.msg, p.idle)
		}
	}
	(&pacer{}).saw(tickMsg{}) // without a ticker nothing is done
}

// The end of a hurry that comes too late to be stopped does not end the next one.
func TestAHurryEndsItself(t *testing.T) {
	p := pacer{ticker: time.NewTicker(time.Hour), fast: time.Hour, slow: time.Hour}
	defer p.ticker.Stop()
	p.mu.Lock()
	p.hasten(hurry, time.Nanosecond)
	for range 100 { // its end waits for the lock
		time.Sleep(100 * time.Microsecond)
	}
	p.hasten(hurry, time.Hour)
	p.mu.Unlock()
	defer p.relax.Stop()
	for end := time.After(50 * time.Millisecond); ; {
		select {
		case <-p.ticker.C:
			continue
		case <-end:
		}
		break
	}
	select {
	case <-p.ticker.C:
	case <-time.After(inVain):
		t.Error("the renderer has stopped to hurry")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.every != hurry {
		t.Errorf("it is said to look every %v", p.every)
	}
}

// What the user does is drawn at once, a burst of it as well, and then the pace
// is what it was.
func TestAKeyIsDrawnAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pacer{ticker: time.NewTicker(time.Second / 60), fast: time.Second / 60, slow: idlePace}
		defer p.ticker.Stop()
		looked := func(d time.Duration) (n int) {
			end := time.After(d)
			for {
				select {
				case <-p.ticker.C:
					n++
				case <-end:
					return n
				}
			}
		}
		for _, msg := range []tea.Msg{tea.KeyPressMsg{}, tea.MouseWheelMsg{}, tea.KeyPressMsg{}, tea.PasteMsg{}, tea.MouseClickMsg{}} {
			p.saw(msg)
			p.saw(wakeMsg{}) // a storm goes on meanwhile
			if looked(hurry+time.Millisecond/2) == 0 {
				t.Errorf("after %T the renderer does not look", msg)
			}
		}
		looked(hurries)
		if n := looked(time.Second); n < 59 || n > 61 {
			t.Errorf("then it looks %d times a second", n)
		}
		for _, msg := range []tea.Msg{tea.KeyPressMsg{}, tea.WindowSizeMsg{}, resumedMsg{}} {
			p.saw(tickMsg{})
			p.saw(tickMsg{})
			looked(time.Second)
			p.saw(msg)
			if looked(hurry+time.Millisecond/2) == 0 || p.idle {
				t.Errorf("an idle screen does not wake for %T", msg)
			}
		}
	})
}
