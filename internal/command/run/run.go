package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/formats"
	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Filter runs the filter, or a part of it, on indexes that may be in buckets.
func Filter(ctx context.Context, c *config.Filter, what Task, std files.Streams) (err error) {
	local, indexes, err := indexesOf(std, c)
	if err != nil {
		return err
	}
	f := New(local, what, std)
	f.indexes = indexes
	defer func() {
		err = orUndo(indexes.Finish(err, f.Close(), f.committed), indexes.name(local.Memory.Index))
	}()
	if err := f.Prepare(ctx); err != nil {
		return err
	}
	return f.Do(ctx)
}

// A Run is one run of the filter, or of a part of it: sketch, dedup or apply. A run is a
// source, a method and outputs; the parts differ in one of them each.
type Run struct {
	Config   *config.Filter
	Task     Task
	Std      files.Streams
	Paths    []string
	Keys     method.KeyKind
	Judging  *method.Judging // how records are compared; it has nothing if they are not
	parts    *partEditor     // nil unless parts of records are cut, masked or reported
	Source   formats.Source  // where records come from, and in which form they leave
	sketched uint64          // records that sketch files say to have, which are read in their place
	again    bool            // sketch files can be read more than once
	Tables   formats.Tables  // the outputs that are tables
	shards   *shards.Files   // that kept records are divided into, or nil
	Out      outputs
	streams  []namedStream // that are committed together
	Opts     stream.Options
	Commit   Commit
	runs     *runJournal  // nil if the run keeps no index
	Ending   func() error // called when all records are through, before the files are finished; or nil
	Typed    bool         // input comes from a terminal
	Progress *progressLine
	page     *Page // nil unless it was asked for

	texts  *doubts.Texts  // looks at the first ones; nil of a run that removes nothing by their likeness
	doubts []doubts.Doubt // when all records are through

	indexes *bucketIndexes // those of them that are in buckets, or nil

	committed bool // the run is complete, whatever else fails
}

// New returns a run that has not begun.
func New(c *config.Filter, what Task, std files.Streams) *Run {
	return &Run{Config: c, Task: what, Std: std, Judging: &method.Judging{}}
}

// Store is what the run is committed to, or nil if it keeps nothing.
func (f *Run) Store() *bloomlsh.Store {
	if f.Judging == nil {
		return nil
	}
	return f.Judging.Store()
}

func (f *Run) Close() error {
	err := errors.Join(f.runs.close(), f.Judging.Close(), f.Tables.Close(), f.Keys.Close(),
		f.Source.Close())
	if err != nil && f.committed {
		err = fmt.Errorf("the run is complete and committed, but closing the index failed: %w", err)
	}
	return err
}

// Prepare finds everything wrong that can be found beforehand, before anything is read.
func (f *Run) Prepare(ctx context.Context) error {
	c := f.Config
	f.Opts.OnError, f.Opts.Empty, f.Opts.Threads = c.Input.OnError, c.Input.Empty, f.Std.Threads(c.Input.Threads)
	f.Opts.MaxRecord, f.Opts.Annotate = c.Input.MaxRecord, c.Output.Annotate
	sketcher, keys, err := f.Task.Sketcher(c)
	if err != nil {
		return usage.Error(err)
	}
	if sketcher != nil {
		f.Opts.Method.NewSketcher, f.Keys = sketcher, keys
	}
	if !c.Input.Sketches && c.Input.Verdicts == "" {
		f.limitUnreadable()
		f.Opts.NeedsFields = true
	}
	if f.Paths, err = f.Std.Paths(c.Input.Paths); err != nil {
		return err
	}
	AnnounceLeftOut(c.Output.Quiet, f.Std)
	written := f.Task.Written(c)
	if err := checkObjects(c, written); err != nil {
		return usage.Error(err)
	}
	if err := files.RefuseToMix(f.Paths, written, f.Std); err != nil {
		return err
	}
	if err := files.RefuseTwice(written, f.Std); err != nil {
		return usage.Error(err)
	}
	if err := files.RefuseInIndex(written, f.indexNames()); err != nil {
		return usage.Error(err)
	}
	if c.Memory.Index != "" && slices.Contains(f.Paths, "-") && files.IsPipe(f.Std.In) {
		f.Std.First = files.NewStdin(f.Std.In)
	}
	if err := f.chooseSource(ctx); err != nil {
		return err
	}
	if err := f.useShards(); err != nil {
		return err
	}
	if !c.Input.Sketches {
		f.announceTerminal()
	}
	if err := f.CheckFields("--report-by", c.Report.ReportBy...); err != nil {
		return err
	}
	if err := f.checkCounted(); err != nil {
		return usage.Error(err)
	}
	if err := f.checkAudited(); err != nil {
		return err
	}
	if err := f.useTimes(); err != nil {
		return usage.Error(err)
	}
	if err := f.Task.Begin(ctx, f); err != nil {
		return err
	}
	return f.openOutputs(ctx)
}

