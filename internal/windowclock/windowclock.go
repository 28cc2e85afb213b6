// Package windowclock decides, by the times of records, when a window of time ends. Memories that
// forget by time are divided into windows, which are dropped as a whole.
//
// # What a memory promises
//
// Nothing that is younger than AGE is forgotten, and nothing older than AGE and one window is
// remembered. A window is a fraction of AGE, so a record of window w is compared with windows from
// w-(keep-1) on (Oldest), which together with w cover at least AGE and at most AGE and a window.
//
// The times of a stream are in order, but for a few wrong ones. A time far ahead is either wrong,
// or the first after a pause, and nothing but the records that follow can tell. So the record is
// judged by its own time at once, and where it belongs is decided later (Clock).
package windowclock

import (
	"math"
	"slices"
	"time"
)

// A Clock tracks the current window: that of the records that others have confirmed. A record of a
// later window is early. Whoever remembers it keeps its sketch too, with the window that it names.
// Each record that follows agrees or disagrees:
//
//   - If Doubted more of them name an earlier window than do not, its time was wrong, and it
//     belongs to the window that they name.
//   - If Believed records are early, the current window becomes the first of those that they name,
//     or a later one, if half of them are of it and later ones, and none of the others is
//     remembered in it.
//
// So a wrong time forgets nothing, and in a stream of one record a month each belongs to its month.
// The clock depends on the order of records alone.
type Clock struct {
	Window int64   `json:"window"`          // the current window
	Early  []Early `json:"early,omitempty"` // in the order in which they came, fewer than Believed
}

// An Early record is of a later window than the current one.
type Early struct {
	Window  int64    `json:"window"`
	Against int      `json:"against,omitempty"` // records that named an earlier window, less those that did not
	Latest  int64    `json:"latest,omitempty"`  // the latest window that those against it named
	Record  uint64   `json:"record,omitempty"`  // its number, where records have one
	Sketch  []uint64 `json:"sketch,omitempty"`
}

const (
	// Believed is how many early records make a later window the current one. If one in a hundred
	// times is wrong, the wrong ones alone do so less than once in 10²⁰ records.
	Believed = 16

	// Doubted is how many records must disagree with an early one, beyond those that agree.
	Doubted = 3
)

// None is the window before the first record.
const None = math.MinInt64

// IsEarly reports whether a record of a window is early. One of an earlier window than the current
// one is late, or its time is wrong: it belongs to the current window.
func (c *Clock) IsEarly(window int64) bool { return window > c.Window }

// Reach returns the oldest window that a record of a window is compared with, where keep windows
// are remembered, if the record is early; otherwise it is compared with all, and Reach returns
// None.
func (c *Clock) Reach(window int64, keep int) int64 {
	if !c.IsEarly(window) {
		return None
	}
	return Oldest(window, keep)
}

// Pass passes a record that is not early. It returns the early records that it has proved wrong:
// they belong to the current window.
func (c *Clock) Pass(window int64) (settled []Early) {
	if len(c.Early) == 0 {
		return nil
	}
	c.hear(window)
	return c.settle()
}

// Advance passes an early record. It returns the records that belong to the current window from now
// on, without those that a memory of keep windows then forgets. begins reports whether that is a
// new window.
func (c *Clock) Advance(next Early, keep int) (settled []Early, begins bool) {
	c.hear(next.Window)
	if c.Early = append(c.Early, next); len(c.Early) < Believed {
		return c.settle(), false
	}
	c.Window = c.nextWindow(keep)
	oldest := Oldest(c.Window, keep)
	return slices.DeleteFunc(c.settle(), func(e Early) bool { return e.Window < oldest }), true
}

// nextWindow returns the window that begins.
func (c *Clock) nextWindow(keep int) int64 {
	var windows []int64
	for _, e := range c.Early {
		windows = append(windows, e.Window)
	}
	slices.Sort(windows)
	next := windows[0]
	for i := 1; i <= len(windows)/2; i++ {
		if windows[i-1] < Oldest(windows[i], keep) {
			next = windows[i]
		}
	}
	return next
}

// hear tells the early records which window the next record belongs to. Commits share c.Early, so
// it is copied.
func (c *Clock) hear(window int64) {
	c.Early = slices.Clone(c.Early)
	for i := range c.Early {
		e := &c.Early[i]
		if window >= e.Window {
			e.Against = max(0, e.Against-1)
			continue
		}
		if e.Latest = max(e.Latest, window); e.Against == 0 {
			e.Latest = window
		}
		if e.Against++; e.Against == Doubted {
			e.Window, e.Against = e.Latest, 0
		}
	}
}

// settle removes the records that are early no longer.
func (c *Clock) settle() (settled []Early) {
	var rest []Early
	for _, e := range c.Early {
		if c.IsEarly(e.Window) {
			rest = append(rest, e)
		} else {
			settled = append(settled, e)
		}
	}
	c.Early = rest
	return settled
}

// Seconds returns the length of a window if keep of them, two or more, are remembered: all but the
// current one together are as long as age.
func Seconds(age time.Duration, keep int) int64 {
	seconds, others := int64(age/time.Second), int64(keep-1)
	return (seconds + others - 1) / others
}

// Of returns the window of a time, both in seconds, for windows of a length.
func Of(second, length int64) int64 {
	window := second / length
	if second%length < 0 {
		window--
	}
	return window
}

// Oldest returns the oldest window that a record of a window is compared with, where keep windows
// are remembered.
func Oldest(window int64, keep int) int64 {
	if window < math.MinInt64+int64(keep) {
		return math.MinInt64 + 1
	}
	return window - int64(keep-1)
}
