package files

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// ProgressInterval is the time from one line of progress to the next.
const ProgressInterval = 500 * time.Millisecond

// A Meter shows on a terminal how much of some work is done, and how long the rest may take.
type Meter struct {
	done    string   // follows the percentage, such as "searched"
	out     *os.File // nil if nothing is shown
	started time.Time
	shown   time.Time
}

// NewMeter returns a meter. It shows nothing if out is not a terminal, or quiet is set.
func NewMeter(done string, out *os.File, quiet bool) *Meter {
	m := &Meter{done: done, started: time.Now()}
	if !quiet && term.IsTerminal(int(out.Fd())) {
		m.out = out
	}
	return m
}

func (m *Meter) Show(fraction float64) {
	now := time.Now()
	if m.out == nil || fraction <= 0 || now.Sub(m.shown) < ProgressInterval {
		return
	}
	m.shown = now
	left := time.Duration(float64(now.Sub(m.started)) * (1 - fraction) / fraction)
	parts := []Part{
		{fmt.Sprintf("%.0f %% %s", 100*fraction, m.done), 0},
		{fmt.Sprintf("about %s left", left.Round(time.Second)), 1},
	}
	fmt.Fprintf(m.out, "\r%s\x1b[K", Fit(parts, TerminalWidth(m.out)))
}

func (m *Meter) Clear() {
	if m.out != nil && !m.shown.IsZero() {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}
