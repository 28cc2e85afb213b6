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
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/overlap"
	"github.com/mithril-stream/mithril-stream/stream"
)

func runFilter(ctx context.Context, c *config.Filter, std files.Streams) (err error) {
	local, indexes, err := indexesOf(std, c)
	if err != nil {
		return err
	}
	f := &filterRun{c: local, std: std, indexes: indexes, openStore: bloomlsh.Open}
	defer func() {
		err = orUndo(indexes.finish(err, f.close(), f.committed), indexes.name(local.Index.Index))
	}()
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
	keys     keyKind
	memory   *seen          // nil if the run judges nothing, or by an exact memory without a limit
	exact    *exactMemory   // nil unless it was asked for
	set      *overlap.Set   // of parts, if they are remembered exactly; else nil
	parts    *partEditor    // nil unless parts of records are cut, masked or reported
	items    *contamination // nil unless an evaluation set is looked for
	groups   *grouping      // nil unless the run is one of the two that group records
	shards   *shards        // that kept records are divided into, or nil
	out      outputs
	streams  []namedStream // that are committed together
	opts     stream.Options
	commit   commit
	runs     *runJournal      // nil if the run keeps no index
	ending   func() error     // called when all records are through, before the files are finished; or nil
	ahead    *files.ReadAhead // files that come next, or nil
	table    *table           // how rows of column files are written, or nil
	rows     *columned        // the outputs that become tables, or nil
	typed    bool             // input comes from a terminal
	progress *progressLine
	page     *pageSink // nil unless it was asked for

	indexes   *bucketIndexes // those of them that are in buckets, or nil
	openStore openStore      // how the index of an exact memory is opened

	committed bool // the run is complete, whatever else fails
}

// store is what the run is committed to, or nil if it keeps nothing.
func (f *filterRun) store() *bloomlsh.Store {
	if f.exact != nil && f.exact.store != nil {
		return f.exact.store
	}
	return f.memory.durable()
}

