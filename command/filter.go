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

func runFilter(ctx context.Context, c *config.Filter, std files.Streams) (err error) {
	local, indexes, err := indexesOf(std, c)
	if err != nil {
		return err
	}
	f := &filterRun{c: local, std: std, indexes: indexes}
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
	std      files.Streams
	paths    []string
	keys     method.KeyKind
	judging  *method.Judging // how records are compared; it has nothing if they are not
	parts    *partEditor     // nil unless parts of records are cut, masked or reported
	items    *contamination  // nil unless an evaluation set is looked for
	groups   *grouping       // nil unless the run is one of the two that group records
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
	var err error
	if !c.FromSketches && c.Verdicts == "" && !f.groups.isFound() && c.Contaminate == nil {
		if f.opts.Method.NewSketcher, f.keys, err = method.SketcherOf(c); err != nil {
			return usage.Error(err)
		}
	}
	if !c.FromSketches && c.Verdicts == "" {
		f.opts.Unreadable = unreadableLimit(c)
	}
	if f.paths, err = f.std.Paths(c.Inputs); err != nil {
		return err
	}
	written := c.Written()
	if f.groups != nil {
		written = f.groups.written()
	}
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
	if err := f.chooseJudge(ctx); err != nil {
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

// chooseJudge says who decides. The writer of sketches comes later, with its output.
func (f *filterRun) chooseJudge(ctx context.Context) (err error) {
	f.judging = &method.Judging{}
	switch {
	case f.c.Verdicts != "":
		return f.followFlags(ctx)
	case f.groups != nil:
		return f.useGroups()
	case f.c.Contaminate != nil:
		return f.useItems(ctx)
	case f.c.Sketch != "":
		return nil
	}
	begun, err := method.For(f.c).Open(method.Opening{
		Config: f.c, Std: f.std, Threads: f.opts.Threads, Keys: f.keys, Format: f.opts.Format, OpenStore: bloomlsh.Open,
		PartsPerRecord: func() (float64, error) { return f.partsPerRecord(ctx) },
	})
	if err != nil {
		return err
	}
	f.judging = begun
	f.opts.Method.Judge, f.opts.Similarity, f.opts.Ahead = begun.Judge, begun.Similarity, begun.Ahead
	if begun.HasNames() {
		f.opts.ID = f.c.ID
	}
	return f.editPieces()
}

// editPieces has the parts of records cut or masked that were seen, if that is asked for.
func (f *filterRun) editPieces() error {
	pieces := f.judging.Pieces
	if pieces == nil || !f.c.Edits() {
		return nil
	}
	pieces.KeepPieces(f.c.Action != config.ActionReport)
	f.parts = &partEditor{judge: pieces, action: f.c.Action, mask: []byte(f.c.Mask)}
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
	if f.c.Sketch != "" {
		return f.writeSketches()
	}
	return nil
}

func (f *filterRun) run(ctx context.Context) error {
	run, err := stream.New(f.opts)
	if err != nil {
		return f.out.nameLeft(errors.Join(err, f.out.abandon()))
	}
	f.progress = startProgress(run, f.judging, f.std.Err, f.c.Output.Quiet, f.typed)
	f.progress.items, f.progress.sketched, f.progress.shards = f.items, f.c.Sketch != "", f.shards
	f.progress.tables = &f.tables
	if f.runs != nil {
		f.progress.runs = f.runs
	}
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
