package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/formats"
	"github.com/mithril-stream/mithril-stream/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runFilter runs the filter, or a part of it, on indexes that may be in buckets.
func runFilter(ctx context.Context, c *config.Filter, what task, std files.Streams) (err error) {
	local, indexes, err := indexesOf(std, c)
	if err != nil {
		return err
	}
	f := newRun(local, what, std)
	f.indexes = indexes
	defer func() { err = indexes.finish(err, f.close(), f.committed) }()
	if err := f.prepare(ctx); err != nil {
		return err
	}
	return f.run(ctx)
}

// A filterRun is one run of the filter, or of a part of it: sketch, dedup or apply. A run is a
// source, a method and outputs; the parts differ in one of them each.
type filterRun struct {
	c        *config.Filter
	task     task
	std      files.Streams
	paths    []string
	keys     method.KeyKind
	judging  *method.Judging // how records are compared; it has nothing if they are not
	parts    *partEditor     // nil unless parts of records are cut, masked or reported
	source   formats.Source  // where records come from, and in which form they leave
	tables   formats.Tables  // the outputs that are tables
	shards   *shards.Files   // that kept records are divided into, or nil
	out      outputs
	streams  []namedStream // that are committed together
	opts     stream.Options
	commit   commit
	runs     *runJournal  // nil if the run keeps no index
	ending   func() error // called when all records are through, before the files are finished; or nil
	typed    bool         // input comes from a terminal
	progress *progressLine
	page     *pageSink // nil unless it was asked for

	indexes *bucketIndexes // those of them that are in buckets, or nil

	committed bool // the run is complete, whatever else fails
}

// newRun returns a run that has not begun.
func newRun(c *config.Filter, what task, std files.Streams) *filterRun {
	return &filterRun{c: c, task: what, std: std, judging: &method.Judging{}}
}

// store is what the run is committed to, or nil if it keeps nothing.
func (f *filterRun) store() *bloomlsh.Store {
	if f.judging == nil {
		return nil
	}
	return f.judging.Store()
}

func (f *filterRun) close() error {
	err := errors.Join(f.runs.close(), f.judging.Close(), f.tables.Close(), f.keys.Close(),
		f.source.Close())
	if err != nil && f.committed {
		err = fmt.Errorf("the run is complete and committed, but closing the index failed: %w", err)
	}
	return err
}

// prepare finds everything wrong that can be found beforehand, before anything is read.
func (f *filterRun) prepare(ctx context.Context) error {
	c := f.c
	f.opts.OnError, f.opts.Empty, f.opts.Threads = c.OnError, c.Empty, f.std.Threads(c.Threads)
	f.opts.MaxRecord, f.opts.Annotate = c.MaxRecord, c.Output.Annotate
	sketcher, keys, err := f.task.sketcher(c)
	if err != nil {
		return usage.Error(err)
	}
	if sketcher != nil {
		f.opts.Method.NewSketcher, f.keys = sketcher, keys
	}
	if !c.FromSketches && c.Verdicts == "" {
		f.opts.Unreadable = unreadableLimit(c)
	}
	if f.paths, err = f.std.Paths(c.Inputs); err != nil {
		return err
	}
	written := f.task.written(c)
	if err := checkObjects(c, written); err != nil {
		return usage.Error(err)
	}
	if err := files.RefuseToMix(f.paths, written, f.std); err != nil {
		return err
	}
	if err := files.RefuseTwice(written, f.std); err != nil {
		return usage.Error(err)
	}
	if err := files.RefuseInIndex(written, f.indexNames()); err != nil {
		return usage.Error(err)
	}
	if c.Index.Index != "" && slices.Contains(f.paths, "-") && files.IsPipe(f.std.In) {
		f.std.First = files.NewStdin(f.std.In)
	}
	if err := f.chooseSource(ctx); err != nil {
		return err
	}
	if err := f.useShards(); err != nil {
		return err
	}
	if !c.FromSketches {
		f.announceTerminal()
	}
	for _, field := range c.Report.ReportBy {
		if err := stream.CheckID(f.opts.Format, field); err != nil {
			return usage.Error(fmt.Errorf("--report-by: %w", err))
		}
	}
	if err := f.useTimes(); err != nil {
		return usage.Error(err)
	}
	if err := f.task.begin(ctx, f); err != nil {
		return err
	}
	return f.openOutputs(ctx)
}

