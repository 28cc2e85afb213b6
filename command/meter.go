package command

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// A meter shows on a terminal how much of some work is done, and how long the rest may take.
type meter struct {
	out     io.Writer
	started time.Time
	shown   time.Time
}

// newMeter returns a meter that shows nothing where there is no terminal.
func newMeter(out *os.File, quiet bool) *meter {
	m := &meter{started: time.Now()}
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
	fmt.Fprintf(m.out, "\r%.0f %% searched, about %s left\x1b[K", 100*fraction, left.Round(time.Second))
}

func (m *meter) clear() {
	if m.out != nil && !m.shown.IsZero() {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}
