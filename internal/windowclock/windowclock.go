// Package windowclock decides, by the times of records, when a window of time ends. Memories that
// forget by time are divided into windows, which are dropped as a whole.
package windowclock

import (
	"math"
	"time"
)

// A Clock tracks the current window. Records come out of order, and some have wrong times; a single
// one in the far future must not make everything forgotten. So the window advances only when most
// recent records agree: a counter goes up for each record of a later window, and down for each
// other one.
type Clock struct {
	Window int64  `json:"window"` // the current window
	Ahead  uint64 `json:"ahead"`  // the counter, below Believed
	Next   int64  `json:"next"`   // the first later window since Ahead was 0
}

// Believed is the value of the counter at which a later window begins. If a quarter of all times
// are wrong, they reach it once in some 40 million records.
const Believed = 16

// None is the window before the first record.
const None = math.MinInt64

// Advance passes the window of a record, and reports whether a later window begins with it.
func (c *Clock) Advance(window int64) (begins bool) {
	switch {
	case c.Window == None && c.Ahead > 0 && window != c.Next:
		// initially any window may be wrong, even an early one: the most frequent one wins
		c.Ahead--
	case window > c.Window:
		if c.Ahead == 0 || window < c.Next {
			c.Next = window
		}
		c.Ahead++
	case c.Ahead > 0:
		c.Ahead--
	}
	if c.Ahead < Believed {
		return false
	}
	c.Window, c.Ahead = c.Next, 0
	return true
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

// IsOutdated reports whether a window is dropped when window now begins and keep are remembered.
func IsOutdated(window, now int64, keep int) bool { return window < now-int64(keep-1) }
