package run

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// RejectsError is returned under --on-error fail.
type RejectsError struct{ count uint64 }

func (e RejectsError) Error() string {
	they := "they are"
	if e.count == 1 {
		they = "it is"
	}
	return fmt.Sprintf("%s could not be read; %s in the output all the same", units.Of(e.count, "record"), they)
}

// A CutOffError ends a run that may not leave out records if an input ends in the middle of one.
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

// cutOff returns the error of a run that must fail if an input ends in the middle of a record.
func cutOff(s stream.Stats, convert, hasRejects bool) CutOffError {
	e := CutOffError{count: s.Rejects.CutOff(), first: *s.FirstCut, where: "in the output all the same"}
	e.other = s.Rejects.Total() - e.count
	switch {
	case convert && hasRejects:
		e.where = "in --rejects"
	case convert:
		e.where = "in no output: add --rejects FILE to have it in that file"
	}
	return e
}

// A NoFormError ends a run that has left out records that it could not convert.
type NoFormError struct{ count uint64 }

func (e NoFormError) Error() string {
	they, are, them := "they", "are", "them"
	if e.count == 1 {
		they, are, them = "it", "is", "it"
	}
	return fmt.Sprintf("%s could not be read, so %s could not be converted and %s in no output: add --rejects FILE to "+
		"have %s in that file", units.Of(e.count, "record"), they, are, them)
}

// A LostError ends a run that could not read all inputs to their ends.
type LostError struct {
	count   uint64
	inputs  int
	place   *stream.Place // in one of them; nil if all are named already
	isFirst bool          // it is the first one
}

func (e LostError) Error() string {
	line := fmt.Sprintf("%d of %d inputs could not be read to the end (what could be read of them was processed)",
		e.count, e.inputs)
	switch {
	case e.place == nil:
		return line
	case e.isFirst:
		return fmt.Sprintf("%s, the first: %s%s", line, e.place, mayBeWrong(*e.place))
	}
	return fmt.Sprintf("%s, the last: %s%s", line, e.place, mayBeWrong(*e.place))
}

// endedEarly reports whether a run has stopped early, as opposed to failing at its end because of
// what it has read.
func endedEarly(err error) bool {
	return err != nil && !errors.As(err, new(RejectsError)) && !errors.As(err, new(CutOffError)) &&
		!errors.As(err, new(NoFormError)) && !errors.As(err, new(LostError)) && !errors.As(err, new(GateError))
}

// A ResumableError ends a failed run that --resume continues from its last checkpoint, or from the
// beginning if it has reached none.
type ResumableError struct{ error }

// Unwrap returns the cause.
func (e ResumableError) Unwrap() error { return e.error }

// SignalError is why the context of signalContext was cancelled.
type SignalError struct{ Signal syscall.Signal }

func (e SignalError) Error() string { return "stopped by " + e.Signal.String() }
