package command

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"
)

// progressInterval is the time from one line of progress to the next.
const progressInterval = 500 * time.Millisecond

// A meter shows on a terminal how much of some work is done, and how long the rest may take.
type meter struct {
	done    string   // what is said of the part that is done
	out     *os.File // nil where there is no terminal
	started time.Time
	shown   time.Time
}

// newMeter returns a meter that shows nothing where there is no terminal.
func newMeter(done string, out *os.File, quiet bool) *meter {
	m := &meter{done: done, started: time.Now()}
	if !quiet && term.IsTerminal(int(out.Fd())) {
		m.out = out
	}
	return m
}

func (m *meter) show(fraction float64) {
	now := time.Now()
	if m.out == nil || fraction <= 0 || now.Sub(m.shown) < progressInterval {
		return
	}
	m.shown = now
	left := time.Duration(float64(now.Sub(m.started)) * (1 - fraction) / fraction)
	parts := []part{
		{fmt.Sprintf("%.0f %% %s", 100*fraction, m.done), 0},
		{fmt.Sprintf("about %s left", left.Round(time.Second)), 1},
	}
	fmt.Fprintf(m.out, "\r%s\x1b[K", fit(parts, terminalWidth(m.out)))
}

func (m *meter) clear() {
	if m.out != nil && !m.shown.IsZero() {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}