// keptPath is what the file is called that kept records go to first.
func (f *Run) keptPath() string {
	if f.shards != nil {
		return f.shards.Path(0)
	}
	return f.Config.Output.Output
}

// chooseSource says where records come from.
func (f *Run) chooseSource(ctx context.Context) (err error) {
	if f.Config.Input.Sketches {
		f.announceTerminal()
		return f.readSketches(ctx)
	}
	if f.Source, err = formats.Choose(ctx, WantedOf(f.Config, f.Paths), f.Std); err != nil {
		return err
	}
	if f.Source.First != nil {
		f.Std.First = f.Source.First
	}
	texts := method.Texts{Several: f.Source.HasSeveralTexts(), Dims: f.Source.Dims}
	f.Opts.Method.NewSketcher, f.Keys = f.Keys.Of(texts, f.Opts.Method.NewSketcher)
	AnnounceField(f.Source, f.Config.Output.Quiet, f.Std)
	f.announcePathColumns()
	f.Opts.Format, f.Opts.Inputs, f.Opts.Union = f.Source.Format, f.Source.Inputs, f.Source.Union
	f.Opts.Check = f.Source.Check
	f.Opts.Convert, f.Opts.Array = f.Source.Convert, f.Source.Array
	f.endOnDamage()
	if len(f.Config.Input.Paths) > 0 && f.Config.Input.OnError != stream.ErrorFail {
		last := f.Source.Inputs[len(f.Source.Inputs)-1].Name
		f.Opts.Lost = func(p stream.Place) { f.Progress.lost(p, p.Input == last) }
	}
	return nil
}

// EditPieces has the pieces of records cut, masked or reported that a judge has seen.
func (f *Run) EditPieces(seen pieceJudge, action, mask string) error {
	f.parts = &partEditor{judge: seen, action: action}
	if action == config.ActionMask {
		f.parts.mask = []byte(mask)
	}
	return f.parts.prepare(f.Source)
}

// openOutputs opens what the run writes, where an earlier run has left it if this one resumes it.
func (f *Run) openOutputs(ctx context.Context) error {
	streams, err := f.Out.streams(f.Config, f.shards)
	if err != nil {
		return usage.Error(err)
	}
	committed, err := CommittedRun(f.Config, f.Store())
	if err != nil {
		return err
	}
	if err := f.lookUp(ctx, committed); err != nil {
		return err
	}
	for i := range streams {
		if err := f.Source.Pack(ctx, &f.Opts, &streams[i].Output); err != nil {
			return err
		}
	}
	f.shards.Take(&f.Opts)
	names := namesOf(streams, f.Source.To, f.shards)
	f.Commit = Commit{
		Store: f.Store(), Out: &f.Out, streams: names, Format: f.Source.Dialect,
		options: optionsOf(f.Config, f.Source.Settings, f.indexes.names(f.Config.Memory.Against)),
		Exact:   f.Judging.Exact,
	}
	last, err := ToResume(f.Config, committed, f.Commit)
	if err != nil {
		return err
	}
	if last != nil {
		if err := f.refuseMoved(last); err != nil {
			return err
		}
		f.Opts.From = last.Stats
		if f.shards != nil {
			if streams[0].Output, err = f.shards.Open(len(last.Stats.Shards)); err != nil {
				return usage.Error(err)
			}
		}
	}
	if when := f.Config.Runs.Checkpoint; when.IsSet() {
		f.Opts.Checkpoints = &stream.Checkpoints{
			Records: when.Records, Every: when.Every, Commit: f.checkpoint,
		}
	}
	f.streams = streams
	if err := f.openJournal(committed, last != nil); err != nil {
		return err
	}
	if f.runs.isThere(f.Config, committed, f.Std) {
		if f.Std.Out, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return err
		}
	}
	if err := f.Out.open(f.Config, streams, f.Std, last); err != nil {
		return err
	}
	f.Opts.Output, f.Opts.Duplicates = f.Out.kept.Writer(), f.Out.duplicates.Writer()
	f.Opts.Rejects = f.Out.rejects.Writer()
	rows, err := f.Tables.Take(&f.Source, &f.Opts, f.keptPath(), f.Std.Cores.Count())
	if err != nil {
		return f.Out.nameLeft(errors.Join(err, f.Out.abandon()))
	}
	f.shards.Tell(rows)
	if f.Out.flags != nil {
		f.Opts.Sinks = append(f.Opts.Sinks, stream.Flags(f.Out.flags))
	}
	f.countGroups()
	if f.Judging.HasNames() {
		f.nameOriginals()
	}
	if f.runs != nil && f.runs.last > 0 {
		f.Opts.NeedsFields = false // an earlier run may have had them
	}
	f.collectPage()
	if f.parts != nil {
		f.Opts.Edit, f.parts.before = f.parts.edit, f.Opts.From.Records
		f.Opts.EditedOnly = f.Config.Output.Edit.Action == config.ActionReport
	}
	return f.Task.Ready(f)
}

