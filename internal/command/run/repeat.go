package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A runJournal writes down the verdicts of a run beside its index, or repeats those of an earlier
// run over the same input (I7). A nil *runJournal stands for a run that keeps no index.
type runJournal struct {
	of       *journal.Journal
	name     string // what the user calls the index
	keep     int
	last     uint64 // the number of the last run that counts
	source   journal.Source
	areBytes bool                  // what is read are streams of bytes
	hasher   *journal.Hasher       // of the bytes that are read; nil if the inputs are no streams of bytes
	recorder *journal.Recorder     // nil if verdicts are repeated
	replayer *journal.Replayer     // nil if they are recorded
	goesOn   *journal.Continuation // behind recorder: some are repeated first; or nil
	repeated *journal.Run          // the run that is repeated, or gone on with
	same     *journal.Run          // has read the same, or nil
	begins   []beginning           // have read what the inputs begin with
	stdout   journal.Output        // the file that standard output is; zero if it is none
	begun    *journal.Run          // a run whose input this one's begins with, and which is not gone on with
}

// lookUp opens the journal and finds out which earlier runs have read this input. It comes before
// anything else is read of standard input.
func (f *Run) lookUp(ctx context.Context, committed *State) error {
	if f.Store() == nil {
		return nil
	}
	of, err := JournalOf(f.Config.Memory.Index, committed)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Store().StillThere(), of.StillThere()); err != nil {
		return errors.Join(err, of.Close())
	}
	f.Store().KeepForUndo(UndoOf(f.Config.Memory.Index, f.Config.Runs.UndoRuns))
	f.runs = &runJournal{
		of: of, name: f.indexes.name(f.Config.Memory.Index), keep: f.Config.Runs.KeepRuns,
		areBytes: areBytes(f.Opts.Inputs),
	}
	isResumed := false
	if committed != nil {
		f.runs.last, isResumed = committed.LastRun, !committed.Stats.Complete
	}
	if f.runs.source, err = f.sourceOf(); err != nil {
		return err
	}
	if f.runs.stdout, err = f.describeOutput("-"); err != nil {
		return err
	}
	separator := f.Source.Terminator()
	if f.Config.Runs.Repeat == "replay" && !isResumed {
		if f.runs.same, f.runs.begins, err = f.recognise(ctx, of, f.runs.source, separator); err != nil {
			return err
		}
		if f.runs.same == nil && len(f.runs.begins) == 0 && !f.Config.Output.Quiet {
			f.announceMoved()
		}
	}
	f.hashInputs(separator)
	return nil
}

// openJournal makes an earlier run's verdicts the judge of this one, if the index has taken in the
// input before; else it has the verdicts written down. Nothing is written over what another run has
// written.
func (f *Run) openJournal(committed *State, resumed bool) error {
	if f.runs == nil {
		return nil
	}
	f.Judging.Exact.OfRun(windows.Run{
		Number: f.runs.last + 1, GoesOn: resumed, Undo: f.Config.Runs.UndoRuns, Oldest: f.runs.of.Oldest(),
	})
	switch {
	case resumed && committed.Run == nil:
		return nil // an older program began the run, which can then not be repeated
	case resumed:
		return f.record(func(judge stream.Judge) (*journal.Recorder, error) {
			return f.runs.of.Resume(judge, *committed.Run)
		})
	}
	goesOn := f.chooseBeginning()
	if err := f.protect(f.runs.same, goesOn.run); err != nil {
		return err
	}
	if f.runs.same != nil {
		return f.replay(f.runs.same)
	}
	return f.recordNew(goesOn)
}

// chooseBeginning returns the run that is to be gone on with, since the inputs begin with what it
// has read, and its output is to be written.
func (f *Run) chooseBeginning() (goesOn beginning) {
	for _, b := range f.runs.begins {
		switch {
		case b.run.HasVerdicts && f.parts == nil && f.writesOutputOf(b.run):
			goesOn = b
		case b.run.Records > 0:
			f.runs.begun = b.run
		}
	}
	return goesOn
}

// recordNew has the verdicts of a run written down that is not repeated, or only so far.
func (f *Run) recordNew(goesOn beginning) (err error) {
	j, extends := f.runs, uint64(0)
	if run := goesOn.run; run != nil {
		if j.goesOn, err = j.of.Continue(*run, goesOn.whole, f.Opts.Method.Judge); err != nil {
			return err
		}
		f.Opts.Method.Judge, f.Ending = j.goesOn, j.goesOn.End
		f.Judging.Exact.KeepNames()
		j.repeated, j.begun, extends = run, nil, run.Number
		if err := f.Judging.Exact.NameDropped(f.runs.of.First(*run)); err != nil {
			return err
		}
	}
	return f.record(func(judge stream.Judge) (*journal.Recorder, error) {
		return j.of.Record(judge, j.last+1, extends, f.details())
	})
}

// details says what is kept of the verdicts of the run.
func (f *Run) details() journal.Details {
	d := journal.Details{Votes: f.Opts.Annotate || f.Config.Report.Report != "", Originals: f.Judging.HasNames()}
	if f.parts != nil {
		d.Pieces = f.Config.Output.Edit.Action
	}
	return d
}

func (f *Run) record(begin func(stream.Judge) (*journal.Recorder, error)) (err error) {
	if f.runs.recorder, err = begin(f.Opts.Method.Judge); err == nil {
		f.Opts.Method.Judge = f.runs.recorder
	}
	return err
}

