package ui

import (
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// pacer slows the renderer down while nothing happens, and hurries it when the
// user does something. Bubble Tea's looks for a new frame at one pace for as long
// as the program runs: at 60 times a second a key waits 8 ms for its frame, twice
// that at worst, and looking alone takes 1 to 3 % of a processor. It has no call
// for this (v2.1), so its ticker is taken from it; of a version that keeps it
// elsewhere there is none, and the pace stays what it is.
type pacer struct {
	ticker     *time.Ticker
	fast, slow time.Duration
	idle       bool
	quiet      int         // ticks in a row with nothing between them
	relax      *time.Timer // ends a hurry
}

// idlePace is how often an idle screen is drawn at most: its clock has seconds.
const idlePace = 100 * time.Millisecond

// After what the user does the renderer looks every hurry, for as long as its
// frame may take to be made, and be late on a busy machine.
const (
	hurry   = 2 * time.Millisecond
	hurries = 17 * time.Millisecond
)

// rendererTicker is the ticker of a running program's renderer, nil if it cannot
// be found.
func rendererTicker(p *tea.Program) *time.Ticker {
	f := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !f.IsValid() || f.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return *(**time.Ticker)(unsafe.Pointer(f.UnsafeAddr()))
}

// saw takes in a message: what is no tick wakes the renderer.
func (p *pacer) saw(msg tea.Msg) {
	if p.ticker == nil {
		return
	}
	switch msg.(type) {
	case tickMsg:
		if p.quiet++; p.quiet >= 2 && !p.idle {
			p.idle = true
			p.ticker.Reset(p.slow)
		}
	case resumedMsg, tea.WindowSizeMsg: // the renderer may have begun anew, at its own pace
		p.quiet, p.idle = 0, false
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		if p.quiet, p.idle = 0, false; p.relax == nil || !p.relax.Stop() {
			p.ticker.Reset(hurry)
		}
		p.relax = time.AfterFunc(hurries, func() { p.ticker.Reset(p.fast) })
	default:
		if p.quiet = 0; p.idle {
			p.idle = false
			p.ticker.Reset(p.fast)
		}
	}
}