func (f *Run) Do(ctx context.Context) error {
	f.watchTexts()
	run, err := stream.New(f.Opts)
	if err != nil {
		return f.Out.nameLeft(errors.Join(err, f.Out.abandon()))
	}
	f.Progress = StartProgress(run, f.Judging, f.Std.Err, f.Config.Output.Quiet, f.Typed)
	f.Progress.selection, f.Progress.text = f.Std.Selection, f.Std.Text
	f.Progress.task, f.Progress.shards, f.Progress.tables, f.Progress.runs = f.Task, f.shards, &f.Tables, f.runs
	f.Std.Text.Reset()
	stats, err := run.Do(ctx)
	f.findDoubts()
	err = f.ExplainUnreadable(err)
	err = f.conclude(ctx, stats, f.explainDamage(f.runs.explain(err)))
	if err != nil && (stats.Records == f.Opts.From.Records || errors.As(err, new(*stream.UnreadableError))) {
		return err // nothing was done: there is nothing to sum up
	}
	f.Progress.sumUp(stats, endedEarly(err))
	if f.shards != nil && stats.Complete {
		f.shards.WarnOfOthers(len(stats.Shards) + 1)
	}
	return err
}

// conclude puts the outputs in place, the statistics last, and then commits the index (I3). What
// fails before the commit leaves the index as it was, so the command can be given again.
func (f *Run) conclude(ctx context.Context, stats stream.Stats, err error) error {
	if err == nil && f.Ending != nil {
		err = f.runs.explain(f.Ending())
	}
	if err == nil && stats.Lost == uint64(len(f.Paths)) && stats.Records == 0 {
		err = fmt.Errorf("no input could be read, the first: %s", *stats.FirstLost)
	}
	if err == nil {
		err = f.Tables.Finish(ctx)
	}
	if err == nil {
		err = f.writeCounts()
	}
	f.Progress.Stop()
	err = errors.Join(err, f.Out.finish(err == nil))
	if f.Tables.Any() {
		stats.Written.Output = f.shards.SizeBefore() + f.Out.kept.Uncompressed()
	}
	stats.Complete = stats.Complete && err == nil
	err = errors.Join(err, f.Progress.writeStats(stats, f.Out.stats), f.writePage(ctx, stats, err))
	if err == nil {
		err = f.commitRun(stats)
	}
	switch {
	case errors.As(err, new(SignalError)) && f.Opts.Checkpoints != nil:
		return f.Out.nameLeft(fmt.Errorf("%w: run the same command with --resume to go on", err))
	case err != nil && f.Opts.Checkpoints != nil:
		return f.Out.nameLeft(ResumableError{err})
	case err != nil:
		return f.Out.nameLeft(err)
	case stats.Lost > 0:
		return f.Progress.lostError(stats, len(f.Paths))
	case f.Config.Input.OnError == stream.ErrorFail && stats.Rejects.CutOff() > 0:
		return f.cutOff(stats)
	case f.Config.Output.Rejects == "" && f.withoutForm(stats) > 0:
		return NoFormError{f.withoutForm(stats)}
	case f.Config.Input.OnError == stream.ErrorFail && stats.Rejects.Total() > 0:
		return RejectsError{stats.Rejects.Total()}
	}
	return nil
}

// withoutForm is how many records could not be written, since they have no form there.
func (f *Run) withoutForm(stats stream.Stats) uint64 {
	if f.Opts.Convert {
		return stats.Rejects.Broken()
	}
	return stats.Rejects.NotUTF8()
}

// commitRun makes the index durable after a run that is complete, if it is kept and has changed.
func (f *Run) commitRun(stats stream.Stats) error {
	if f.Commit.Store == nil {
		return f.noteRepeated(stats)
	}
	number, err := f.complete(stats)
	if err != nil {
		return err
	}
	if err := f.Commit.Commit(State{Stats: stats, LastRun: number}); err != nil {
		return err
	}
	f.committed = true
	f.runs.of.Keep(f.runs.keep)
	return nil
}

// checkpoint makes a run durable on its way.
func (f *Run) checkpoint(stats stream.Stats) error {
	if err := f.Out.sync(); err != nil {
		return err
	}
	if f.runs.isReplaying() {
		return nil // the index has nothing of this run yet
	}
	recorded, err := f.runs.checkpoint()
	if err != nil {
		return err
	}
	return f.Commit.Commit(State{Stats: stats, LastRun: f.runs.last, Run: recorded})
}
