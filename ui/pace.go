package ui

import (
	"reflect"
	"sync"
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
	quiet      int // ticks in a row with nothing between them

	mu    sync.Mutex // of the end of a hurry, which is another goroutine's
	idle  bool
	relax *time.Timer   // ends a hurry
	every time.Duration // how often it looks in a hurry; 0: there is none
	turn  int           // the number of the hurry
}

// idlePace is how often an idle screen is looked at: what changes it is a tick,
// and that is drawn at once.
const idlePace = 2 * time.Second

// After what the user does the renderer looks every hurry, for as long as its
// frame may take to be made, and be late on a busy machine. A tick that finds
// the screen idle is in less of a hurry.
const (
	hurry   = 2 * time.Millisecond
	hurries = 17 * time.Millisecond

	tickHurry = 8 * time.Millisecond
	tickTime  = 20 * time.Millisecond
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
	p.mu.Lock()
	defer p.mu.Unlock()
	switch msg.(type) {
	case tickMsg:
		if p.quiet++; p.quiet >= 2 {
			p.idle = true
			p.hasten(tickHurry, tickTime)
		}
	case resumedMsg, tea.WindowSizeMsg: // the renderer may have begun anew, at its own pace
		p.quiet, p.idle, p.every = 0, false, 0
		p.hasten(hurry, hurries)
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseClickMsg, tea.MouseWheelMsg:
		p.quiet, p.idle = 0, false
		p.hasten(hurry, hurries)
	default:
		if p.quiet = 0; p.idle {
			p.idle = false
			p.ticker.Reset(p.fast)
		}
	}
}

// hasten has the renderer look every so often for a while. What comes meanwhile
// does not put off the next look.
func (p *pacer) hasten(every, d time.Duration) {
	if p.every != every {
		p.every = every
		p.ticker.Reset(every)
	}
	if p.relax != nil {
		p.relax.Stop()
	}
	p.turn++
	turn := p.turn
	p.relax = time.AfterFunc(d, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.turn != turn { // it was too late to stop this one
			return
		}
		p.every = 0
		if p.idle {
			p.ticker.Reset(p.slow)
		} else {
			p.ticker.Reset(p.fast)
		}
	})
}
