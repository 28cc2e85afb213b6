package stream

import "fmt"

// A Repeat returns how often to write an unseen record to Output, and what to tell sinks about it.
// Its argument is the record's number in the run, counted from 1. 0 makes the record a duplicate. A
// single goroutine calls the Repeat, in the order of the records. It is not called for records that
// could not be read, which are written once.
type Repeat func(record uint64, d *Decided) (times int, err error)

// A repeating is the link that lets records be written several times, or not at all.
type repeating struct {
	passive
	times   Repeat
	fields  int
	stats   *Stats
	decided Decided // about the record that passes
}

func newRepeating(p plan) link {
	if p.Repeat == nil {
		return nil
	}
	return &repeating{times: p.Repeat, fields: len(p.Fields), stats: p.stats}
}

func (l *repeating) process(r *passing) error {
	d := &r.decision
	if r.times = 1; d.Fate != Unseen || !d.Problem.IsReadable() && !d.Problem.IsTextProblem() || !r.isWhole() {
		return nil
	}
	r.describe(&l.decided, l.fields)
	times, err := l.times(r.number, &l.decided)
	if err != nil {
		input, record := r.place()
		return fmt.Errorf("%s:%d: %w", input, record, err)
	}
	if r.times = times; times == 0 {
		d.Fate, d.Verdict.Duplicate, r.isKept = Duplicate, true, false
		l.stats.Unseen--
		l.stats.Duplicates++
	}
	return nil
}
