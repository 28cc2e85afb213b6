package run

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// optionsOf returns the options of a stream that judges the records of a source, without outputs.
func optionsOf(j job, from *Source, by *Method) stream.Options {
	opts := from.Options(by.Needs)
	opts.Method, opts.Sinks = by.Stream, by.Sinks
	if by.Inputs != nil {
		opts.Inputs = by.Inputs
	}
	memory := by.memory()
	opts.Ahead, opts.Similarity = memory.Ahead, memory.Similarity
	if d := memory.Digest; d != nil {
		opts.Insert = &stream.Inserter{Before: d.Before, Ticks: d.Ticks, Due: d.Due, End: d.End}
	}
	opts.Repeat, opts.Members, opts.Editing = by.Repeat, by.Members, by.Editing
	opts.Annotate = j.Config.Output.Annotate && by.Members == nil
	return opts
}

// openOutputs opens the outputs of the run, at their committed ends if it resumes another one. kept
// are the files among which kept records are divided; nil if there is one.
func openOutputs(
	ctx context.Context, j job, from *Source, by *Method, to *outputFiles, kept *shards.Files,
) (o *Outputs, err error) {
	o = &Outputs{files: to, shards: kept, tables: &formats.Tables{}, std: from.Std, opts: optionsOf(j, from, by)}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.Close())
			o = nil
		}
	}()
	if o.opts.Insert != nil && (from.Convert || from.Array) {
		return o, usage.Error(fmt.Errorf("--every and --rate do not go with the format of %s: write records as they "+
			"come, and convert them in a second step", keptPath(j, kept)))
	}
	if by.Calls.End != nil {
		o.ending = func() error { return by.Calls.End(o) }
	}
	if o.streams, err = to.streams(j.Config, kept); err != nil {
		return o, usage.Error(err)
	}
	committed, err := CommittedRun(j.Config, by.Store())
	if err != nil {
		return o, err
	}
	if by.Store() != nil {
		if o.runs, o.opts.Inputs, err = findEarlierRuns(ctx, j, from, by.Store(), committed); err != nil {
			return o, err
		}
	}
	if o.onlyRead, err = j.readPastRuns(); err != nil {
		return o, err
	}
	for i := range o.streams {
		if err := from.Pack(ctx, &o.opts, &o.streams[i].Output); err != nil {
			return o, err
		}
	}
	kept.Configure(&o.opts)
	last, err := o.resume(j, from, by, committed)
	if err != nil {
		return o, err
	}
	if err := o.openJournal(j, by, committed, last != nil); err != nil {
		return o, err
	}
	if err := o.openFiles(j, last); err != nil {
		return o, err
	}
	return o, o.connect(j, from, by)
}

// resume returns the run that this one resumes, and positions the outputs. It returns nil if the
// run starts from the beginning.
func (o *Outputs) resume(j job, from *Source, by *Method, committed *State) (last *State, err error) {
	c := j.Config
	o.commit = Commit{
		Store: by.Store(), files: o.files, streams: namesOf(o.streams, from.To, o.shards), Format: from.Dialect,
		options: optionsToResume(c, from.Settings, j.against()),
	}
	if when := c.Runs.Checkpoint; when.IsSet() {
		o.opts.Checkpoints = &stream.Checkpoints{Records: when.Records, Every: when.Every, Commit: o.checkpoint}
	}
	last, err = ToResume(c, committed, o.commit)
	if err != nil || last == nil {
		return nil, err
	}
	if err := refuseMoved(last, o.std); err != nil {
		return nil, err
	}
	if err := o.continueFiles(last); err != nil {
		return nil, orUndo(err, c.Memory.Index)
	}
	o.opts.From = last.Stats
	if o.shards != nil {
		if o.streams[0].Output, err = o.shards.Open(len(last.Stats.Shards)); err != nil {
			return nil, usage.Error(err)
		}
	}
	return last, nil
}

// openFiles opens the files. last is the resumed run, if any.
func (o *Outputs) openFiles(j job, last *State) (err error) {
	std := o.std
	if o.runs != nil && o.runs.isWritten {
		nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		std.Out = files.StdoutOf(nowhere)
	}
	return o.files.open(j.Config, o.streams, std, last)
}

// connect directs records, and what is reported about them, to the files.
func (o *Outputs) connect(j job, from *Source, by *Method) error {
	o.opts.Output, o.opts.Duplicates = o.files.kept.Writer(), o.files.duplicates.Writer()
	o.opts.Rejects = o.files.rejects.Writer()
	rows, err := o.tables.Attach(&from.Source, &o.opts, keptPath(j, o.shards), o.std.Cores.Count())
	if err != nil {
		return o.abandon(err)
	}
	o.shards.NotifyRows(rows)
	if o.files.flags != nil {
		o.notify(stream.Flags(o.files.flags))
	}
	if err := o.countGroups(j.Config, by); err != nil {
		return o.abandon(err)
	}
	if memory := by.memory(); memory.HasNames() {
		o.nameOriginals(j.Config, memory.Exact)
	}
	if o.runs != nil && o.runs.last > 0 {
		o.opts.NeedsFields = false // an earlier run may have had them
	}
	o.collectPage(j, by)
	if by.Parts != nil {
		o.opts.Editing = by.Parts.after(o.opts.From.Records)
	}
	o.examine(j, from, by)
	if by.Calls.Open != nil {
		return by.Calls.Open(o)
	}
	return nil
}

// abandon leaves the files as they are if the run cannot begin.
func (o *Outputs) abandon(err error) error {
	return o.files.nameLeft(errors.Join(err, o.files.abandon()))
}

// keptPath returns the name of the first file of kept records.
func keptPath(j job, divided *shards.Files) string {
	if divided != nil {
		return divided.Path(0)
	}
	return j.Config.Output.Output
}

// checkpoint makes the run so far durable.
func (o *Outputs) checkpoint(stats stream.Stats) error {
	if err := o.files.sync(); err != nil {
		return err
	}
	if o.runs.isReplaying() {
		return nil // the index has nothing of this run yet
	}
	run, err := o.soFar(stats)
	if err != nil {
		return err
	}
	return o.commit.Commit(State{Stats: stats, LastRun: o.runs.last, Run: run})
}

// failed adds to the error of a run what to do next.
func (o *Outputs) failed(err error) error {
	switch isResumable := o.opts.Checkpoints != nil; {
	case errors.As(err, new(SignalError)) && isResumable:
		err = fmt.Errorf("%w: run the same command with --resume to go on", err)
	case isResumable:
		err = ResumableError{err}
	}
	return o.files.nameLeft(err)
}
