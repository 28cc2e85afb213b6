package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// useParquet makes the inputs of the run rows of column files.
func (f *filterRun) useParquet() error {
	fields, err := f.useRows()
	if err != nil {
		return err
	}
	c := f.c
	t := parquetTable{parquet.NewTable(fields, c.MaxRecord, !staysRows(c.Records))}
	if len(c.Key) > 0 {
		t.Keyed()
	}
	f.readRows(t.open)
	f.table = &table{isRow: staysRows(c.Records), newSink: func(opts *stream.Options) rowSink {
		if keepsTypes(c.Records) {
			return arrow.NewParquetSink(t.Table, f.columnOutputs(opts))
		}
		return t.NewSink(formOf(c.Output), f.columnOutputs(opts))
	}}
	return nil
}

type parquetTable struct{ *parquet.Table }

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
		Program:   "mithril-stream version " + files.Version(),
		GroupRows: uint64(o.RowGroupRows), GroupBytes: int64(o.RowGroupSize),
	}
}

// open opens a file. Since its end must be read first, what is no file, or compressed, is copied to
// one.
func (t parquetTable) open(name, path string, std files.Streams) (stream.RecordReader, error) {
	file, err := std.Reader(), error(nil)
	if path != "-" {
		if file, err = std.OpenRaw(path); err != nil {
			return nil, err
		}
	}
	return t.openFile(name, path, file, std.MaxWindow)
}

func (t parquetTable) openFile(name, path string, in io.ReadCloser, maxWindow int64) (stream.RecordReader, error) {
	file, err := files.Seekable(in, name, path, maxWindow)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r, err := t.Open(name, file, info.Size(), file.Close)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}
