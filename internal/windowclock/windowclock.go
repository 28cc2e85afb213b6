// Package windowclock says when a window of time ends, by the times of records. What forgets by
// time is divided into windows, which are dropped as a whole.
package windowclock

import (
	"math"
	"time"
)

// A Clock knows which window it is. Records come out of order, and some have wrong times, of which
// one in the far future would have everything forgotten. So it is a later window when most of the
// last records say so: it counts up for each that is of a later one, and down for each that is not.
type Clock struct {
	Window int64  `json:"window"` // at hand
	Ahead  uint64 `json:"ahead"`  // below Believed
	Next   int64  `json:"next"`   // the first one that records were of since Ahead was 0
}

// Believed is by how many more records a later window must be named. If a quarter of all times are
// wrong, they reach it once in some 40 million records.
const Believed = 16

// None is the window before the clock has one.
const None = math.MinInt64

// Tell takes the window of a record and reports whether a later one than before begins with it.
func (c *Clock) Tell(window int64) (begins bool) {
	switch {
	case c.Window == None && c.Ahead > 0 && window != c.Next:
		c.Ahead-- // at first no window is too early to be wrong: it is the one that most records name
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

// Seconds is the length of a window of which so many are remembered, two or more: all but the one
// at hand are as long as an age together.
func Seconds(age time.Duration, keep int) int64 {
	seconds, others := int64(age/time.Second), int64(keep-1)
	return (seconds + others - 1) / others
}

// Of is the window of a time in seconds, where each has that length.
func Of(second, length int64) int64 {
	window := second / length
	if second%length < 0 {
		window--
	}
	return window
}

// IsOutdated reports whether a window is dropped when another one begins, of which so many are
// remembered.
func IsOutdated(window, now int64, keep int) bool { return window < now-int64(keep-1) }
