package formats

import (
	"errors"

	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/columnar"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// parquetTable is Parquet files as one table.
type parquetTable struct{ *parquet.Table }

func newParquetTable(of Columns) RowTable {
	t := parquetTable{parquet.NewTable(of.Fields, of.MaxRecord, of.AsJSON)}
	if of.Keyed {
		t.Keyed()
	}
	return t
}

// Open opens a file. Since its end must be read first, what is no file, or compressed, is copied to
// one.
func (t parquetTable) Open(name, path string, std files.Streams) (stream.RecordReader, error) {
	in, err := std.Reader(), error(nil)
	if path != "-" {
		if in, err = std.OpenRaw(path); err != nil {
			return nil, err
		}
	}
	file, err := files.Seekable(in, name, path, std.MaxWindow)
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

// Sink writes rows as Parquet, or as Arrow.
func (t parquetTable) Sink(to string, form Form, o columnar.Outputs) RowSink {
	if to == "arrow" {
		return arrow.NewParquetSink(t.Table, o)
	}
	return t.NewSink(form.ofParquet(), o)
}

func newParquetBuilder(to columnar.Output, list []columnar.Column, form Form) (columnar.Builder, error) {
	return parquet.NewBuilder(to.To, list, form.ofParquet())
}

// ofParquet says how Parquet files are written.
func (f Form) ofParquet() parquet.Form {
	return parquet.Form{
		Program: "mithril-stream version " + files.Version(), GroupRows: f.GroupRows, GroupBytes: f.GroupBytes,
	}
}
