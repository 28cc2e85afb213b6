package run

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// RejectsError is the failure that --on-error fail asks for.
type RejectsError struct{ count uint64 }

func (e RejectsError) Error() string {
	they := "they are"
	if e.count == 1 {
		they = "it is"
	}
	return fmt.Sprintf("%s could not be read; %s in the output all the same", units.Of(e.count, "record"), they)
}

// A CutOffError is the end of a run that was to fail over what it could not read, where an input
// ends in the middle of a record.
type CutOffError struct {
	count uint64
	first stream.Place
	other uint64 // records that could not be read for other reasons
	where string // these records are
}

func (e CutOffError) Error() string {
	line := fmt.Sprintf("%s; it is %s", e.first, e.where)
	if e.count > 1 {
		line = fmt.Sprintf("%d inputs end in the middle of a record, the first: %s; these are %s", e.count, e.first,
			e.where)
	}
	if e.other > 0 {
		line += fmt.Sprintf("; %d more could not be read", e.other)
	}
	return line
}

// cutOff is the end of a run that was to fail if an input ends in the middle of a record.
func cutOff(s stream.Stats, convert, hasRejects bool) CutOffError {
	e := CutOffError{count: s.Rejects.CutOff(), first: *s.FirstCut, where: "in the output all the same"}
	e.other = s.Rejects.Total() - e.count
	switch {
	case convert && hasRejects:
		e.where = "in --rejects"
	case convert:
		e.where = "in no output: add --rejects FILE to have it there"
	}
	return e
}

// NoFormError is the end of a run that has left out what it could not convert.
type NoFormError struct{ count uint64 }

func (e NoFormError) Error() string {
	they, are, them := "they", "are", "them"
	if e.count == 1 {
		they, are, them = "it", "is", "it"
	}
	return fmt.Sprintf("%s could not be read, so %s could not be converted and %s in no output: "+
		"add --rejects FILE to have %s there", units.Of(e.count, "record"), they, are, them)
}

// LostError is the end of a run that could not read all inputs to their ends.
type LostError struct {
	count   uint64
	inputs  int
	place   *stream.Place // in one of them; nil if all are named already
	isFirst bool          // it is the first one
}

func (e LostError) Error() string {
	line := fmt.Sprintf("%d of %d inputs could not be read to the end (what stands before was processed)", e.count,
		e.inputs)
	switch {
	case e.place == nil:
		return line
	case e.isFirst:
		return fmt.Sprintf("%s, the first: %s%s", line, e.place, mayBeWrong(*e.place))
	}
	return fmt.Sprintf("%s, the last: %s%s", line, e.place, mayBeWrong(*e.place))
}

// endedEarly reports whether a run has failed, and not only read something that it is to fail for.
func endedEarly(err error) bool {
	return err != nil && !errors.As(err, new(RejectsError)) && !errors.As(err, new(CutOffError)) &&
		!errors.As(err, new(NoFormError)) && !errors.As(err, new(LostError)) && !errors.As(err, new(GateError))
}

// A ResumableError is the end of a run that has failed, and that goes on with --resume from its
// last checkpoint, or if it has reached none, from the beginning.
type ResumableError struct{ error }

// Unwrap returns why the run has failed.
func (e ResumableError) Unwrap() error { return e.error }

// SignalError is why the context of signalContext was cancelled.
type SignalError struct{ Signal syscall.Signal }

func (e SignalError) Error() string { return "stopped by " + e.Signal.String() }
