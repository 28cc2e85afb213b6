package stream

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// LineTimes gives lines of text a time: the first one at the beginning of the line
// (docs/recipes/logs.md lists the forms). A line without a time has that of the previous line.
// Lines before the first time have none. A time without a year is in the year that puts it nearest
// to the time of the previous line.
//
// So a time depends on all earlier lines. Workers parse what a line says, and the committer, which
// sees the batches in order, interprets it.
type LineTimes struct {
	Year int // of the first time, if it has none; 0 is 1972, a leap year in which no log was written
}

// LineTime selects the times of lines in Source.Fields. Their values are numbers of seconds.
const LineTime = "line"

// Check returns an error if lines of this format cannot have times.
func (l LineTimes) Check(f Format) error {
	if !record.IsText(f) {
		return errors.New("records are not lines of text: give the field, or the column, that has their times")
	}
	if l.Year != 0 && (l.Year < timestamp.FirstYear || l.Year > timestamp.LastYear) {
		return fmt.Errorf("the year %d of the first line is not one of %d to %d", l.Year, timestamp.FirstYear,
			timestamp.LastYear)
	}
	return nil
}

// isField reports whether a field selects the times of lines.
func (l *LineTimes) isField(name string) bool { return l != nil && name == LineTime }

// timeLines determines the times of the records in the next batch. If the judge needs times, it
// drops the sketches of records without one, which come first.
func (q *intake) timeLines(b *batch) {
	of := q.opts.LineTimes
	if of == nil {
		return
	}
	b.times = b.times[:0]
	for _, s := range b.stamps {
		if second, ok := q.clock.Advance(s, of.Year); ok {
			b.times = append(b.times, second)
		}
	}
	if second, ok := q.clock.Now(); ok {
		b.lineTime = &second
	}
	untimed := len(b.stamps) - len(b.times)
	if q.opts.Timed {
		b.sketches.withdraw(untimed, record.NoTime)
		for i, second := range b.times {
			if len(b.sketches.Sketch(untimed+i)) > 0 {
				b.sketches.Times = append(b.sketches.Times, second)
			}
		}
	}
	for k, name := range q.opts.Fields {
		if of.isField(name) {
			b.fields[k].setTimes(untimed, b.times)
		}
	}
}

// setTimes replaces the values by times. The first records have none.
func (v *values) setTimes(after int, times []int64) {
	v.reset()
	v.ends = append(v.ends, make([]int, after)...)
	for _, second := range times {
		v.bytes = strconv.AppendInt(v.bytes, second, 10)
		v.ends = append(v.ends, len(v.bytes))
	}
}

// withdraw removes the sketches of the first records.
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
