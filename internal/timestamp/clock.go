package timestamp

// A Clock is the time of the last line that has one, of lines that come in their order. The zero
// Clock has seen none.
type Clock struct {
	second  int64
	isKnown bool
}

// NewClock returns a clock that goes on after a time in seconds since 1970, unless that is nil.
func NewClock(last *int64) Clock {
	if last == nil {
		return Clock{}
	}
	return Clock{*last, true}
}

// Now returns the time of the last line, in seconds since 1970. ok is false if no line had one.
func (c *Clock) Now() (second int64, ok bool) { return c.second, c.isKnown }

// Advance moves on to the next line, in which s was found, and returns its time as Now does. A line
// without a time has that of the line before. A time without a year is in the year that puts it
// nearest to the line before; that of the first line is in firstYear, or LeapYear if that is 0.
func (c *Clock) Advance(s Stamp, firstYear int) (second int64, ok bool) {
	switch {
	case s.Kind == None:
		return c.second, c.isKnown
	case s.Kind == WithYear:
		c.second = s.Second
	case c.isKnown:
		c.second = s.Nearest(c.second)
	case firstYear == 0:
		c.second = s.In(LeapYear)
	default:
		c.second = s.In(firstYear)
	}
	c.isKnown = true
	return c.second, true
}
