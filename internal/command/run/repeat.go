package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/memory/windows"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/written"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A runJournal records the verdicts of a run beside its index, or repeats those of an earlier run
// over the same input (I7). A nil *runJournal is valid, for a run without an index.
type runJournal struct {
	history
	verdicts
}

// A history is what the index knows of earlier runs, and of the input of this one.
type history struct {
	pastRuns
	keep     int
	last     uint64 // the number of the last run that counts
	source   journal.Source
	hasher   *journal.Hasher  // of the bytes that are read; nil if they do not tell inputs apart
	same     []*journal.Run   // with the same input, in order
	prefixes []recordedPrefix // whose input is a prefix of this one's
	stdout   written.Output   // the file of standard output; zero if it is not a file
}

// verdicts say where the verdicts of the run come from.
type verdicts struct {
	recorder     *journal.Recorder     // nil if verdicts are repeated
	replayer     *journal.Replayer     // nil if they are recorded
	continuation *journal.Continuation // wraps recorder if some verdicts are repeated first; may be nil
	repeated     *journal.Run          // the run that is repeated or continued
	prefix       *journal.Run          // a run whose input is a prefix of this one's, and which is not continued
	known        *journal.Run          // a run with the same input, which is judged again
	isWritten    bool                  // the file of standard output holds the repeated run's output already
}

// findEarlierRuns opens the journal and finds the earlier runs with the input of this one. Call it
// before anything else reads standard input. It returns the inputs to read from then on.
func findEarlierRuns(
	ctx context.Context, j job, from *Source, store *index.Writer, committed *State,
) (_ *runJournal, inputs []stream.Input, err error) {
	c := j.Config
	of, err := JournalOf(c.Memory.Index, committed)
	if err != nil {
		return nil, nil, err
	}
	name := j.indexes.name(c.Memory.Index)
	past := pastRuns{of, name, files.PlaceOf(c.Memory.Index, name)}
	r := &runJournal{history: history{pastRuns: past, keep: c.Runs.KeepRuns}}
	if err := errors.Join(store.CheckNotMoved(), of.CheckNotMoved()); err != nil {
		return r, nil, err
	}
	store.KeepForUndo(method.UndoOf(c.Memory.Index, c.Runs.UndoRuns))
	store.Add(of)
	isResumed := false
	if committed != nil {
		r.last, isResumed = committed.LastRun, !committed.Stats.Complete
	}
	if r.source, err = contentsOf(c, from, j.against()); err != nil {
		return r, nil, err
	}
	if r.stdout, err = files.DescribeOutput("-", from.Std); err != nil {
		return r, nil, err
	}
	inputs = from.Stream.Inputs
	if c.Runs.Repeat != config.RepeatJudge && !isResumed {
		if r.same, r.prefixes, inputs, err = from.recognise(ctx, of, r.source); err != nil {
			return r, nil, err
		}
		if len(r.same) == 0 && len(r.prefixes) == 0 && !c.Output.Quiet {
			r.announceMoved(from.Std)
		}
	}
	inputs, r.hasher = from.hashed(inputs)
	return r, inputs, nil
}

// openJournal makes the verdicts of an earlier run the judge of this one, if that had the same
// input and its output is to be written again; otherwise it has the verdicts recorded. It refuses
// to overwrite the output of another run.
func (o *Outputs) openJournal(j job, by *Method, committed *State, resumed bool) error {
	if o.runs == nil {
		return o.protect(j)
	}
	by.memory().Exact.OfRun(windows.Run{
		Number: o.runs.last + 1, Continues: resumed, Undo: j.Config.Runs.UndoRuns, Oldest: o.runs.of.Oldest(),
	})
	if resumed {
		return o.resumeRecord(by)
	}
	again, goesOn := o.chooseRepeated(j.Config, committed), o.chooseBeginning(by)
	if err := o.protect(j, again, goesOn.run); err != nil {
		return err
	}
	if again != nil {
		return o.replay(j.Config, by, again)
	}
	return o.recordNew(j.Config, by, goesOn)
}

// resumeRecord has the verdicts of a run written down that is gone on with. Without a record so far
// it has none, and cannot be repeated.
func (o *Outputs) resumeRecord(by *Method) error {
	from, err := journal.Unfinished(o.commit.Store.LastCommit())
	if err != nil || from == nil {
		return err
	}
	return o.record(by, func(of journal.Verdicts) (*journal.Recorder, error) { return o.runs.of.Resume(of, *from) })
}

// recordNew has the verdicts of a run written down that is not repeated, or only so far.
func (o *Outputs) recordNew(c *config.Filter, by *Method, goesOn recordedPrefix) (err error) {
	j, extends := o.runs, uint64(0)
	if run := goesOn.run; run != nil {
		if err := j.rewrite(run); err != nil {
			return err
		}
		if j.continuation, err = j.of.Continue(*run, goesOn.whole, o.opts.Method.Judge); err != nil {
			return err
		}
		o.opts.Method.Judge, o.ending = j.continuation.Judge(), j.continuation.End
		exact := by.memory().Exact
		exact.KeepNames()
		j.repeated, j.prefix, extends = run, nil, run.Number
		if err := exact.NameDropped(j.of.First(*run)); err != nil {
			return err
		}
	}
	return o.record(by, func(of journal.Verdicts) (*journal.Recorder, error) {
		return j.of.Record(of, j.last+1, extends, detailsOf(c, by))
	})
}

