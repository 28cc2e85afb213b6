package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// isColumned reports whether records become rows of a table that is made anew.
func isColumned(to string) bool { return to == "csv" || hasRows(to) }

// checkColumned refuses what has no meaning for a table whose columns are known in the end.
func checkColumned(c *config.Filter, std Streams) error {
	to := c.Records.To
	switch {
	case c.Records.Schema != nil && (!isColumned(to) || hasRows(c.Records.Name)):
		return errors.New("--schema is for tables that are made of other records: give --to csv, parquet or arrow, " +
			"or leave it out where the input has columns with types")
	case !isColumned(to) || keepsTypes(c.Records):
		return nil
	case c.Index.Checkpoint.IsSet() || c.Index.Resume:
		return fmt.Errorf("--checkpoint and --resume cannot go on with a table of %s that is made of %s: its columns "+
			"are known in the end only: leave them out, or use --to jsonl", to, c.Records.Name)
	case to == "csv":
		return nil
	}
	if err := refuseTerminal(to, c.Output, std); err != nil {
		return err
	}
	return checkNotCompressed(to, c.Output, c.Output.Output, c.Output.Duplicates)
}

// A columned is the outputs of records that become rows. Which columns there are is known when all
// records are: until then they wait in temporary files, as JSON Lines. A nil *columned is that of a
// run without such outputs.
type columned struct {
	to      string
	fields  []string // the columns of a table of no records
	form    parquet.Form
	cores   int
	paths   [2]string // of kept and removed records
	table   *columns.Table
	given   bool // the columns, by --schema
	waiting []*waiting
}

// waiting are the records of an output.
type waiting struct {
	of    *columned
	out   io.Writer
	path  string // of out
	file  *os.File
	z     *compress.Writer // into file
	part  []byte           // a line that is not whole
	lines uint64
}

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

// take has the outputs of records wait.
func (c *columned) take(opts *stream.Options) error {
	if c == nil {
		return nil
	}
	for i, out := range []*io.Writer{&opts.Output, &opts.Duplicates} {
		if *out == nil {
			continue
		}
		w := &waiting{of: c, out: *out, path: c.paths[i]}
		var err error
		if w.file, err = spool(bytes.NewReader(nil), "the output", ""); err != nil {
			return err
		}
		c.waiting = append(c.waiting, w)
		w.z, err = compress.NewWriter(w.file, compress.Method{Format: "zstd", Level: 1}, c.cores, false)
		if err != nil {
			return err
		}
		*out = w
	}
	return nil
}

// Write takes some lines, and learns their columns.
func (w *waiting) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			w.part = append(w.part, rest...)
			break
		}
		line := rest[:end]
		rest = rest[end:]
		if len(w.part) > 0 {
			w.part = append(w.part, line...)
			line = w.part
		}
		w.lines++
		switch err := w.of.table.Add(line); {
		case err != nil && w.of.given:
			return 0, fmt.Errorf("record %d of it does not fit --schema: %w", w.lines, err)
		case err != nil:
			return 0, fmt.Errorf("%w: use --to jsonl", err)
		}
		w.part = w.part[:0]
	}
	if _, err := w.z.Write(p); err != nil {
		return 0, fmt.Errorf("keep records in %s until the columns are known: %w", os.TempDir(), err)
	}
	return len(p), nil
}

// finish writes the tables.
func (c *columned) finish(ctx context.Context) error {
	if c == nil {
		return nil
	}
	for _, w := range c.waiting {
		if err := w.finish(ctx); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	return nil
}

func (w *waiting) finish(ctx context.Context) error {
	if err := w.z.End(); err != nil {
		return err
	}
	if _, err := w.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	lines, err := compress.NewReader(io.NopCloser(w.file), "", compress.DefaultMaxWindow)
	if err != nil {
		return err
	}
	defer lines.Close()
	rows, err := w.of.newRows(w)
	if err != nil {
		return err
	}
	err = eachLine(ctx, lines, "the output", func(line []byte, _ string, _ uint64) error {
		return rows.add(w.of.table.Row(line))
	})
	if err != nil {
		return err
	}
	return rows.close()
}

// close gives back what waits.
func (c *columned) close() error {
	if c == nil {
		return nil
	}
	var errs []error
	for _, w := range c.waiting {
		errs = append(errs, w.file.Close())
	}
	return errors.Join(errs...)
}

// rows are how a table is written.
type rows interface {
	add(row [][]byte) error
	close() error
}

func (c *columned) newRows(w *waiting) (rows, error) {
	list := c.table.Columns(c.fields...)
	if c.to == "csv" {
		rows := &csvRows{columns: list, out: bufio.NewWriterSize(w.out, 64<<10)}
		_, err := rows.out.Write(columns.AppendHeader(nil, list))
		return rows, err
	}
	return newTypedRows(c.to, w.path, w.out, list, c.form)
}

type csvRows struct {
	columns []columns.Column
	out     *bufio.Writer
	row     []byte
}

func (w *csvRows) add(row [][]byte) error {
	w.row = columns.AppendRow(w.row[:0], w.columns, row)
	_, err := w.out.Write(w.row)
	return err
}

func (w *csvRows) close() error { return w.out.Flush() }
