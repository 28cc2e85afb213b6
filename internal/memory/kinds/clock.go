package kinds

import "time"

// A clock tracks the time of a stream by the times of its records. These come slightly out of
// order, and some are wrong: from a machine whose clock was not set, or from a number that is not a
// time. A single time in the far future must not end all intervals, and a wrong first one must not
// keep any from ending.
type clock struct {
	far     uint64 // seconds; a time further away from the current one is doubted
	at      int64  // the current time
	started bool   // whether there was a record
	doubt   int    // 1 if the last record was far later, -1 if it was far earlier, else 0
}

// newClock returns a clock that doubts times more than a day and two intervals away.
func newClock(r Rule) clock {
	return clock{far: uint64(seconds(max(24*time.Hour, 2*r.Every, 2*r.PassEvery)))}
}

// advance takes the time of a record and returns the current time. It does not go back, except that
// a second doubtful record in a row is believed.
func (c *clock) advance(at int64) int64 {
	doubt := 0
	switch {
	case !c.started:
		c.at, c.started = at, true
	case at > c.at && uint64(at)-uint64(c.at) > c.far:
		doubt = 1
	case at < c.at && uint64(c.at)-uint64(at) > c.far:
		doubt = -1
	default:
		c.at = max(c.at, at)
	}
	if doubt != 0 && doubt == c.doubt {
		c.at, doubt = at, 0
	}
	c.doubt = doubt
	return c.at
}
