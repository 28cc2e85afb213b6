package run

import (
	"context"
	"fmt"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/method"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Task is what a run is for: it says what is made of texts, who judges them, and what becomes of
// that. The others than filtering leave out a part of it, or do something else in its place.
type Task interface {
	// Sketcher returns what makes a sketcher for each worker, and of which kind its sketches are.
	// It is nil where nothing is made of texts.
	Sketcher(c *config.Filter) (func() stream.Sketcher, method.KeyKind, error)
	// Written are the files that are written, which must not be mixed with others.
	Written(c *config.Filter) []string
	// Begin sets who judges, when it is known where records come from.
	Begin(ctx context.Context, f *Run) error
	// Ready is called when the outputs are open.
	Ready(f *Run) error
}

// A shownTask is a task whose page says something else than what was removed.
type shownTask interface {
	Task
	// Collect says what the page counts.
	Collect(p *Page)
	// Parameters adds those of the task, and reports whether they are all but the ones of records,
	// or all but the ones of the index.
	Parameters(add func(name, format string, values ...any)) (ofRecords, ofMemory bool)
	// Describe completes the page. It is called twice: before and after the page has its examples.
	Describe(run *report.Run, p *Page, filled bool)
	// Name returns what an original is called, or nil if that is not known.
	Name(original uint64) []byte
	// IsSimilar reports whether what is found has a similarity.
	IsSimilar() bool
}

// A summingTask is a task that says itself what it has found.
type summingTask interface {
	Task
	Summary(s stream.Stats) string
}

// A countingTask is a task that has read the records before the run that writes does. The
// statistics have the counts of both, and how long both took.
type countingTask interface {
	Task
	// Counted completes the counts of the run that writes by what was found before.
	Counted(s stream.Stats) (all stream.Stats, groups uint64, elapsed time.Duration)
}

// Filtering removes duplicates, by the method that is asked for.
type Filtering struct{}

func (Filtering) Sketcher(c *config.Filter) (func() stream.Sketcher, method.KeyKind, error) {
	if c.Input.Sketches {
		return nil, method.KeyKind{}, nil
	}
	return method.SketcherOf(c.Method)
}

func (Filtering) Written(c *config.Filter) []string { return c.Written() }

func (Filtering) Begin(ctx context.Context, f *Run) error {
	if f.Keys.Words > 0 {
		return fmt.Errorf("%s has signatures, for groups, and bands that find candidates: sketch without "+
			"--signatures for dedup", object.Name(f.Paths[0]))
	}
	begun, err := method.For(f.Config.Method).Open(method.Opening{
		Method: f.Config.Method, Keys: f.Keys, Cores: CoresOf(f.Std, f.Opts.Threads),
		Format: f.Opts.Format, ID: f.Config.Input.ID, OpenStore: bloomlsh.Open,
		FormatName: f.Source.Name, Separator: f.Source.Separator,
		Records:        func() uint64 { return f.sketched + f.Source.Estimate(ctx) },
		EachKey:        f.eachKey(ctx),
		PartsPerRecord: func() (float64, error) { return f.partsPerRecord(ctx) },
	})
	if err != nil {
		return err
	}
	f.Judging = begun
	f.Opts.Method.Judge, f.Opts.Similarity, f.Opts.Ahead = begun.Judge, begun.Similarity, begun.Ahead
	if f.Config.Input.FlagsIn != "" {
		f.Opts.Method.Judge = leavingOut{judge: begun.Judge}
	}
	if begun.HasNames() {
		f.Opts.ID = f.Config.Input.ID
	}
	if begun.Digest != nil {
		if f.Opts.Convert || f.Opts.Array {
			return usage.Error(fmt.Errorf("--every and --rate have no place in the format of %s: write records as "+
				"they come, and convert them in a second step", f.keptPath()))
		}
		f.Opts.Insert = begun.Digest
	}
	if begun.Pieces == nil || !f.Config.Output.Edit.IsMeant() {
		return nil
	}
	begun.Pieces.KeepPieces(f.Config.Output.Edit.Action != config.ActionReport)
	return f.EditPieces(begun.Pieces, f.Config.Output.Edit.Action, f.Config.Output.Edit.Mask)
}

func (Filtering) Ready(*Run) error { return nil }

// CoresOf says which processors an index may use beside goroutines that sketch.
func CoresOf(std files.Streams, threads int) method.Cores {
	return method.Cores{Threads: threads, Count: std.Cores.Count(), Wide: std.Cores.Wide}
}

// Reading is the task of reading records for a judge that is set later. It sketches their texts so,
// or makes nothing of them where New is nil.
type Reading struct {
	Filtering
	New func() stream.Sketcher
}

// Sketcher leaves a model that sketches are made with to who has opened it.
func (r Reading) Sketcher(*config.Filter) (func() stream.Sketcher, method.KeyKind, error) {
	return r.New, method.KeyKind{}, nil
}

func (Reading) Begin(context.Context, *Run) error { return nil }

// sketching writes band keys, which are judged by another run.
type sketching struct{ Filtering }

func (sketching) Begin(context.Context, *Run) error { return nil } // the writer comes with its output

func (sketching) Ready(f *Run) error { return f.writeSketches() }

func (sketching) Summary(s stream.Stats) string { return units.Count(s.Unseen) + " sketched" }

// applying copies the records that a file of flags says are kept.
type applying struct{ Reading }

func (applying) Begin(ctx context.Context, f *Run) error { return f.followFlags(ctx) }

// TaskOf is what a run of the filter, or of a part of it, is for.
func TaskOf(c *config.Filter) Task {
	switch {
	case c.Input.Verdicts != "":
		return applying{}
	case c.Output.Sketches != "":
		return sketching{}
	}
	return Filtering{}
}
