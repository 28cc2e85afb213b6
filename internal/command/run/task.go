package run

import (
	"context"
	"errors"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/journal"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/internal/units"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Task is the purpose of a run: it says how texts are sketched, which judge decides about them,
// and what happens then. Tasks other than filtering omit or replace some of these steps.
type Task interface {
	// Sketching says how texts become sketches. Its errors are errors of usage.
	Sketching(c *config.Filter) (Sketching, error)
	// Written returns the files that are written, which must differ from all others.
	Written(c *config.Filter) []string
	// Method says how the records of a source are judged. If it fails it leaves nothing open.
	Method(ctx context.Context, c *config.Filter, from *Source) (*Method, error)
}

// A Found is what the page of a task shows that finds something else than what was removed.
type Found struct {
	// Collect says what the page counts.
	Collect func(p *Page)
	// Parameters adds those of the task, and reports whether they are all but the ones of records,
	// or all but the ones of the index.
	Parameters func(add func(name, format string, values ...any)) (ofRecords, ofMemory bool)
	// Describe completes the page. It is called twice: before and after the page has its examples.
	Describe func(run *report.Run, p *Page, filled bool)
	// Name returns the name of an original. It is nil if what is found has no similarity.
	Name func(original uint64) []byte
}

// Filtering removes duplicates by the method that the filter names.
type Filtering struct{}

// Sketching returns the sketching of the method; sketch files have sketches already.
func (Filtering) Sketching(c *config.Filter) (Sketching, error) {
	if c.Input.Sketches {
		return Sketching{}, nil
	}
	return SketchingOf(c)
}

// Written returns the files of the filter.
func (Filtering) Written(c *config.Filter) []string { return c.Written() }

// Method opens the memory, and edits records by their parts if the filter says so.
func (Filtering) Method(ctx context.Context, c *config.Filter, from *Source) (m *Method, err error) {
	if m, err = OpenMethod(ctx, c, from); err != nil {
		return nil, err
	}
	edit := c.Output.Edit
	if m.Detector.Pieces == nil || !edit.IsEnabled() {
		return m, nil
	}
	m.Detector.Pieces.KeepPieces(edit.Action != config.ActionReport)
	pieces := m.Detector.Pieces
	if m.Parts, err = EditPieces(&pieces.LastBatch, edit.Action, edit.Mask, from); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.Parts.told = journal.Pieces{AppendSeen: pieces.AppendSeen, Repeat: pieces.Repeat}
	return m, nil
}

// Textless is embedded in tasks that ignore texts.
type Textless struct{}

// Sketching returns the zero Sketching.
func (Textless) Sketching(*config.Filter) (Sketching, error) { return Sketching{}, nil }

// Written are the files of the filter.
func (Textless) Written(c *config.Filter) []string { return c.Written() }

// sketching writes band keys for another run to judge.
type sketching struct{ Filtering }

// Method writes sketches, with signatures if the filter says so.
func (sketching) Method(_ context.Context, c *config.Filter, from *Source) (*Method, error) {
	to := &sketchWriter{}
	m := &Method{
		Stream: stream.Method{NewSketcher: from.New, Judge: stream.ByRecord(nil, to.judge)}, Keys: from.Keys,
	}
	if c.Memory.Signatures {
		m.Keys.Words = SignatureWords(m.Keys.Params)
		m.Stream.NewSketcher = func() stream.Sketcher { return Measured{Sketcher: from.New()} }
	}
	m.Calls = Calls{
		Open:    func(outputs *Outputs) error { return to.open(c, m.Keys, outputs) },
		End:     func(*Outputs) error { return to.Close() },
		Summary: func(s stream.Stats) string { return units.Count(s.Unseen) + " sketched" },
	}
	return m, nil
}

// applying copies the records that a file of flags marks as kept.
type applying struct{ Textless }

// Method follows the flags.
func (applying) Method(ctx context.Context, c *config.Filter, from *Source) (*Method, error) {
	return followFlags(ctx, c, from)
}

// TaskOf returns the task of a run of the filter, or of a part of it.
func TaskOf(c *config.Filter) Task {
	switch {
	case c.Input.Verdicts != "":
		return applying{}
	case c.Output.Sketches != "":
		return sketching{}
	}
	return Filtering{}
}