// detailsOf returns what is recorded of the verdicts of a run.
func detailsOf(c *config.Filter, by *Method) journal.Details {
	d := journal.Details{
		Votes: c.Output.Annotate || c.Report.Report != "", Originals: by.memory().HasNames(),
		AsideStay: c.Runs.Checkpoint.IsSet(),
	}
	if by.Parts != nil {
		d.Pieces = by.Parts.action
	}
	return d
}

// record wraps the judge so that its verdicts are recorded.
func (o *Outputs) record(by *Method, begin func(journal.Verdicts) (*journal.Recorder, error)) (err error) {
	of := journal.Verdicts{Judge: o.opts.Method.Judge, Pieces: by.Parts.pieces()}
	if o.runs.recorder, err = begin(of); err == nil {
		o.opts.Method.Judge = o.runs.recorder.Judge()
	}
	return err
}

func (o *Outputs) replay(c *config.Filter, by *Method, run *journal.Run) (err error) {
	dir := c.Memory.Index
	if !run.HasVerdicts {
		return fmt.Errorf("%s has read this input before (run %d of %s: %s, %d records, %d kept), and the verdicts of "+
			"that run are no longer kept: all records would count as duplicates of themselves. Use the output of that "+
			"run; or another index; or --repeat judge to have them removed", dir, run.Number,
			run.Ended.Format(time.DateTime), run.Input, run.Records, run.Kept)
	}
	if err := sameAction(dir, run, detailsOf(c, by).Pieces); err != nil {
		return err
	}
	j := o.runs
	if err := by.memory().Exact.NameDropped(j.of.First(*run)); err != nil {
		return err
	}
	if j.replayer, err = j.of.Replay(*run, by.Parts.pieces()); err != nil {
		return err
	}
	if o.compareFirst(run) != files.Unrelated && !j.isWritten {
		if err := j.rewrite(run); err != nil {
			return err
		}
	}
	j.repeated, o.opts.Method.Judge, o.ending = run, j.replayer.Judge(), j.replayer.End
	o.opts.Checkpoints, o.commit.Store = nil, nil // nothing to commit
	o.opts.AsideStay = run.AsideStay
	return nil
}

// sameAction refuses to repeat a run that treated repeated paragraphs differently: its verdicts do
// not say what this one would have done. Cutting and masking change the same paragraphs.
func sameAction(dir string, run *journal.Run, pieces string) error {
	then, now := cmp.Or(run.Pieces, config.ActionDrop), cmp.Or(pieces, config.ActionDrop)
	edits := func(action string) bool { return action == config.ActionCut || action == config.ActionMask }
	if then == now || edits(then) && edits(now) {
		return nil
	}
	return fmt.Errorf("%s has read this input before (run %d of %s: %s), with --action %s: all paragraphs would count "+
		"as seen before. Give that --action, to repeat that run; or another index; or --repeat judge, to have them "+
		"judged again all the same", dir, run.Number, run.Ended.Format(time.DateTime), run.Input, then)
}

// explain adds what to do if an input begins like that of an earlier run and then differs.
func (j *runJournal) explain(err error) error {
	if j == nil || !errors.Is(err, journal.ErrOtherInput) {
		return err
	}
	if j.repeated.Broken {
		return fmt.Errorf("run %d (%s, %s) could not read all of its input, and now there is more of it: %w: the "+
			"index is as it was; take that run back with %s, and run the command again", j.repeated.Number,
			j.repeated.Input, j.repeated.Ended.Format(time.DateTime), err, j.undo(j.repeated))
	}
	return fmt.Errorf("the input begins like that of run %d (%s, %s), whose verdicts were repeated so far: %w: "+
		"the index is as it was; add --repeat judge to have the input judged as a new one",
		j.repeated.Number, j.repeated.Input, j.repeated.Ended.Format(time.DateTime), err)
}

// isReplaying reports whether the index holds nothing of this run yet, because all records so far
// were those of an earlier run.
func (j *runJournal) isReplaying() bool {
	return j != nil && j.continuation != nil && j.continuation.Replaying()
}

// endRecord ends the record of a run that is about to be committed, and returns the number of the
// last run that counts then.
func (w *work) endRecord(s stream.Stats) (number uint64, err error) {
	j := w.to.runs
	if j.recorder == nil {
		return j.last, nil
	}
	inputs := w.from.Stream.Inputs
	run := journal.Run{
		Input: inputs[0].Name, Inputs: len(inputs), Source: j.source,
		Records: s.Records, Kept: s.Kept(), Remembered: w.by.remembered(), Place: j.place,
	}
	run.Broken = s.Lost > 0
	if j.hasher != nil {
		run.Content = j.hasher.Content()
	}
	if run.Outputs, err = w.to.written(w.Config, s); err != nil {
		return 0, err
	}
	j.recorder.End(run)
	return j.last + 1, nil
}

// noteRepeated notes that the output of a run was written again.
func (w *work) noteRepeated(s stream.Stats) error {
	j := w.to.runs
	if j == nil || j.replayer == nil {
		return nil
	}
	written, err := w.to.written(w.Config, s)
	if err != nil {
		return err
	}
	return j.of.Rewritten(j.repeated.Number, written)
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
	if j.continuation != nil {
		errs = append(errs, j.continuation.Close())
	}
	return errors.Join(errs...)
}