// announceField says which field was found, so that it can be named.
func announceField(of formats.Source, quiet bool, std files.Streams) {
	if of.Found != "" && !quiet {
		fmt.Fprintf(std.Err, "mithril-stream: the text is in the field %s: --field %s\n", of.Found,
			commandLine([]string{of.Found}))
	}
}

// keptPath is what the file is called that kept records go to first.
func (f *filterRun) keptPath() string {
	if f.shards != nil {
		return f.shards.Path(0)
	}
	return f.c.Output.Output
}

// announceTerminal is called before anything is awaited from a terminal.
func (f *filterRun) announceTerminal() {
	f.typed = files.AnnounceTerminal(append(slices.Clone(f.paths), f.c.Verdicts), f.std, f.c.Output.Quiet)
}

// chooseSource says where records come from.
func (f *filterRun) chooseSource(ctx context.Context) (err error) {
	if f.c.FromSketches {
		f.announceTerminal()
		return f.readSketches(ctx)
	}
	if f.source, err = formats.Choose(ctx, wantedOf(f.c, f.paths), f.std); err != nil {
		return err
	}
	if f.source.First != nil {
		f.std.First = f.source.First
	}
	announceField(f.source, f.c.Output.Quiet, f.std)
	f.opts.Format, f.opts.Inputs = f.source.Format, f.source.Inputs
	f.opts.Convert, f.opts.Array = f.source.Convert, f.source.Array
	if len(f.c.Inputs) > 0 && f.c.OnError != stream.ErrorFail {
		f.opts.Lost = func(p stream.Place) { f.progress.lost(p) }
	}
	return nil
}

// editPieces has the pieces of records cut, masked or reported that a judge has seen.
func (f *filterRun) editPieces(seen pieceJudge, action, mask string) error {
	f.parts = &partEditor{judge: seen, action: action, mask: []byte(mask)}
	return f.parts.prepare(f.source.Settings)
}

// openOutputs opens what the run writes, where an earlier run has left it if this one resumes it.
func (f *filterRun) openOutputs(ctx context.Context) error {
	streams, err := f.out.streams(f.c, f.shards)
	if err != nil {
		return usage.Error(err)
	}
	committed, err := committedRun(f.c, f.store())
	if err != nil {
		return err
	}
	if err := f.lookUp(ctx, committed); err != nil {
		return err
	}
	for i := range streams {
		if err := f.source.Pack(ctx, &f.opts, &streams[i].Output); err != nil {
			return err
		}
	}
	f.shards.Take(&f.opts)
	names := namesOf(streams, f.source.To, f.shards)
	f.commit = commit{
		store: f.store(), out: &f.out, streams: names, format: f.source.Dialect,
		options: optionsOf(f.c, f.source.Settings, f.indexes.names(f.c.Index.Against)), exact: f.judging.Exact,
	}
	last, err := toResume(f.c, committed, f.commit)
	if err != nil {
		return err
	}
	if last != nil {
		f.opts.From = last.Stats
		if f.shards != nil {
			if streams[0].Output, err = f.shards.Open(len(last.Stats.Shards)); err != nil {
				return usage.Error(err)
			}
		}
	}
	if when := f.c.Index.Checkpoint; when.IsSet() {
		f.opts.Checkpoints = &stream.Checkpoints{
			Records: when.Records, Every: when.Every, Commit: f.checkpoint,
		}
	}
	f.streams = streams
	if err := f.openJournal(committed, last != nil); err != nil {
		return err
	}
	if f.runs.isThere(f.c, committed, f.std) {
		if f.std.Out, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0); err != nil {
			return err
		}
	}
	if err := f.out.open(f.c, streams, f.std, last); err != nil {
		return err
	}
	f.opts.Output, f.opts.Duplicates = f.out.kept.Writer(), f.out.duplicates.Writer()
	f.opts.Rejects = f.out.rejects.Writer()
	rows, err := f.tables.Take(&f.source, &f.opts, f.keptPath(), f.std.Cores.Count())
	if err != nil {
		return f.out.nameLeft(errors.Join(err, f.out.abandon()))
	}
	f.shards.Tell(rows)
	if f.out.flags != nil {
		f.opts.Sinks = append(f.opts.Sinks, stream.Flags(f.out.flags))
	}
	if f.judging.HasNames() {
		f.nameOriginals()
	}
	f.collectPage()
	if f.parts != nil {
		f.opts.Edit, f.parts.before = f.parts.edit, f.opts.From.Records
		f.opts.EditedOnly = f.c.Action == config.ActionReport
	}
	return f.task.ready(f)
}

