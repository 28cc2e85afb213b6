package formats

import (
	"github.com/mithril-stream/mithril-stream/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/columnar"
	"github.com/mithril-stream/mithril-stream/stream/parquet"
)

// parquetTable is Parquet files as one table.
type parquetTable struct{ *parquet.Table }

func newParquetTable(of columnar.Wanted) RowTable { return parquetTable{parquet.NewTable(of)} }

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
	return openAt(file, func(size int64) (stream.RecordReader, error) {
		return t.Table.Open(name, file, size, file.Close)
	})
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
