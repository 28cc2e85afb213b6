package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A job is a filter, whose indexes are in directories, and the task that it is for.
type job struct {
	Config  *config.Filter
	Task    Task
	indexes *bucketIndexes // the user's names of the indexes; nil: their directories
}

// against returns the user's names of the indexes that are searched besides the run's own.
func (j job) against() []string { return j.indexes.names(j.Config.Memory.Against) }

// indexNames returns the user's names of all indexes.
func (j job) indexNames() []string {
	return append(j.against(), j.indexes.name(j.Config.Memory.Index))
}

// work is a run: its job, and the values that it is a function of.
type work struct {
	job
	from *Source
	by   *Method
	to   *Outputs

	committed bool // the run is complete, even if something fails later
}

// Filter runs the filter, or a part of it, on indexes that may be in buckets.
func Filter(ctx context.Context, c *config.Filter, what Task, std files.Streams) (err error) {
	local, indexes, err := indexesOf(std, c)
	if err != nil {
		return err
	}
	w := &work{job: job{local, what, indexes}}
	defer func() {
		err = orUndo(indexes.Finish(err, w.close(), w.committed), indexes.name(local.Memory.Index))
	}()
	if err := w.open(ctx, std); err != nil {
		return err
	}
	return w.do(ctx)
}

// Copy runs a part of the filter that needs no index.
func Copy(ctx context.Context, c *config.Filter, what Task, std files.Streams) (err error) {
	w := &work{job: job{Config: c, Task: what}}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := w.open(ctx, std); err != nil {
		return err
	}
	return w.do(ctx)
}

// open opens the source, the method and the outputs. It reports everything that can be known to be
// wrong before the first record is read.
func (w *work) open(ctx context.Context, std files.Streams) (err error) {
	if w.from, err = OpenSource(ctx, w.Config, w.Task, std, w.indexNames()...); err != nil {
		return err
	}
	to := &outputFiles{}
	kept, err := divide(w.job, w.from, &to.kept)
	if err != nil {
		return err
	}
	if err := w.check(); err != nil {
		return err
	}
	if w.by, err = w.Task.Method(ctx, w.Config, w.from); err != nil {
		return err
	}
	w.to, err = openOutputs(ctx, w.job, w.from, w.by, to, kept)
	return err
}

func (w *work) close() error {
	err := errors.Join(w.to.Close(), w.by.Close(), w.from.Close())
	if err != nil && w.committed {
		err = fmt.Errorf("the run is complete and committed, but closing the index failed: %w", err)
	}
	return err
}

// do carries the records from the source through the method to the outputs.
func (w *work) do(ctx context.Context) error {
	shown, err := w.start()
	if err != nil {
		return err
	}
	return w.finish(ctx, shown)
}

// start makes the stream and shows its progress.
func (w *work) start() (*progressLine, error) {
	run, err := stream.New(w.to.opts)
	if err != nil {
		return nil, w.to.abandon(err)
	}
	shown := startProgress(run, w.from, progressOf{
		detector: w.by.memory(), hasIndex: w.Config.Memory.Index != "", tables: w.to.tables,
	})
	w.from.Std.Text.Reset()
	return shown, nil
}

// An outcome is the result of a run.
type outcome struct {
	stats   stream.Stats
	elapsed time.Duration
	doubts  found
}

// finish passes all records through the stream and ends the run.
func (w *work) finish(ctx context.Context, shown *progressLine) error {
	stats, err := shown.run.Do(ctx)
	o := outcome{stats: stats, doubts: w.doubted(stats.Duplicates)}
	err = w.to.runs.explain(w.from.ExplainUnreadable(err))
	if err == nil {
		err = w.gate(o)
	}
	err = w.conclude(ctx, &o, shown, explainDamage(err, w.to.opts))
	if err != nil && (stats.Records == w.to.opts.From.Records || errors.As(err, new(*stream.UnreadableError))) {
		return err // nothing was read, so there is nothing to summarize
	}
	o.stats = stats
	w.sumUp(o, endedEarly(err))
	if w.to.shards != nil && stats.Complete {
		w.to.shards.WarnOfOthers(len(stats.Shards) + 1)
	}
	return err
}

// conclude puts the outputs in place, the statistics last, and then commits the index (I3). A
// failure before the commit leaves the index unchanged, so the command can be repeated.
func (w *work) conclude(ctx context.Context, o *outcome, shown *progressLine, err error) error {
	if err == nil {
		err = w.endRecords(ctx, o.stats)
	}
	shown.stop()
	o.elapsed = shown.elapsed
	w.to.shards.LeaveOut(o.stats.Shard)
	err = errors.Join(err, w.to.files.finish(err == nil))
	if err == nil {
		err = w.to.shards.CheckNotReplaced()
	}
	if w.to.tables.Any() {
		o.stats.Written.Output = w.to.shards.SizeBefore() + w.to.files.kept.Uncompressed()
	}
	o.stats.Complete = o.stats.Complete && err == nil
	err = errors.Join(err, w.writeStats(*o), w.writePage(ctx, *o, err))
	if err == nil {
		err = w.commitRun(o.stats)
	}
	if err != nil {
		return w.to.failed(err)
	}
	return w.faults(o.stats)
}

// endRecords is called after the last record.
func (w *work) endRecords(ctx context.Context, s stream.Stats) error {
	if err := w.from.Std.CheckUnchanged(); err != nil {
		return err
	}
	if w.to.ending != nil {
		if err := w.to.runs.explain(w.to.ending()); err != nil {
			return err
		}
	}
	if s.Lost == uint64(len(w.from.Paths)) && s.Records == 0 {
		return fmt.Errorf("no input could be read, the first: %s", *s.FirstLost)
	}
	if err := w.to.tables.Finish(ctx); err != nil {
		return err
	}
	return w.writeCounts()
}

// faults returns the errors with which even a complete run fails.
func (w *work) faults(s stream.Stats) error {
	isToFail, hasRejects := w.from.Faults.OnError == stream.ErrorFail, w.Config.Output.Rejects != ""
	withoutForm := s.Rejects.NotUTF8() // of records that the output's format cannot hold
	if w.from.Convert {
		withoutForm = s.Rejects.Broken()
	}
	switch {
	case s.Lost > 0:
		return w.from.lost.failed(s, len(w.from.Paths))
	case isToFail && s.Rejects.CutOff() > 0:
		return cutOff(s, w.from.Convert, hasRejects)
	case !hasRejects && withoutForm > 0:
		return NoFormError{withoutForm}
	case isToFail && s.Rejects.Total() > 0:
		return RejectsError{s.Rejects.Total()}
	}
	return nil
}

// commitRun makes the index durable after a complete run, if it is kept and has changed.
func (w *work) commitRun(stats stream.Stats) error {
	if w.to.commit.Store == nil {
		return w.noteRepeated(stats)
	}
	number, err := w.endRecord(stats)
	if err != nil {
		return err
	}
	if err := w.to.commit.Commit(State{Stats: stats, LastRun: number}); err != nil {
		return err
	}
	w.committed = true
	w.to.runs.of.Keep(w.to.runs.keep)
	return nil
}

// check refuses options that the records and files do not allow, before anything is opened.
func (w *work) check() error {
	if err := w.from.CheckFields("--report-by", w.Config.Report.ReportBy...); err != nil {
		return err
	}
	if err := checkCounted(w.Config, w.from); err != nil {
		return usage.Error(err)
	}
	return checkAudited(w.Config, w.from)
}
