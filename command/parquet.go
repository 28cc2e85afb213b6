package command

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// checkParquet refuses what has no meaning for the rows of column files.
func checkParquet(c *config.Filter) error {
	if c.Records.NoHeader {
		return errors.New("--no-header is about csv and tsv, not parquet")
	}
	if c.Records.To != "" {
		return checkRowGroups(c)
	}
	switch o := c.Output; {
	case o.Annotate:
		return errors.New("--annotate would change the schema of a parquet file: use --flags, or --to jsonl")
	case c.Index.Checkpoint.IsSet() || c.Index.Resume:
		return errors.New("--checkpoint and --resume cannot go on with a parquet file, which counts only when it has " +
			"its end: leave them out, or use --to jsonl")
	}
	return checkNotCompressed(c.Output, c.Output.Output, c.Output.Duplicates, c.Output.Rejects)
}

// checkRowGroups refuses to say how large row groups are where none are written.
func checkRowGroups(c *config.Filter) error {
	written := c.Records.Name
	if c.Records.To != "" {
		written = c.Records.To
	}
	if written != "parquet" && (c.Output.RowGroupRows > 0 || c.Output.RowGroupSize > 0) {
		return fmt.Errorf("--row-group-rows and --row-group-size are about parquet, and %s is written: leave them "+
			"out, or add --to parquet", written)
	}
	return nil
}

// formOf says how Parquet files are written.
func formOf(o config.OutputFlags) parquet.Form {
	return parquet.Form{
		Program:   "mithril-stream version " + Version(),
		GroupRows: uint64(o.RowGroupRows), GroupBytes: int64(o.RowGroupSize),
	}
}

// checkNotCompressed refuses to compress parquet files as a whole.
func checkNotCompressed(o config.OutputFlags, paths ...string) error {
	if o.Compress.IsSet() {
		return errors.New("--compress would hide a parquet file from its readers: its columns are compressed already")
	}
	for _, path := range paths {
		if method, err := compress.ByName(path); err == nil && method.Format != "" {
			return fmt.Errorf("%s would be a %s file by its name, but the rows are written as "+
				"parquet: name it .parquet", path, method.Format)
		}
	}
	return nil
}

// unlessParquet passes a stream on. It returns an error if the stream comes from a pipe and turns
// out to be a Parquet file.
func unlessParquet(r io.ReadCloser, err error) (io.ReadCloser, error) {
	if _, isFile := r.(io.Seeker); isFile || err != nil {
		return r, err
	}
	return &surprise{ReadCloser: r}, nil
}

type surprise struct {
	io.ReadCloser
	begun bool
}

func (s *surprise) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if !s.begun && parquet.IsParquet(p[:n]) {
		return 0, errors.New("it is a parquet file: add --format parquet")
	}
	s.begun = s.begun || n > 0
	return n, err
}

// A table is how a run reads and writes rows of column files. A nil *table is that of a run which
// does not.
type table struct {
	*parquet.Table
	form  parquet.Form
	sink  *parquet.Sink // nil if the rows leave as JSON
	isRow bool          // they leave as rows
}

// useParquet makes the inputs of the run rows of column files.
func (f *filterRun) useParquet() error {
	c := f.c
	names := c.Records.Fields
	switch {
	case c.Verdicts != "": // no text is read
		names = nil
	case len(names) == 0:
		names = []string{"text"}
	}
	fields, err := parseFields(names)
	if err != nil {
		return err
	}
	if c.Records.To == "" && c.Output.Output == "-" && term.IsTerminal(int(f.std.Out.Fd())) {
		return errors.New("a parquet file is not for a terminal: add -o FILE, or --to jsonl")
	}
	f.opts.Convert = false // the rows come as JSON, if that is what is wanted
	f.table = &table{Table: parquet.NewTable(fields, c.MaxRecord, c.Records.To != ""), isRow: c.Records.To == "",
		form: formOf(c.Output)}
	for i, path := range f.paths {
		name := f.opts.Inputs[i].Name
		f.opts.Inputs[i] = stream.Input{Name: name, OpenRecords: func() (stream.RecordReader, error) {
			return f.table.open(name, path, f.std)
		}}
	}
	return nil
}

// open opens a file. Since its end must be read first, what is no file, or compressed, is copied to
// one.
func (t *table) open(name, path string, std Streams) (stream.RecordReader, error) {
	file, err := std.reader(), error(nil)
	if path != "-" {
		if file, err = std.openRaw(path); err != nil {
			return nil, err
		}
	}
	return t.openFile(name, path, file, std.maxWindow)
}

func (t *table) openFile(name, path string, in io.ReadCloser, maxWindow int64) (stream.RecordReader, error) {
	file, err := seekable(in, name, path, maxWindow)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r, err := t.Table.Open(name, file, info.Size(), file.Close)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// seekable returns the file, or a copy of what it holds.
func seekable(in io.ReadCloser, name, path string, maxWindow int64) (*os.File, error) {
	r, err := compress.NewReader(in, path, maxWindow)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if file, isFile := in.(*os.File); isFile && r == in {
		info, err := file.Stat()
		at, failed := file.Seek(0, io.SeekCurrent)
		if err == nil && failed == nil && info.Mode().IsRegular() && at == 0 {
			return file, nil
		}
	}
	defer r.Close()
	return spool(r, name, "")
}

// take gives the outputs of rows to a sink.
func (t *table) take(opts *stream.Options) {
	if t == nil || !t.isRow || opts.Output == nil && opts.Duplicates == nil && opts.Rejects == nil {
		return
	}
	t.sink = t.NewSink(t.form, opts.Output, opts.Duplicates, opts.Rejects)
	opts.Sinks = append(opts.Sinks, t.sink)
	opts.Output, opts.Duplicates, opts.Rejects = nil, nil, nil
}

// leavesAsRows reports whether the stream knows nothing of what is written.
func (t *table) leavesAsRows() bool { return t != nil && t.sink != nil }

// close ends the files of a run that is complete.
func (t *table) close() error {
	if t == nil || t.sink == nil {
		return nil
	}
	if err := t.sink.Close(); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}
