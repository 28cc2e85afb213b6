package formats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Tables are the outputs of a run that are tables: rows as they were read, or rows made from
// records, which all have the same columns. The zero Tables is for a run without such outputs,
// which the stream writes itself.
type Tables struct {
	sink   RowSink       // of rows as they came; else nil
	made   []tableOutput // of other records
	format Format
	form   Form
	fields func() []string // the columns of a table of no records

	columns columns.Table
	given   bool // the columns, by --schema

	waited, written atomic.Uint64 // records that have waited for the columns, and those that were written then
}

// A tableOutput takes the records of an output.
type tableOutput interface {
	stream.RecordWriter
	// divide returns what the stream is to call where a file ends, in place of next, which puts
	// that file in its place and begins another one.
	divide(next nextFile) nextFile
	finish(ctx context.Context) error // ends the table of a run that is complete
	close() error
}

// A nextFile is stream.Shards.Next.
type nextFile = func(done stream.Shard, number int) (io.Writer, error)

// Attach takes from a run the outputs that are tables. kept is what the file is called that kept
// records go to first. Where the run divides them it returns what is to be told of the next file;
// nil if that is the stream alone. Threads compress what waits.
func (t *Tables) Attach(s *Source, opts *stream.Options, kept string, threads int) (NextOutput, error) {
	switch {
	case s.rows != nil && s.StaysRows():
		return t.attachRows(s, opts, kept), nil
	case !s.BecomesTable():
		return nil, nil
	}
	return t.attachRecords(s, opts, kept, threads)
}

// attachRows has rows leave as they came.
func (t *Tables) attachRows(s *Source, opts *stream.Options, kept string) NextOutput {
	if opts.Output == nil && opts.Duplicates == nil && opts.Rejects == nil {
		return nil
	}
	t.sink = s.rows.Sink(s.Written(), s.request.Form, columnar.Outputs{
		Kept:       columnar.Output{To: opts.Output, Path: kept},
		Duplicates: columnar.Output{To: opts.Duplicates, Path: s.request.Duplicates},
		Rejects:    columnar.Output{To: opts.Rejects, Path: s.request.Rejects},
		Inputs:     s.request.inputs(s.std),
	})
	opts.Sinks = append(opts.Sinks, t.sink)
	opts.Output, opts.Duplicates, opts.Rejects = nil, nil, nil
	return t.sink.Next
}

// attachRecords makes rows of records.
func (t *Tables) attachRecords(
	s *Source, opts *stream.Options, kept string, threads int,
) (divided NextOutput, err error) {
	t.format, t.form, t.fields = of(s.To), s.request.Form, s.TextFields
	if s.rows != nil {
		t.fields = s.rows.Columns
	}
	if t.given = s.Schema != nil; t.given {
		t.columns = *columns.NewTable(s.Schema, of(s.Name).Has(layout.Columns))
	}
	for _, o := range []struct {
		out  *io.Writer
		path string
	}{{&opts.Output, kept}, {&opts.Duplicates, s.request.Duplicates}} {
		if *o.out == nil {
			continue
		}
		to := &tableWriter{of: t, to: columnar.Output{To: *o.out, Path: o.path}}
		w := tableOutput(passing{to})
		if !t.given {
			if w, err = newWaiting(to, threads); err != nil {
				return nil, err
			}
		}
		t.made = append(t.made, w)
		*o.out = w
		if opts.Shards != nil && o.out == &opts.Output {
			divided, opts.Shards.Next = to.Next, w.divide(opts.Shards.Next)
		}
	}
	return divided, nil
}

// learn takes the columns of a record.
func (t *Tables) learn(record []byte) error {
	switch err := t.columns.Add(record); {
	case err != nil && t.given:
		return fmt.Errorf("it does not fit --schema: %w", err)
	case err != nil:
		return fmt.Errorf("%w: use --to jsonl", err)
	}
	return nil
}

// Any reports whether there are such outputs: the stream does not know how large they are.
func (t *Tables) Any() bool { return t.sink != nil || len(t.made) > 0 }

// Rows is how many records of all that have waited for their columns are written. Any goroutine may
// ask.
func (t *Tables) Rows() (written, all uint64) { return t.written.Load(), t.waited.Load() }

// Finish ends the tables of a run that is complete.
func (t *Tables) Finish(ctx context.Context) error {
	var err error
	if t.sink != nil {
		err = t.sink.Close()
	}
	for _, w := range t.made {
		if err == nil {
			err = w.finish(ctx)
		}
	}
	if err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// Close gives back what waits.
func (t *Tables) Close() error {
	var errs []error
	for _, w := range t.made {
		errs = append(errs, w.close())
	}
	return errors.Join(errs...)
}
