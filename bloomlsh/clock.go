package bloomlsh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// An index with Params.ForgetAfter goes by the times of the records, in windows: a generation is
// closed when its window is over, and dropped when all of the window is older than that. A record
// is compared with all of ForgetAfter before it, since the windows of all generations but the
// current one are as long as that together.

// hasClock reports whether generations are closed by the times of records.
func (p Params) hasClock() bool { return p.ForgetAfter > 0 }

// windowSeconds is the length of a window.
func (p Params) windowSeconds() int64 { return windowclock.Seconds(p.ForgetAfter, p.KeepGenerations) }

// outdated reports whether a generation of a window is dropped when another one begins.
func (p Params) outdated(window, now int64) bool {
	return windowclock.IsOutdated(window, now, p.KeepGenerations)
}

// maxDoublings bounds how much larger generations of a window become.
const maxDoublings = 30

// doubled returns a geometry with space for more records: that of the first generation of a window,
// doubled repeatedly.
func (p Params) doubled(times int) geometry {
	p = p.complete()
	first := planGeneration(p, 0)
	larger := geometry{capacity: multiply(first.capacity, math.Ldexp(1, times)), filter: p.Filter, bands: p.Bands}
	return p.shape(larger, p.bandRate(0))
}

// dueInWindow returns the geometry of the next generation of the current window. The first one
// holds what was planned for. If more comes, each further one is twice as large, since every record
// is looked up in all of them. Their rates are equal, so fewer generations err less often.
func (h *history) dueInWindow() geometry {
	due := h.params.doubled(0)
	if last := h.current(); last.window == h.clock.Window {
		for times := 1; due.capacity <= last.capacity && times <= maxDoublings; times++ {
			due = h.params.doubled(times)
		}
	}
	return due
}

// advance takes the time of the record that comes next, in seconds, and reports whether the index
// is to enter a window before it.
func (h *history) advance(second int64) bool {
	return h.clock.Advance(windowclock.Of(second, h.params.windowSeconds()))
}

// openWindow drops what is too old for the window of the clock, and opens a generation for it.
func (h *history) openWindow() error {
	now := h.clock.Window
	if h.current().window == windowclock.None {
		for _, g := range h.generations {
			g.window = now
		}
		return nil
	}
	for h.params.outdated(h.generations[0].window, now) && len(h.generations) > 1 {
		if err := h.drop(); err != nil {
			return err
		}
	}
	return h.openGeneration()
}

// since is the second in which the window of a generation begins; 0 if it has none.
func (h *history) since(g *generation) int64 {
	if g.window == windowclock.None {
		return 0
	}
	return g.window * h.params.windowSeconds()
}

// times are the state of the clock at a commit.
type times struct {
	windowclock.Clock
	forgotten int     // generations
	windows   []int64 // of the generations after these
}

// times are nil if the index has no clock, or no record has been told.
func (x *Index) times() *times {
	if !x.params.hasClock() || x.observed == 0 {
		return nil
	}
	t := &times{Clock: x.clock, forgotten: x.forgotten}
	for _, g := range x.generations {
		t.windows = append(t.windows, g.window)
	}
	return t
}

// restoreTimes takes up the clock of a commit, whose generations are there.
func (x *Index) restoreTimes(t *times) error {
	if err := t.check(x.params, x.observed, x.forgotten, len(x.generations)); err != nil || t == nil {
		return err
	}
	x.clock = t.Clock
	for i, g := range x.generations {
		g.window = t.windows[i]
	}
	return nil
}

// check compares the clock of a commit with the index: the number of observed records, and how many
// generations are forgotten and remembered.
func (t *times) check(p Params, observed uint64, forgotten, remembered int) error {
	switch {
	case (t != nil) != (p.hasClock() && observed > 0):
		return errors.New("the last commit has times, and the parameters have none, or the reverse")
	case t == nil:
		return nil
	case t.forgotten != forgotten || len(t.windows) != remembered:
		return fmt.Errorf("the last commit claims generations %d to %d", t.forgotten+1, t.forgotten+len(t.windows))
	}
	return nil
}

// maxWindows bounds the generations of an index with a clock, and so the length of a commit.
const maxWindows = 4096

// timeCounts are the numbers of times before the windows.
const timeCounts = 5

func (t *times) append(b []byte) []byte {
	if t == nil {
		return b
	}
	b = appendNumbers(b, uint64(t.Window), t.Ahead, uint64(t.Next), uint64(t.forgotten), uint64(len(t.windows)))
	for _, window := range t.windows {
		b = appendNumbers(b, uint64(window))
	}
	return b
}

// decodeTimes is the inverse of append.
func decodeTimes(b []byte) (*times, error) {
	if len(b) == 0 {
		return nil, nil
	}
	n := make([]int64, len(b)/8)
	_, _ = binary.Decode(b[:8*len(n)], binary.LittleEndian, n)
	if len(n) <= timeCounts || len(n)-timeCounts > maxWindows || n[4] != int64(len(n)-timeCounts) || n[3] < 0 ||
		n[1] < 0 || n[1] >= windowclock.Believed || n[3] > math.MaxInt32 {
		return nil, fmt.Errorf("%d bytes after the opaque data of a commit, which are no times", len(b))
	}
	return &times{windowclock.Clock{Window: n[0], Ahead: uint64(n[1]), Next: n[2]}, int(n[3]), n[timeCounts:]}, nil
}
