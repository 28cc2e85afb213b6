package bloomlsh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/windowclock"
)

// An index with Params.ForgetAfter forgets by the times of records, in windows. A record is
// compared with the generations of those windows that its own time reaches back to; they cover
// ForgetAfter and at most one window more. A generation is closed when its window ends
// (windowclock.Clock), and dropped once no record of the current window is compared with it.

// hasClock reports whether the times of records determine when generations are closed.
func (p Params) hasClock() bool { return p.ForgetAfter > 0 }

// windowSeconds returns the length of a window.
func (p Params) windowSeconds() int64 { return windowclock.Seconds(p.ForgetAfter, p.KeepGenerations) }

// maxDoublings limits how much larger the generations of a window become.
const maxDoublings = 30

// doubled returns the geometry of the first generation of a window, doubled the given number of
// times.
func (p Params) doubled(times int) geometry {
	p = p.complete()
	first := planGeneration(p, 0)
	larger := geometry{capacity: multiply(first.capacity, math.Ldexp(1, times)), filter: p.Filter, bands: p.Bands}
	return p.shape(larger, p.bandRate(0))
}

// dueInWindow returns the geometry of the next generation of the current window. The first one
// holds the planned number of records. If there are more, each further generation is twice as large
// as the one before, since every record is looked up in all of them. All have the same
// false-positive rate, so fewer generations err less often.
func (h *history) dueInWindow() geometry {
	due := h.params.doubled(0)
	if last := h.current(); last.window == h.clock.Window {
		for times := 1; due.capacity <= last.capacity && times <= maxDoublings; times++ {
			due = h.params.doubled(times)
		}
	}
	return due
}

// openWindow drops generations that are too old for the current window, and opens a generation for
// it.
func (h *history) openWindow() error {
	now := h.clock.Window
	if h.current().window == windowclock.None {
		for _, g := range h.generations {
			g.window = now
		}
		return nil
	}
	isOutdated := func() bool {
		return h.generations[0].window < windowclock.Oldest(now, h.params.KeepGenerations)
	}
	for isOutdated() && len(h.generations) > 1 {
		if err := h.drop(); err != nil {
			return err
		}
	}
	if err := h.openGeneration(); err != nil || !isOutdated() {
		return err
	}
	return h.drop() // only now, since there must always be a generation
}

// beginOf returns the second in which the window of a generation begins, or 0 if it has none.
func (h *history) beginOf(g *generation) int64 {
	if g.window == windowclock.None {
		return 0
	}
	return g.window * h.params.windowSeconds()
}

// times is the state of the clock at a commit.
type times struct {
	windowclock.Clock
	forgotten int     // number of forgotten generations
	windows   []int64 // windows of the generations after these
}

// times returns nil if the index has no clock, or the clock has not been told of any record.
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

// restoreTimes restores the clock from a commit. The generations must have been restored.
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

// check compares the clock of a commit with the index: with the number of observed records, and the
// numbers of forgotten and remembered generations.
func (t *times) check(p Params, observed uint64, forgotten, remembered int) error {
	switch {
	case (t != nil) != (p.hasClock() && observed > 0):
		return errors.New("the last commit has times, and the parameters have none, or the reverse")
	case t == nil:
		return nil
	case slices.ContainsFunc(t.Early, func(e windowclock.Early) bool {
		return len(e.Sketch) != 0 && len(e.Sketch) != 2*p.Bands || e.Window <= t.Window
	}):
		return errors.New("the last commit has early records that cannot be")
	case t.forgotten != forgotten || len(t.windows) != remembered:
		return fmt.Errorf("the last commit claims generations %d to %d", t.forgotten+1, t.forgotten+len(t.windows))
	}
	return nil
}

// maxWindows limits the generations of an index with a clock, and so the length of a commit.
const maxWindows = 4096

const (
	// timeCounts is the number of integers before the windows in an encoded times.
	timeCounts = 5
	// earlyCounts is the number of integers before the keys of an early record.
	earlyCounts = 4
)

func (t *times) append(b []byte) []byte {
	if t == nil {
		return b
	}
	b = appendNumbers(b, uint64(t.Window), 0, 0, uint64(t.forgotten), uint64(len(t.windows)))
	for _, window := range t.windows {
		b = appendNumbers(b, uint64(window))
	}
	if len(t.Early) == 0 {
		return b
	}
	b = appendNumbers(b, uint64(len(t.Early)))
	for _, e := range t.Early {
		b = appendNumbers(b, uint64(e.Window), uint64(e.Against), uint64(e.Latest), uint64(len(e.Sketch)))
		b = appendNumbers(b, e.Sketch...)
	}
	return b
}

// decodeTimes is the inverse of append. Where early records are now, older versions stored a count
// and a window, which no longer mean anything.
func decodeTimes(b []byte) (*times, error) {
	if len(b) == 0 {
		return nil, nil
	}
	n := make([]int64, len(b)/8)
	_, _ = binary.Decode(b[:8*len(n)], binary.LittleEndian, n)
	wrong := fmt.Errorf("%d bytes after the opaque data of a commit, which are no times", len(b))
	if len(n) <= timeCounts || n[1] < 0 || n[1] >= windowclock.Believed || n[3] < 0 || n[3] > math.MaxInt32 ||
		n[4] < 1 || n[4] > maxWindows || n[4] > int64(len(n)-timeCounts) {
		return nil, wrong
	}
	t := &times{windowclock.Clock{Window: n[0]}, int(n[3]), n[timeCounts:][:n[4]:n[4]]}
	var ok bool
	if t.Early, ok = decodeEarly(n[timeCounts+n[4]:]); !ok {
		return nil, wrong
	}
	return t, nil
}

// decodeEarly decodes early records. Nothing may follow them.
func decodeEarly(n []int64) (all []windowclock.Early, ok bool) {
	if len(n) == 0 {
		return nil, true
	}
	count := n[0]
	if n = n[1:]; count < 1 || count >= windowclock.Believed {
		return nil, false
	}
	for range count {
		if len(n) < earlyCounts || n[1] < 0 || n[1] >= windowclock.Doubted || n[3] < 0 ||
			n[3] > min(2*maxEarlyBands, int64(len(n)-earlyCounts)) {
			return nil, false
		}
		e := windowclock.Early{Window: n[0], Against: int(n[1]), Latest: n[2]}
		for _, word := range n[earlyCounts:][:n[3]] {
			e.Sketch = append(e.Sketch, uint64(word))
		}
		all, n = append(all, e), n[earlyCounts+n[3]:]
	}
	return all, len(n) == 0
}
