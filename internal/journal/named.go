package journal

import (
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/stream"
)

// KeptNamed is the number of named runs whose verdicts are kept: the default of --keep-runs.
const KeptNamed = 30

// A NamedError says why a named run cannot begin, or cannot continue with a text.
type NamedError struct{ error }

// Unwrap returns the reason.
func (e NamedError) Unwrap() error { return e.error }

func named(format string, args ...any) error { return NamedError{fmt.Errorf(format, args...)} }

// mostInName is the maximum length of a name, in bytes.
const mostInName = 1024

// CheckName returns an error if name cannot be the name of a run.
func CheckName(name string) error {
	switch {
	case name == "":
		return named("a run needs a name, such as 2026-11-28")
	case len(name) > mostInName:
		return named("the name of a run has %d bytes: at most %d are possible", len(name), mostInName)
	case !utf8.ValidString(name):
		return named("the name %q of a run is not UTF-8", name)
	}
	return nil
}

// A Named run judges texts provided by a caller, who gives the run a name, such as a day, since
// there are no inputs to identify it by. The first time, it records the verdicts of another judge.
// When it is begun again under the same name, it repeats them.
type Named struct {
	of       *Journal
	run      Run // so far or, if it is repeated, as recorded
	recorder *Recorder
	replayer *Replayer // nil if verdicts are being recorded
	complete bool
}

// BeginNamed begins the run that now describes: its name, what its verdicts depend on besides the
// index (Reading), its number if it is new, the number of records in the memory before it, and the
// details to record.
func (j *Journal) BeginNamed(judge stream.Judge, now Run) (*Named, error) {
	if err := CheckName(now.Name); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(j.Runs, func(r Run) bool { return r.Name == now.Name })
	if i < 0 {
		recorder, err := j.Record(Verdicts{Judge: judge}, now.Number, 0, now.Details)
		if err != nil {
			return nil, err
		}
		return &Named{of: j, run: now, recorder: recorder}, nil
	}
	n := &Named{of: j, run: j.Runs[i]}
	switch {
	case !n.run.HasVerdicts:
		return nil, named("%s has had the run %s, and its verdicts are no longer kept, as those of the last %d runs "+
			"are: all of its texts would count as duplicates of themselves. Use what that run has stored, or "+
			"take it back with %s", j.index.Path(), n.description(), KeptNamed, n.undo())
	case n.run.Reading != now.Reading:
		return nil, named("%s has had the run %s, with %s, and now it has %s: give the same options, or another "+
			"name", j.index.Path(), n.description(), orNone(n.run.Reading), orNone(now.Reading))
	}
	var err error
	if n.replayer, err = j.Replay(n.run, Pieces{}); err != nil {
		return nil, err
	}
	return n, nil
}

// orNone describes what verdicts depend on.
func orNone(reading string) string {
	if reading == "" {
		return "no option that matters"
	}
	return reading
}

// description names a complete run.
func (n *Named) description() string {
	return fmt.Sprintf("%q (run %d, %s, %d records)", n.run.Name, n.run.Number, n.run.Ended.Format(time.DateTime),
		n.run.Records)
}

// undo returns the command that takes the run back.
func (n *Named) undo() string {
	return fmt.Sprintf("mithril-stream index undo --to %d %s", n.run.Number-1, n.of.index.Path())
}

// Repeats reports whether the run repeats recorded verdicts.
func (n *Named) Repeats() bool { return n.replayer != nil }

// IsComplete reports whether the run has ended.
func (n *Named) IsComplete() bool { return n.complete }

// Run describes the run: as recorded if it repeats verdicts, otherwise as it is so far.
func (n *Named) Run() Run { return n.run }

// Judge returns the judge of the run's texts. If the texts differ from those of the run being
// repeated, up to 64 of them may get that run's verdicts before an error is returned.
func (n *Named) Judge() stream.Judge {
	var judge stream.Judge
	if n.Repeats() {
		judge = n.replayer.Judge()
	} else {
		judge = n.recorder.Judge()
	}
	by := judge.Decide
	judge.Decide = func(b stream.Batch, out []stream.Verdict) (int, error) { return n.decide(by, b, out) }
	return judge
}

func (n *Named) decide(
	by func(stream.Batch, []stream.Verdict) (int, error), b stream.Batch, out []stream.Verdict,
) (judged int, err error) {
	if n.complete {
		return 0, named("the run %q is complete: begin another one for further texts", n.run.Name)
	}
	judged, err = by(b, out)
	if n.Repeats() {
		return judged, n.explain(err)
	}
	n.run.Records += uint64(judged)
	for _, v := range out[:judged] {
		if !v.Duplicate {
			n.run.Kept++
		}
	}
	return judged, err
}

// Complete ends the run: there are no more texts. The next commit of the index makes a new run
// durable. A repeated run must have been given all its texts.
func (n *Named) Complete() (err error) {
	switch {
	case n.complete:
		return nil
	case n.Repeats():
		err = n.explain(n.replayer.End())
	default:
		n.run.Input, n.run.Inputs = n.run.Name, 1
		n.recorder.End(n.run)
	}
	n.complete = err == nil
	return err
}

// explain says what to do if the texts differ from those of the run being repeated.
func (n *Named) explain(err error) error {
	if !errors.Is(err, ErrOtherInput) {
		return err
	}
	return named("the run %s is repeated, whose texts were others, or in another order: %w. The index is as it was: "+
		"give the texts of that run; or give these another name; or take that run back with %s", n.description(), err,
		n.undo())
}

// Close closes the files of the run. A new run does not count unless it is committed.
func (n *Named) Close() error {
	if n.Repeats() {
		return n.replayer.Close()
	}
	return n.recorder.Close()
}