func (f *Run) replay(run *journal.Run) (err error) {
	dir := f.Config.Memory.Index
	if !run.HasVerdicts {
		return fmt.Errorf("%s has taken in this input before (run %d of %s: %s, %d records, %d kept), "+
			"and the verdicts of that run are no longer kept: all records would be found to be "+
			"duplicates of themselves. Use the output of that run; or another index; or "+
			"--repeat judge to have them removed",
			dir, run.Number, run.Ended.Format(time.DateTime), run.Input, run.Records, run.Kept)
	}
	if err := f.sameAction(run); err != nil {
		return err
	}
	if err := f.Judging.Exact.NameDropped(f.runs.of.First(*run)); err != nil {
		return err
	}
	j := f.runs
	if j.replayer, err = j.of.Replay(*run, f.parts.told()); err != nil {
		return err
	}
	j.repeated, f.Opts.Method.Judge, f.Ending = run, j.replayer, j.replayer.End
	f.Opts.Checkpoints, f.Commit.Store = nil, nil // nothing is to be committed
	return nil
}

// sameAction refuses to repeat a run that did something else with the paragraphs that were seen:
// its verdicts do not say what this one would have done. Cutting and masking change the same ones.
func (f *Run) sameAction(run *journal.Run) error {
	then, now := cmp.Or(run.Pieces, config.ActionDrop), cmp.Or(f.details().Pieces, config.ActionDrop)
	edits := func(action string) bool { return action == config.ActionCut || action == config.ActionMask }
	if then == now || edits(then) && edits(now) {
		return nil
	}
	return fmt.Errorf("%s has taken in this input before (run %d of %s: %s), with --action %s: all paragraphs would "+
		"be found to have been seen. Give that --action, which is repeated; or another index; or --repeat judge, to "+
		"have it so", f.Config.Memory.Index, run.Number, run.Ended.Format(time.DateTime), run.Input, then)
}

// isThere reports whether standard output is a file that has all that a repeated run would write:
// the shell appends to it, and the run that is to be resumed had come to its end.
func (j *runJournal) isThere(c *config.Filter, committed *State, std files.Streams) bool {
	if j == nil || j.replayer == nil || j.repeated.Number != committed.LastRun ||
		!c.Runs.Resume || c.Output.Output != "-" {
		return false
	}
	info, err := std.Out.Stat()
	length, _ := committed.written(0)
	return err == nil && info.Mode().IsRegular() && length > 0 && info.Size() == committed.Start+int64(length)
}

// explain says what to do if an input turns out not to be the input of the run that it begins like.
func (j *runJournal) explain(err error) error {
	if j == nil || !errors.Is(err, journal.ErrOtherInput) {
		return err
	}
	if j.repeated.Broken {
		return fmt.Errorf("run %d (%s, %s) could not read all of its input, and now there is more of it: %w: "+
			"the index is as it was; take that run back by %s, and give the command again",
			j.repeated.Number, j.repeated.Input, j.repeated.Ended.Format(time.DateTime), err, j.undo(j.repeated))
	}
	return fmt.Errorf("the input begins like that of run %d (%s, %s), whose verdicts were repeated so far: %w: "+
		"the index is as it was; add --repeat judge to have the input judged as a new one",
		j.repeated.Number, j.repeated.Input, j.repeated.Ended.Format(time.DateTime), err)
}

// isReplaying reports whether nothing of the run is in the index yet, since its records are those
// of an earlier run.
func (j *runJournal) isReplaying() bool { return j != nil && j.goesOn != nil && j.goesOn.Replaying() }

// checkpoint makes durable what is recorded so far.
func (j *runJournal) checkpoint() (*journal.State, error) {
	if j.recorder == nil {
		return nil, nil
	}
	state, err := j.recorder.Checkpoint()
	return &state, err
}

// complete makes the record of a run durable that is about to be committed, and returns the number
// of the last run that counts then.
func (f *Run) complete(s stream.Stats) (number uint64, err error) {
	j := f.runs
	if j.recorder == nil {
		return j.last, nil
	}
	run := journal.Run{
		Input: f.Opts.Inputs[0].Name, Inputs: len(f.Opts.Inputs), Source: j.source,
		Records: s.Records, Kept: s.Kept(), Remembered: f.remembered(),
	}
	run.Broken = s.Lost > 0
	if j.hasher != nil {
		run.Content = j.hasher.Content()
	}
	if run.Outputs, err = f.written(s); err != nil {
		return 0, err
	}
	if err := j.recorder.Complete(run); err != nil {
		return 0, err
	}
	return j.last + 1, nil
}

// noteRepeated notes that what a run had written was written again.
func (f *Run) noteRepeated(s stream.Stats) error {
	if f.runs == nil || f.runs.replayer == nil {
		return nil
	}
	written, err := f.written(s)
	if err != nil {
		return err
	}
	return f.runs.of.Rewritten(f.runs.repeated.Number, written)
}

func (j *runJournal) close() error {
	if j == nil {
		return nil
	}
	errs := []error{j.of.Close()}
	if j.recorder != nil {
		errs = append(errs, j.recorder.Close())
	}
	if j.replayer != nil {
		errs = append(errs, j.replayer.Close())
	}
	if j.goesOn != nil {
		errs = append(errs, j.goesOn.Close())
	}
	return errors.Join(errs...)
}
