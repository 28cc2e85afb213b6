package timestamp

import (
	"bytes"
	"math"
	"strconv"
)

// Parse returns the seconds from 1970 to a time that is all of a text: a date with a year, alone or
// with a time of day, in a form of lines of logs (Find), such as RFC 3339 and RFC 1123; the 14
// digits of CDX files; or a number of seconds, or from 10¹¹ on of milliseconds, from 10¹⁴ on of
// microseconds, from 10¹⁷ on of nanoseconds. A time without a zone is UTC.
func Parse(text []byte) (second int64, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) == len("20060102150405") && (text[0] == '1' || text[0] == '2') {
		if second, ok = wholeMoment(text); ok {
			return second, true
		}
	}
	if bytes.IndexByte(text, ':') < 0 { // else it is no number, which takes longer to find out
		if n, err := strconv.ParseFloat(string(text), 64); err == nil {
			return secondsOf(n)
		}
	}
	return wholeMoment(text)
}

// wholeMoment reads a moment that is all of a text.
func wholeMoment(text []byte) (second int64, ok bool) {
	m, end := readMoment(text)
	if end == 0 || end < len(text) || m.year == noYear {
		return 0, false
	}
	return m.unix(), true
}

func secondsOf(n float64) (second int64, ok bool) {
	for _, unit := range []float64{1e17, 1e14, 1e11} {
		if math.Abs(n) >= unit {
			n /= unit / 1e8
			break
		}
	}
	return int64(math.Floor(n)), math.Abs(n) < 1e15
}
