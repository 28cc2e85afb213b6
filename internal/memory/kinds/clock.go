package kinds

import "time"

// A clock is the time of a stream, by the times of its records. These come a little out of order,
// and some are wrong: of a machine whose clock was not set, or a number that is no time. One in the
// far future would end all intervals, and one that came first would let none end.
type clock struct {
	far   uint64 // seconds; a time further from the one at hand is doubted
	at    int64  // the one at hand
	told  bool   // there was a record
	doubt int    // 1 if the last record was of far later, -1 if of far earlier, else 0
}

// newClock returns a clock that doubts times that are more than a day and two intervals away.
func newClock(r Rule) clock {
	return clock{far: uint64(seconds(max(24*time.Hour, 2*r.Every, 2*r.PassEvery)))}
}

// tell takes the time of a record and returns the time at hand. That does not go back by less than
// what is doubted, and goes further when a second record in a row says so.
func (c *clock) tell(at int64) int64 {
	doubt := 0
	switch {
	case !c.told:
		c.at, c.told = at, true
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
