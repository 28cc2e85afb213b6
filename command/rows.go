package command

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/term"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/compress"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// hasRows reports whether the records of a format are rows of columns, which leave as they are.
func hasRows(format string) bool { return format == "parquet" || format == "arrow" }

// keepsTypes reports whether rows of one of these formats leave as rows of the other, with their
// types.
func keepsTypes(r config.RecordFormat) bool { return hasRows(r.Name) && hasRows(r.To) }

// staysRows reports whether rows leave as such, and not as JSON.
func staysRows(r config.RecordFormat) bool { return r.To == "" || keepsTypes(r) }

// checkRows refuses what has no meaning for the rows of column files.
func checkRows(c *config.Filter) error {
	name := c.Records.Name
	if c.Records.NoHeader {
		return fmt.Errorf("--no-header is about csv and tsv, not %s", name)
	}
	if !staysRows(c.Records) {
		return nil
	}
	if keepsTypes(c.Records) {
		name = c.Records.To
	}
	switch o := c.Output; {
	case o.Annotate:
		return fmt.Errorf("--annotate would change the schema of %s file: use --flags, or --to jsonl", aKind[name])
	case c.Index.Checkpoint.IsSet() || c.Index.Resume:
		return fmt.Errorf("--checkpoint and --resume cannot go on with %s file, which counts only when it has "+
			"its end: leave them out, or use --to jsonl", aKind[name])
	}
	return checkNotCompressed(name, c.Output, c.Output.Output, c.Output.Duplicates, c.Output.Rejects)
}

// aKind is how errors speak of a file.
var aKind = map[string]string{"parquet": "a parquet", "arrow": "an arrow"}

// checkNotCompressed refuses to compress column files as a whole.
func checkNotCompressed(format string, o config.OutputFlags, paths ...string) error {
	if o.Compress.IsSet() {
		return fmt.Errorf("--compress would hide %s file from its readers: its columns are compressed already",
			aKind[format])
	}
	for _, path := range paths {
		if method, err := compress.ByName(path); err == nil && method.Format != "" {
			return fmt.Errorf("%s would be a %s file by its name, but the rows are written as "+
				"%s: name it .%[3]s", path, method.Format, format)
		}
	}
	return nil
}

// refuseTerminal refuses to write a column file to a terminal.
func refuseTerminal(format string, o config.OutputFlags, std files.Streams) error {
	if o.Output == "-" && term.IsTerminal(int(std.Out.Fd())) {
		return fmt.Errorf("%s file is not for a terminal: add -o FILE, or --to jsonl", aKind[format])
	}
	return nil
}

// unlessColumns has inputs end with an error that come from a pipe and turn out to be column files.
func unlessColumns(inputs []stream.Input) {
	for i, in := range inputs {
		if in.Name == "stdin" {
			inputs[i].Open = func() (io.ReadCloser, error) { return surprised(in.Open()) }
		}
	}
}

// surprised passes a stream on, as long as it is no column file.
func surprised(r io.ReadCloser, err error) (io.ReadCloser, error) {
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
	switch {
	case s.begun:
	case parquet.IsParquet(p[:n]):
		return 0, errors.New("it is a parquet file: add --format parquet")
	case arrow.IsArrow(p[:n]):
		return 0, errors.New("it is an arrow file: add --format arrow")
	}
	s.begun = s.begun || n > 0
	return n, err
}

// A table is how a run writes rows of column files. A nil *table is that of a run which reads none.
type table struct {
	sink    rowSink // nil if the rows leave as JSON
	newSink func(opts *stream.Options) rowSink
	isRow   bool // they leave as rows
}

// A rowSink writes rows where they belong.
type rowSink interface {
	stream.Sink
	divided       // the output of kept rows
	Close() error // ends the outputs of a run that is complete
}

// useRows prepares a run for rows, and returns where their texts are.
func (f *filterRun) useRows() ([]stream.Field, error) {
	c := f.c
	names := c.Records.Fields
	switch {
	case c.Verdicts != "": // no text is read
		names = nil
	case len(names) == 0:
		names = []string{"text"}
	}
	fields, err := parseFields(names)
	if err == nil && staysRows(c.Records) {
		err = refuseTerminal(f.formatWritten(), c.Output, f.std)
	}
	f.opts.Convert = false // the rows come as JSON, if that is what is wanted
	return fields, err
}

// readRows makes the inputs of the run what open returns.
func (f *filterRun) readRows(open func(name, path string, std files.Streams) (stream.RecordReader, error)) {
	for i, path := range f.paths {
		name := f.opts.Inputs[i].Name
		f.opts.Inputs[i] = stream.Input{Name: name, OpenRecords: func() (stream.RecordReader, error) {
			return open(name, path, f.std)
		}}
	}
}

// take gives the outputs of rows to a sink.
func (t *table) take(opts *stream.Options, kept *shards) {
	if t == nil || !t.isRow || opts.Output == nil && opts.Duplicates == nil && opts.Rejects == nil {
		return
	}
	t.sink = t.newSink(opts)
	if kept != nil {
		kept.rows = t.sink
	}
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
