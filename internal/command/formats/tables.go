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
	sink   RowSink       // of rows as they were read; otherwise nil
	made   []tableOutput // of other records
	format Format
	form   Form
	fields func() []string // the columns of a table without records

	columns columns.Table
	given   bool // --schema gives the columns

	waited, written atomic.Uint64 // records that have waited for the columns, and how many of them were written then
}

// A tableOutput takes the records of an output.
type tableOutput interface {
	stream.RecordWriter
	// divide returns the function that the stream is to call at the end of a file instead of next.
	// next completes that file and begins another one.
	divide(next nextFile) nextFile
	finish(ctx context.Context) error // ends the table of a run that is complete
	close() error
}

// A nextFile is stream.Shards.Next.
type nextFile = func(done stream.Shard, number int) (io.Writer, error)

// Attach takes over the outputs of a run that are tables. kept is the name of the first file for
// kept records. If the run divides these, Attach returns what must be called for each next file, or
// nil if the stream writes them itself. threads is the number of threads that compress waiting
// records.
func (t *Tables) Attach(s *Source, opts *stream.Options, kept string, threads int) (NextOutput, error) {
	switch {
	case s.rows != nil && s.StaysRows():
		return t.attachRows(s, opts, kept), nil
	case !s.BecomesTable():
		return nil, nil
	}
	return t.attachRecords(s, opts, kept, threads)
}

// attachRows makes the run write rows as they were read.
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

// attachRecords makes rows from records.
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

// learn adds the columns of a record.
func (t *Tables) learn(record []byte) error {
	switch err := t.columns.Add(record); {
	case err != nil && t.given:
		return fmt.Errorf("it does not fit --schema: %w", err)
	case err != nil:
		return fmt.Errorf("%w: use --to jsonl", err)
	}
	return nil
}

// Any reports whether there are such outputs, whose size the stream does not know.
func (t *Tables) Any() bool { return t.sink != nil || len(t.made) > 0 }

// Rows returns how many of all the records that have waited for their columns are written. It is
// safe for concurrent use.
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

// Close releases what holds waiting records.
func (t *Tables) Close() error {
	var errs []error
	for _, w := range t.made {
		errs = append(errs, w.close())
	}
	return errors.Join(errs...)
}
