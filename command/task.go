package command

import (
	"context"
	"fmt"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/method"
	"github.com/mithril-stream/mithril-stream/quality/report"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/object"
)

// A task is what a run is for: it says what is made of texts, who judges them, and what becomes of
// that. The others than filtering leave out a part of it, or do something else in its place.
type task interface {
	// sketcher returns what makes a sketcher for each worker, and of which kind its sketches are.
	// It is nil where nothing is made of texts.
	sketcher(c *config.Filter) (func() stream.Sketcher, method.KeyKind, error)
	// written are the files that are written, which must not be mixed with others.
	written(c *config.Filter) []string
	// begin sets who judges, when it is known where records come from.
	begin(ctx context.Context, f *filterRun) error
	// ready is called when the outputs are open.
	ready(f *filterRun) error
}

// A shownTask is a task whose page says something else than what was removed.
type shownTask interface {
	task
	// collect says what the page counts.
	collect(p *pageSink)
	// parameters adds those of the task, and reports whether they are all but the ones of records,
	// or all but the ones of the index.
	parameters(add func(name, format string, values ...any)) (ofRecords, ofMemory bool)
	// describe completes the page. It is called twice: before and after the page has its examples.
	describe(run *report.Run, p *pageSink, filled bool)
	// name returns what an original is called, or nil if that is not known.
	name(original uint64) []byte
	// isSimilar reports whether what is found has a similarity.
	isSimilar() bool
}

// A summingTask is a task that says itself what it has found.
type summingTask interface {
	task
	summary(s stream.Stats) string
}

// filtering removes duplicates, by the method that is asked for.
type filtering struct{}

func (filtering) sketcher(c *config.Filter) (func() stream.Sketcher, method.KeyKind, error) {
	if c.FromSketches {
		return nil, method.KeyKind{}, nil
	}
	return method.SketcherOf(c)
}

func (filtering) written(c *config.Filter) []string { return c.Written() }

func (filtering) begin(ctx context.Context, f *filterRun) error {
	if f.keys.Words > 0 {
		return fmt.Errorf("%s has signatures, for groups, and bands that find candidates: sketch without "+
			"--signatures for dedup", object.Name(f.paths[0]))
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
	if begun.Pieces == nil || !f.c.Edits() {
		return nil
	}
	begun.Pieces.KeepPieces(f.c.Action != config.ActionReport)
	return f.editPieces(begun.Pieces, f.c.Action, f.c.Mask)
}

func (filtering) ready(*filterRun) error { return nil }

// sketching writes band keys, which are judged by another run.
type sketching struct{ filtering }

func (sketching) begin(context.Context, *filterRun) error { return nil } // the writer comes with its output

func (sketching) ready(f *filterRun) error { return f.writeSketches() }

func (sketching) summary(s stream.Stats) string { return units.Count(s.Unseen) + " sketched" }

// applying copies the records that a file of flags says are kept.
type applying struct{ filtering }

func (applying) sketcher(*config.Filter) (func() stream.Sketcher, method.KeyKind, error) {
	return nil, method.KeyKind{}, nil
}

func (applying) begin(ctx context.Context, f *filterRun) error { return f.followFlags(ctx) }

// taskOf is what a run of the filter, or of a part of it, is for.
func taskOf(c *config.Filter) task {
	switch {
	case c.Verdicts != "":
		return applying{}
	case c.Sketch != "":
		return sketching{}
	}
	return filtering{}
}
