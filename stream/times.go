package stream

import (
	"github.com/mithril-stream/mithril-stream/internal/timestamp"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// NoTime is the problem of a record that does not say when it was made, where Source.Timed needs
// that.
var NoTime = Problem{kind: noTime}

// ParseTime returns the seconds from 1970 to a time: a date with a year, alone or with a time of
// day, in a form of lines of logs (LineTimes), such as RFC 3339 and RFC 1123; the 14 digits of CDX
// files; or a number of seconds, or from 10¹¹ on of milliseconds, from 10¹⁴ on of microseconds,
// from 10¹⁷ on of nanoseconds. A time without a zone is UTC.
func ParseTime(s string) (second int64, ok bool) { return timestamp.Parse([]byte(s)) }

// timeOf is when a record was made, by a field of it, or by what a RecordReader says.
func (w *worker) timeOf(r nameable, said int64) (second int64, ok bool) {
	if w.timing.times == nil {
		return said, said != 0
	}
	w.timing.time = w.timing.times.append(w.timing.time[:0], r)
	value := w.timing.time
	if len(value) > 0 && value[0] == '"' {
		value = jsontext.AppendUnquoted(nil, value)
	}
	return timestamp.Parse(value)
}