func (f *filterRun) run(ctx context.Context) error {
	run, err := stream.New(f.opts)
	if err != nil {
		return f.out.nameLeft(errors.Join(err, f.out.abandon()))
	}
	f.progress = startProgress(run, f.judging, f.std.Err, f.c.Output.Quiet, f.typed)
	f.progress.task, f.progress.shards, f.progress.tables, f.progress.runs = f.task, f.shards, &f.tables, f.runs
	stats, err := run.Do(ctx)
	err = f.explainUnreadable(err)
	err = f.conclude(ctx, stats, f.runs.explain(err))
	if err != nil && (stats.Records == f.opts.From.Records || errors.As(err, new(*stream.UnreadableError))) {
		return err // nothing was done: there is nothing to sum up
	}
	f.progress.sumUp(stats)
	if f.shards != nil && stats.Complete {
		f.shards.WarnOfOthers(len(stats.Shards) + 1)
	}
	return err
}

// conclude puts the outputs in place, the statistics last, and then commits the index (I3). What
// fails before the commit leaves the index as it was, so the command can be given again.
func (f *filterRun) conclude(ctx context.Context, stats stream.Stats, err error) error {
	if err == nil && f.ending != nil {
		err = f.runs.explain(f.ending())
	}
	if err == nil {
		err = f.tables.Finish(ctx)
	}
	if err == nil && stats.Lost == uint64(len(f.paths)) && stats.Records == 0 {
		err = fmt.Errorf("no input could be read, the first: %s", *stats.FirstLost)
	}
	f.progress.stop()
	err = errors.Join(err, f.out.finish(err == nil))
	if f.tables.Any() {
		stats.Written.Output = f.shards.SizeBefore() + f.out.kept.Uncompressed()
	}
	stats.Complete = stats.Complete && err == nil
	err = errors.Join(err, f.progress.writeStats(stats, f.out.stats), f.writePage(ctx, stats, err))
	if err == nil {
		err = f.commitRun(stats)
	}
	switch {
	case errors.As(err, new(errSignal)) && f.opts.Checkpoints != nil:
		return f.out.nameLeft(fmt.Errorf("%w: run the same command with --resume to go on", err))
	case err != nil:
		return f.out.nameLeft(err)
	case stats.Lost > 0:
		return errLost{stats.Lost, len(f.paths), *stats.FirstLost}
	case f.opts.Convert && f.c.Output.Rejects == "" && stats.Rejects.Broken() > 0:
		return errNoForm{stats.Rejects.Broken()}
	case f.c.OnError == stream.ErrorFail && stats.Rejects.Total() > 0:
		return errRejects{stats.Rejects.Total()}
	}
	return nil
}

// commitRun makes the index durable after a run that is complete, if it is kept and has changed.
func (f *filterRun) commitRun(stats stream.Stats) error {
	if f.commit.store == nil {
		return f.noteRepeated(stats)
	}
	number, err := f.complete(stats)
	if err != nil {
		return err
	}
	if err := f.commit.commit(progress{Stats: stats, LastRun: number}); err != nil {
		return err
	}
	f.committed = true
	f.runs.of.Keep(f.runs.keep)
	return nil
}

// checkpoint makes a run durable on its way.
func (f *filterRun) checkpoint(stats stream.Stats) error {
	if err := f.out.sync(); err != nil {
		return err
	}
	if f.runs.isReplaying() {
		return nil // the index has nothing of this run yet
	}
	recorded, err := f.runs.checkpoint()
	if err != nil {
		return err
	}
	return f.commit.commit(progress{Stats: stats, LastRun: f.runs.last, Run: recorded})
}
