package timestamp

import (
	"bytes"
	"strconv"
	"time"
)

// A Stamp is the time at which a line says that it was made.
type Stamp struct {
	Second     int64 // since 1970; without a year, since the beginning of the day
	month, day int8  // without a year
	Kind       Kind
}

// A Kind is how much of a time is written.
type Kind uint8

// Kinds of stamps.
const (
	None Kind = iota // no time
	WithYear
	WithoutYear
)

const (
	// stampReach is how far into a line a stamp may begin: behind a name of a host, an address of
	// IPv6 and a user.
	stampReach = 64

	// FirstYear and LastYear are the years of stamps. A year outside them is no time.
	FirstYear, LastYear = 1970, 2099
	// Seconds of stamps that are numbers, from 2001 to 2099: others have not ten digits, or may be
	// anything.
	firstEpoch, lastEpoch = 1_000_000_000, 4_102_444_799
)

// Find finds the first time in the beginning of a line. It begins a word, and has a time of day.
func Find(line []byte) Stamp {
	words := 0 // that stand before, as spaces divide them
	for i := 0; i < min(len(line), stampReach); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			if i > 0 && line[i-1] != ' ' && line[i-1] != '\t' {
				words++
			}
		case c == '\x1b': // what colours the text on a terminal
			if end := bytes.IndexByte(line[i:min(len(line), i+stampReach)], 'm'); end > 0 {
				i += end
				if s := stampAt(line[i+1:], words); s.Kind != None {
					return s
				}
			}
		case mayBegin(line[i:]) && (i == 0 || opens(line[i-1])):
			if s := stampAt(line[i:], words); s.Kind != None {
				return s
			}
		}
	}
	return Stamp{}
}

// opens reports whether a word begins behind this byte.
func opens(c byte) bool {
	switch c {
	case ' ', '\t', '[', '(', '<', '>', '{', '"', '\'', '=', '|', ',', ';', '*':
		return true
	}
	return false
}

// mayBegin reports whether a time may begin here: with a digit, the name of a month or a weekday,
// or as those of Kubernetes.
func mayBegin(text []byte) bool {
	if !isLetter(text[0]) {
		return isDigit(text[0])
	}
	return len(text) > 3 && (text[3] == ' ' || text[3] == ',' || isDigit(text[1]))
}

// stampAt reads the time at the beginning of a word. Forms that are numbers alone are times at the
// beginning of a line only.
func stampAt(text []byte, words int) Stamp {
	r := momentReader{text: text}
	n := r.digits()
	if second, ok := epoch(text, n); ok && words <= 1 {
		return Stamp{Second: second, Kind: WithYear}
	}
	if (n == 6 || n == 14) && words > 0 {
		return Stamp{}
	}
	m, end := readMoment(text)
	switch {
	case end == 0 || !m.hasClock:
		return Stamp{}
	case m.year == noYear:
		return Stamp{int64(m.second - m.zone), int8(m.month), int8(m.day), WithoutYear}
	case m.year < FirstYear || m.year > LastYear:
		return Stamp{}
	}
	return Stamp{Second: m.unix(), Kind: WithYear}
}

// epoch reads a number of seconds, or of milli-, micro- or nanoseconds, with that many digits.
func epoch(text []byte, digits int) (second int64, ok bool) {
	if digits != 10 && digits != 13 && digits != 16 && digits != 19 {
		return 0, false
	}
	end := digits
	if digits == 10 && end+1 < len(text) && text[end] == '.' && isDigit(text[end+1]) {
		for end++; end < len(text) && isDigit(text[end]); end++ {
		}
	}
	if end < len(text) && bytes.IndexByte([]byte(" \t\r,;:|)]}\"'"), text[end]) < 0 {
		return 0, false
	}
	second, err := strconv.ParseInt(string(text[:10]), 10, 64)
	return second, err == nil && second >= firstEpoch && second <= lastEpoch
}

// In is the second of a stamp without a year in that year.
func (s Stamp) In(year int) int64 {
	return moment{year: year, month: int(s.month), day: int(s.day), second: int(s.Second)}.unix()
}

// Nearest is the second of a stamp without a year in the year in which that is nearest to a time,
// the earlier of two.
func (s Stamp) Nearest(to int64) int64 {
	year := time.Unix(to, 0).UTC().Year()
	best := s.In(year - 1)
	for _, second := range []int64{s.In(year), s.In(year + 1)} {
		if distance(second, to) < distance(best, to) {
			best = second
		}
	}
	return best
}

func distance(a, b int64) int64 { return max(a-b, b-a) }
