package stream

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// LineTimes makes lines of text have times: the first time at the beginning of each line
// (docs/recipes/logs.md lists the forms). A line without one has the time of the previous line;
// lines before the first time have none. A time without a year is in the year that puts it nearest
// to the time of the previous line.
//
// So a time depends on all lines before it. Workers find what is written, and the committer, which
// has the batches in order, interprets it.
type LineTimes struct {
	Year int // of the first time, if it has none; 0 is 1972, a leap year in which no log was written
}

// LineTime is what Source.Fields has for the times of lines, which are told as numbers of seconds.
const LineTime = "line"

// Check reports what is wrong with the times of lines for records of a format.
func (l LineTimes) Check(f Format) error {
	if !isText(f) {
		return errors.New("records are no lines of text: give the field, or the column, that has their times")
	}
	if l.Year != 0 && (l.Year < timestamp.FirstYear || l.Year > timestamp.LastYear) {
		return fmt.Errorf("the year %d of the first line is not one of %d to %d", l.Year, timestamp.FirstYear,
			timestamp.LastYear)
	}
	return nil
}

// newLineClock is the clock of a run that goes on after that time, if there is one.
func newLineClock(last *int64) lineClock {
	if last == nil {
		return lineClock{}
	}
	return lineClock{*last, true}
}

// toldLater is the identifier of a value that the committer finds.
type toldLater struct{}

func (toldLater) enter(*table)                         {}
func (toldLater) append(dst []byte, _ nameable) []byte { return dst }

// isField reports whether a field is the time of lines.
func (l *LineTimes) isField(name string) bool { return l != nil && name == LineTime }

// A lineClock is the time of the last line that has one.
type lineClock struct {
	second  int64
	isKnown bool
}

// goOn goes on to the next line.
func (c *lineClock) goOn(of *LineTimes, s timestamp.Stamp) {
	switch {
	case s.Kind == timestamp.None:
		return
	case s.Kind == timestamp.WithYear:
		c.second = s.Second
	case c.isKnown:
		c.second = s.Nearest(c.second)
	case of.Year == 0:
		c.second = s.In(timestamp.LeapYear)
	default:
		c.second = s.In(of.Year)
	}
	c.isKnown = true
}

// timeLines determines the times of the records in the next batch. If the judge needs times, it
// drops the sketches of records without one, which are the first records.
func (q *intake) timeLines(b *batch) {
	of := q.opts.LineTimes
	if of == nil {
		return
	}
	b.times = b.times[:0]
	for _, s := range b.stamps {
		if q.clock.goOn(of, s); q.clock.isKnown {
			b.times = append(b.times, q.clock.second)
		}
	}
	if q.clock.isKnown {
		second := q.clock.second
		b.lineTime = &second
	}
	untimed := len(b.stamps) - len(b.times)
	if q.opts.Timed {
		b.sketches.withdraw(untimed, NoTime)
		for i, second := range b.times {
			if len(b.sketches.Sketch(untimed+i)) > 0 {
				b.sketches.Times = append(b.sketches.Times, second)
			}
		}
	}
	for k, name := range q.opts.Fields {
		if of.isField(name) {
			b.fields[k].tell(untimed, b.times)
		}
	}
}

// tell has the values be times, of the records after the first ones.
func (v *values) tell(after int, times []int64) {
	v.reset()
	v.ends = append(v.ends, make([]int, after)...)
	for _, second := range times {
		v.bytes = strconv.AppendInt(v.bytes, second, 10)
		v.ends = append(v.ends, len(v.bytes))
	}
}

// withdraw takes the sketches away from the first records.
func (b *Batch) withdraw(records int, why Problem) {
	if records == 0 {
		return
	}
	for i := range records {
		if len(b.Sketch(i)) > 0 {
			b.Problems[i] = why
		}
	}
	n := b.Ends[records-1]
	b.Words = append(b.Words[:0], b.Words[n:]...)
	for i := range b.Ends {
		b.Ends[i] = max(0, b.Ends[i]-n)
	}
}
