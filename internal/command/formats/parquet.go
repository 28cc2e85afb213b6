package formats

import (
	"errors"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/arrow"
	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/parquet"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A parquetTable reads Parquet files as one table.
type parquetTable struct{ *parquet.Table }

func newParquetTable(of columnar.RowNeeds) RowTable {
	t := parquet.NewTable(of)
	t.ArrowTypes = arrow.Noted{}
	return parquetTable{t}
}

// Bytes at both ends of an object that are fetched together. Most footers fit into the last ones.
const headBytes, footerBytes = 16, 64 << 10

// Open opens a file. Since its end must be read first, an input that is compressed or not a regular
// file is copied to one. Of an object, only what is needed is fetched, unless its server sends it
// in one piece.
func (t parquetTable) Open(name, path string, std files.Streams) (stream.RecordReader, error) {
	if object.IsRemote(path) {
		at, err := std.Objects.At(path)
		if err == nil {
			at, err = at.Ends(headBytes, footerBytes)
		}
		switch {
		case err == nil && !isCompressed(at):
			return t.Table.Open(name, at, at.Size(), func() error { return nil })
		case err != nil && !errors.Is(err, object.ErrInOnePiece):
			return nil, err
		}
	}
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
		return t.Table.Open(name, std.Positions.FollowAt(path, file), size, file.Close)
	})
}

// Expect reads the footer of an input.
func (t parquetTable) Expect(name, path string, std files.Streams) error {
	if object.IsRemote(path) {
		at, err := std.Objects.At(path)
		if err == nil {
			at, err = at.Ends(headBytes, footerBytes)
		}
		if err != nil || isCompressed(at) {
			return nil // the error is reported when the input is read
		}
		return t.Table.Expect(name, at, at.Size())
	}
	in, err := std.OpenRaw(path)
	if err != nil {
		return nil
	}
	file, err := files.Seekable(in, name, path, std.MaxWindow)
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	return t.Table.Expect(name, file, info.Size())
}

// isCompressed reports whether a file is compressed as a whole, judging by its beginning.
func isCompressed(file io.ReaderAt) bool {
	head := make([]byte, headBytes)
	n, _ := file.ReadAt(head, 0)
	return compress.IsCompressed(head[:n])
}

// Sink returns a sink that writes rows as Parquet or as Arrow.
func (t parquetTable) Sink(to string, form Form, o columnar.Outputs) RowSink {
	if to == "arrow" {
		return arrow.NewParquetSink(t.Table, o)
	}
	return t.NewSink(form.ofParquet(), o)
}

func newParquetBuilder(to columnar.Output, list []columns.Column, form Form) (columnar.Builder, error) {
	return parquet.NewBuilder(to.To, list, form.ofParquet())
}

// ofParquet returns how Parquet files are written.
func (f Form) ofParquet() parquet.Form {
	return parquet.Form{
		Program: "mithril-stream version " + files.Version(), GroupRows: f.GroupRows, GroupBytes: f.GroupBytes,
	}
}