func (f *filterRun) close() error {
	err := errors.Join(f.runs.close(), f.exact.close(), f.memory.close(), f.rows.close(), f.keys.close(),
		f.ahead.Close())
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
		if f.opts.Method.NewSketcher, f.keys, err = sketcherOf(c); err != nil {
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
	formatName, err := f.chooseSource(ctx)
	if err != nil {
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
	return f.openOutputs(ctx, formatName)
}

// announceTerminal is called before anything is awaited from a terminal.
func (f *filterRun) announceTerminal() {
	f.typed = files.AnnounceTerminal(append(slices.Clone(f.paths), f.c.Verdicts), f.std, f.c.Output.Quiet)
}

// chooseSource says where records come from.
func (f *filterRun) chooseSource(ctx context.Context) (formatName string, err error) {
	if f.c.FromSketches {
		f.announceTerminal()
		return f.readSketches(ctx)
	}
	if err := f.chooseForm(); err != nil {
		return "", usage.Error(err)
	}
	if err := f.findField(ctx); err != nil {
		return "", err
	}
	f.opts.Format, formatName, err = formatOf(f.c, f.paths)
	if err != nil {
		return "", usage.Error(err)
	}
	to := f.c.Records.To
	f.opts.Convert, f.opts.Array = to != "", to == "json"
	if isColumned(to) && !keepsTypes(f.c.Records) {
		f.rows = newColumned(f.c, f.std.Cores.Count())
	}
	f.opts.Inputs = files.Inputs(f.paths, f.std)
	unlessColumns(f.opts.Inputs)
	f.ahead = files.OpenAhead(f.paths, f.opts.Inputs, f.std)
	if formatName == "file" {
		for i, in := range f.opts.Inputs {
			f.opts.Inputs[i] = stream.FileRecord(in, f.c.Records.Separator, f.c.MaxRecord, f.opts.Convert)
		}
	}
	switch formatName {
	case "parquet":
		err = f.useParquet()
	case "arrow":
		err = f.useArrow()
	}
	if err != nil {
		return "", usage.Error(err)
	}
	if len(f.c.Inputs) > 0 && f.c.OnError != stream.ErrorFail {
		f.opts.Lost = func(p stream.Place) { f.progress.lost(p) }
	}
	return formatName, nil
}

// chooseJudge says who decides. The writer of sketches comes later, with its output.
func (f *filterRun) chooseJudge(ctx context.Context) (err error) {
	switch {
	case f.c.Verdicts != "":
		return f.followFlags(ctx)
	case f.groups != nil:
		return f.useGroups()
	case f.c.Contaminate != nil:
		return f.useItems(ctx)
	case f.c.Similar.ByVectors():
		return f.useExact(nil)
	case f.c.Method != "" && f.c.Memory == config.MemoryExact:
		return f.useSet()
	case f.c.Fingerprint != nil, f.c.Memory == config.MemoryExact:
		return f.useExact(nil)
	case f.c.Memory == config.MemoryAuto:
		return f.useAuto()
	case f.c.Sketch == "":
		index := f.c.Index
		if looksAtParts(f.c) {
			parts, err := planFor(index, f.c.MethodFlags, func() (float64, error) { return f.partsPerRecord(ctx) })
			if err != nil {
				return err
			}
			index.Capacity = config.Count(parts)
		}
		f.memory, err = openSeen(index, f.keys, f.std, f.opts.Threads, bloomlsh.Open)
		if err != nil {
			return err
		}
		f.opts.Method.Judge, f.opts.Ahead = f.memory.judge(), aheadOf(index.MemoryLimit)
		switch {
		case looksAtParts(f.c):
			return f.useParts(f.memory)
		case f.c.Method == "":
			f.opts.Similarity = f.keys.rule.Similarity
		}
	}
	return err
}

// openOutputs opens what the run writes, where an earlier run has left it if this one resumes it.
func (f *filterRun) openOutputs(ctx context.Context, formatName string) error {
	streams, err := f.out.streams(f.c, f.shards)
	if err != nil {
		return usage.Error(err)
	}
	committed, err := committedRun(f.c, f.store())
	if err != nil {
		return err
	}
	if err := f.lookUp(ctx, formatName, committed); err != nil {
		return err
	}
	if formatName == warcFormat {
		if err := f.openArchives(ctx, streams); err != nil {
			return err
		}
	}
	names := namesOf(streams, f.c.Records.To, f.shards)
	f.commit = commit{
		store: f.store(), out: &f.out, streams: names, format: formatName,
		options: optionsOf(f.c, f.indexes.names(f.c.Index.Against)), exact: f.exact,
	}
	last, err := toResume(f.c, committed, f.commit)
	if err != nil {
		return err
	}
	if last != nil {
		f.opts.From = last.Stats
		if f.shards != nil {
			if streams[0], err = f.shards.stream(len(last.Stats.Shards)); err != nil {
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
	f.shards.take(&f.opts)
	f.table.take(&f.opts, f.shards)
	if err := f.rows.take(&f.opts, f.shards); err != nil {
		return f.out.nameLeft(errors.Join(err, f.out.abandon()))
	}
	if f.out.flags != nil {
		f.opts.Sinks = append(f.opts.Sinks, stream.Flags(f.out.flags))
	}
	if f.exact != nil {
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
	f.progress = startProgress(run, f.memory, f.std.Err, f.c.Output.Quiet, f.typed)
	f.progress.items, f.progress.set = f.items, f.set
	f.progress.sketched, f.progress.exact, f.progress.shards = f.c.Sketch != "", f.exact, f.shards
	f.progress.rows = f.rows
	if f.runs != nil {
		f.progress.runs = f.runs
	}
	stats, err := run.Do(ctx)
	err = f.explainUnreadable(err, f.c.Records.Fields)
	err = f.conclude(ctx, stats, f.runs.explain(err))
	if err != nil && (stats.Records == f.opts.From.Records || errors.As(err, new(*stream.UnreadableError))) {
		return err // nothing was done: there is nothing to sum up
	}
	f.progress.sumUp(stats)
	if f.shards != nil && stats.Complete {
		f.shards.warnOfOthers(len(stats.Shards) + 1)
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
		err = errors.Join(f.table.close(), f.rows.finish(ctx))
	}
	if err == nil && stats.Lost == uint64(len(f.paths)) && stats.Records == 0 {
		err = fmt.Errorf("no input could be read, the first: %s", *stats.FirstLost)
	}
	f.progress.stop()
	err = errors.Join(err, f.out.finish(err == nil))
	if f.table.leavesAsRows() || f.rows != nil {
		stats.Written.Output = f.shards.sizeBefore() + f.out.kept.Uncompressed()
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
