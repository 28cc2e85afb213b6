package timestamp

import (
	"bytes"
	"math"
	"strconv"
)

// Parse returns the seconds from 1970 to a time that is all of a text:
//
//   - a date with a year, alone or with a time of day, in a form of lines of logs (Find), such as
//     RFC 3339 and RFC 822;
//   - digits: 2024, 20240501, 202405011230, the 14 of CDX files and the 17 of others with
//     milliseconds; from 2000 to 2049 the number of a day from 1970;
//   - a number of seconds, from 10¹¹ on of milliseconds, from 10¹⁴ on of microseconds, from 10¹⁷ on
//     of nanoseconds.
//
// A time without a zone is UTC. Other numbers that would be seconds of 1970 or 1971 may mean
// anything, and are no times.
func Parse(text []byte) (second int64, ok bool) {
	text = bytes.TrimSpace(text)
	if second, isKnown, ok := parseDigits(text); isKnown {
		return second, ok
	}
	if bytes.IndexByte(text, ':') < 0 { // else it is no number, which takes longer to find out
		if n, err := strconv.ParseFloat(string(text), 64); err == nil {
			return secondsOf(n)
		}
	}
	second, _, ok = ParseDate(text)
	return second, ok
}

// ParseDate is Parse for times that are not written as numbers. It also returns the nanoseconds
// beyond the second.
func ParseDate(text []byte) (second int64, nano int, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || isDigits(text) {
		return 0, 0, false
	}
	m, end := readMoment(text)
	if end == 0 || end < len(text) || m.year == noYear {
		return 0, 0, false
	}
	return m.unix(), m.nano, true
}

// Days from 1970 to the beginnings of 2000 and 2050. As many days from 1900, as spreadsheets count
// them, end in 1979.
const firstDay, lastDay = 10_957, 29_219

// parseDigits reads digits that are a date, or too few for seconds. isKnown is false for others.
func parseDigits(text []byte) (second int64, isKnown, ok bool) {
	if !isDigits(text) {
		return 0, false, false
	}
	switch len(text) {
	case len("20240501123000"), len("20240501123000123"):
		second, ok = digitMoment(text[:len("20240501123000")])
		return second, ok, ok
	case len("202405011230"):
		second, ok = digitMoment(append(bytes.Clone(text), "00"...))
		return second, ok, ok
	case len("20240501"):
		second, ok = digitMoment(append(bytes.Clone(text), "000000"...))
		_, end := readMoment(text) // a day of another year may be seconds too
		return second, end > 0, ok
	case len("2024"):
		second, ok = digitMoment(append(bytes.Clone(text), "0101000000"...))
	case len("19844"):
		n, _ := strconv.ParseInt(string(text), 10, 64) // they are digits
		second, ok = n*24*60*60, n >= firstDay && n < lastDay
	}
	return second, len(text) < len("20240501"), ok
}

// digitMoment reads the 14 digits of a moment in the years that are likely.
func digitMoment(digits []byte) (second int64, ok bool) {
	if string(digits[:4]) < "1900" || string(digits[:4]) > strconv.Itoa(LastYear) {
		return 0, false
	}
	m, end := readMoment(digits)
	return m.unix(), end == len(digits)
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if !isDigit(c) {
			return false
		}
	}
	return len(text) > 0
}

// firstSeconds is the first number that is one of seconds: the beginning of 1972. Dates and
// numbers of days are all below it.
const firstSeconds = 2 * 365 * 24 * 60 * 60

func secondsOf(n float64) (second int64, ok bool) {
	for _, unit := range []float64{1e17, 1e14, 1e11} {
		if math.Abs(n) >= unit {
			n /= unit / 1e8
			break
		}
	}
	return int64(math.Floor(n)), math.Abs(n) >= firstSeconds && math.Abs(n) < 1e15
}
