package stream

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// NoTime is the problem of a record that does not say when it was made, where Source.Timed needs
// that.
var NoTime = Problem{kind: noTime}

// timeLayouts are the forms of times that are written out, but for the layout of CDX files, which
// looks like a number. A time without a zone is UTC.
var timeLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", time.DateOnly,
	time.RFC1123, time.RFC1123Z, "2006-01-02T15:04:05Z0700",
}

const cdxLayout = "20060102150405"

// ParseTime returns the seconds from 1970 to a time: RFC 3339, also with a space, without zone or
// as a date alone, RFC 1123, the 14 digits of CDX files, or a number of seconds, or from 10¹¹ on of
// milliseconds, from 10¹⁴ on of microseconds, from 10¹⁷ on of nanoseconds.
func ParseTime(s string) (second int64, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) == len(cdxLayout) && (s[0] == '1' || s[0] == '2') {
		if t, err := time.Parse(cdxLayout, s); err == nil {
			return t.Unix(), true
		}
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		return secondsOf(n)
	}
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Unix(), true
		}
	}
	return 0, false
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

// timeOf is when a record was made, by a field of it, or by what a RecordReader says.
func (w *worker) timeOf(r nameable, said int64) (second int64, ok bool) {
	if w.times == nil {
		return said, said != 0
	}
	w.time = w.times.append(w.time[:0], r)
	value := w.time
	if len(value) > 0 && value[0] == '"' {
		value = AppendUnquoted(nil, value)
	}
	return ParseTime(string(value))
}
