// Package windowclock decides, by the times of records, when a window of time ends. Memories that
// forget by time are divided into windows, which are dropped as a whole.
//
// # What a memory promises
//
// Nothing younger than AGE is forgotten, and nothing older than AGE and one window is remembered. A
// window is a fraction of AGE, so a record of window w is compared with windows from w-(keep-1) on
// (Oldest), which together with w cover at least AGE and at most AGE and a window.
//
// The times of a stream are in order, except for a few wrong ones. A time far ahead is either wrong
// or the first after a pause, and only the records that follow can tell. So the record is judged by
// its own time at once, and the window that it belongs to is decided later (Clock).
package windowclock

import (
	"math"
	"slices"
	"time"
)

// A Clock tracks the current window: that of the records that others have confirmed. A record of a
// later window is early. A memory keeps its sketch, with the window that its time names. Each
// record that follows agrees or disagrees:
//
//   - If Doubted more of them name an earlier window than do not, its time was wrong, and it
//     belongs to the window that they name.
//   - If Believed records are early, the current window becomes the first one that they name, or a
//     later one if at least half of them belong to that or later windows, and it remembers none of
//     the others.
//
// So a wrong time causes nothing to be forgotten, and in a stream of one record a month each
// belongs to its month. The clock depends only on the order of records.
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
	// Believed is the number of early records that make a later window the current one. If one in a
	// hundred times is wrong, the wrong ones alone do so less than once in 10²⁰ records.
	Believed = 16

	// Doubted is the number of records that must disagree with an early one, beyond those that
	// agree.
	Doubted = 3
)

// None is the window before the first record.
const None = math.MinInt64

// IsEarly reports whether a record of a window is early. A record of an earlier window than the
// current one is late, or its time is wrong; it belongs to the current window.
func (c *Clock) IsEarly(window int64) bool { return window > c.Window }

// Reach returns the oldest window that an early record of the given window is compared with, if
// keep windows are remembered. A record that is not early is compared with all windows, for which
// Reach returns None.
func (c *Clock) Reach(window int64, keep int) int64 {
	if !c.IsEarly(window) {
		return None
	}
	return Oldest(window, keep)
}

// Pass takes a record that is not early. It returns the early records that it has proved wrong,
// which belong to the current window.
func (c *Clock) Pass(window int64) (settled []Early) {
	if len(c.Early) == 0 {
		return nil
	}
	c.hear(window)
	return c.settle()
}

// Advance takes an early record. It returns the records that belong to the current window from now
// on, without those that a memory of keep windows then forgets. begins reports whether that window
// is new.
func (c *Clock) Advance(next Early, keep int) (settled []Early, begins bool) {
	c.hear(next.Window)
	if c.Early = append(c.Early, next); len(c.Early) < Believed {
		return c.settle(), false
	}
	c.Window = c.nextWindow(keep)
	oldest := Oldest(c.Window, keep)
	return slices.DeleteFunc(c.settle(), func(e Early) bool { return e.Window < oldest }), true
}

// nextWindow returns the window that becomes the current one.
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

// hear tells the early records which window the next record belongs to. It copies c.Early, since
// commits share it.
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

// settle removes and returns the records that are no longer early.
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

// Seconds returns the length of a window if keep windows, two or more, are remembered: all but the
// current one together are as long as age.
func Seconds(age time.Duration, keep int) int64 {
	seconds, others := int64(age/time.Second), int64(keep-1)
	return (seconds + others - 1) / others
}

// Of returns the window that contains a second, if windows have the given length in seconds.
func Of(second, length int64) int64 {
	window := second / length
	if second%length < 0 {
		window--
	}
	return window
}

// Oldest returns the oldest window that a record of the given window is compared with, if keep
// windows are remembered.
func Oldest(window int64, keep int) int64 {
	if window < math.MinInt64+int64(keep) {
		return math.MinInt64 + 1
	}
	return window - int64(keep-1)
}
