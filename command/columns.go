package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// isColumned reports whether records become rows of a table that is made anew.
func isColumned(to string) bool { return to == "csv" || hasRows(to) }

// checkColumned refuses what has no meaning for a table that is made of other records.
func checkColumned(c *config.Filter, std files.Streams) error {
	to := c.Records.To
	switch {
	case c.Records.Schema != nil && (!isColumned(to) || hasRows(c.Records.Name)):
		return errors.New("--schema is for tables that are made of other records: give --to csv, parquet or arrow, " +
			"or leave it out where the input has columns with types")
	case !isColumned(to) || keepsTypes(c.Records):
		return nil
	case c.Index.Checkpoint.IsSet() || c.Index.Resume:
		return fmt.Errorf("--checkpoint and --resume cannot go on with a table of %s that is made of %s: leave them "+
			"out, or use --to jsonl", to, c.Records.Name)
	case to == "csv":
		return nil
	}
	if err := refuseTerminal(to, c.Output, std); err != nil {
		return err
	}
	return checkNotCompressed(to, c.Output, c.Output.Output, c.Output.Duplicates)
}

// A columned is the outputs of records that become rows. They have one table, so that all of them
// have the same columns. A nil *columned is that of a run without such outputs.
type columned struct {
	to      string
	fields  []string // the columns of a table of no records
	form    parquet.Form
	cores   int
	paths   [2]string // of kept and removed records
	table   *columns.Table
	given   bool // the columns, by --schema
	outputs []tableOutput

	waited, written atomic.Uint64 // records that have waited for the columns, and those that were written then
}

// A tableOutput takes the records of an output.
type tableOutput interface {
	stream.RecordWriter
	// divide returns what the stream is to call where a file ends, in the place of next, which puts
	// that file in its place and begins another one.
	divide(next nextFile) nextFile
	finish(ctx context.Context) error // ends the table of a run that is complete
	close() error
}

// A nextFile is stream.Shards.Next.
type nextFile = func(number int) (io.Writer, error)

// newColumned is for the records of a run whose texts are in fields, where the user has named some.
func newColumned(c *config.Filter, cores int) *columned {
	fields := c.Records.Fields
	if len(fields) == 0 {
		fields = []string{"text"}
	}
	table := &columns.Table{}
	if c.Records.Schema != nil {
		table = columns.NewTable(c.Records.Schema, c.Records.Name == "csv" || c.Records.Name == "tsv")
	}
	return &columned{
		table: table, given: c.Records.Schema != nil,
		to: c.Records.To, fields: fields, form: formOf(c.Output), cores: cores,
		paths: [2]string{c.Output.Output, c.Output.Duplicates},
	}
}

// take makes tables of the outputs of records, of which the first may be divided into files.
func (c *columned) take(opts *stream.Options, kept *shards) error {
	if c == nil {
		return nil
	}
	for i, out := range []*io.Writer{&opts.Output, &opts.Duplicates} {
		if *out == nil {
			continue
		}
		to := &tableWriter{of: c, out: *out, path: c.paths[i]}
		w, err := c.newOutput(to)
		if err != nil {
			return err
		}
		c.outputs = append(c.outputs, w)
		*out = w
		if kept != nil && out == &opts.Output {
			to.path, kept.rows = kept.path(0), to
			opts.Shards.Next = w.divide(opts.Shards.Next)
		}
	}
	return nil
}

func (c *columned) newOutput(to *tableWriter) (tableOutput, error) {
	if c.given {
		return passing{to}, nil
	}
	return newWaiting(c, to)
}

// learn takes the columns of a record.
func (c *columned) learn(record []byte) error {
	switch err := c.table.Add(record); {
	case err != nil && c.given:
		return fmt.Errorf("it does not fit --schema: %w", err)
	case err != nil:
		return fmt.Errorf("%w: use --to jsonl", err)
	}
	return nil
}

// finish ends the tables of a run that is complete.
func (c *columned) finish(ctx context.Context) error {
	if c == nil {
		return nil
	}
	for _, w := range c.outputs {
		if err := w.finish(ctx); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	return nil
}

// close gives back what waits.
func (c *columned) close() error {
	if c == nil {
		return nil
	}
	var errs []error
	for _, w := range c.outputs {
		errs = append(errs, w.close())
	}
	return errors.Join(errs...)
}
