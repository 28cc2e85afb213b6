package formats

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/arrow"
	"github.com/mithril-stream/mithril-stream/internal/columnar"
	"github.com/mithril-stream/mithril-stream/internal/columns"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An arrowTable reads streams and files of Arrow as one table.
type arrowTable struct{ *arrow.Table }

func newArrowTable(of columnar.RowNeeds) RowTable { return arrowTable{arrow.NewTable(of)} }

// Open opens an input. A stream is read from beginning to end. A file is read by its footer, so it
// is copied first if it comes from a pipe or is compressed.
func (t arrowTable) Open(name, path string, std files.Streams) (stream.RecordReader, error) {
	in, err := std.OpenInput(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, arrow.HeadBytes)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(err, in.Close())
	}
	begun := &prefixedReader{io.MultiReader(bytes.NewReader(head[:n]), in), in}
	if arrow.IsFile(head[:n]) {
		return t.openFile(name, begun, int64(n))
	}
	r, err := t.Table.Open(name, begun)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// Expect reads the schema of an input.
func (t arrowTable) Expect(name, path string, std files.Streams) error {
	in, err := std.OpenInput(path)
	if err != nil {
		return nil // the error is reported when the input is read
	}
	head := make([]byte, arrow.HeadBytes)
	n, _ := io.ReadFull(in, head)
	begun := &prefixedReader{io.MultiReader(bytes.NewReader(head[:n]), in), in}
	if !arrow.IsFile(head[:n]) {
		return errors.Join(t.Table.Expect(name, begun), in.Close())
	}
	file, err := seekable(name, begun, int64(n))
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	return t.ExpectFile(name, file, info.Size())
}

// A prefixedReader reads the bytes that have already been taken from an input, and then the rest.
type prefixedReader struct {
	io.Reader
	in io.ReadCloser
}

func (b *prefixedReader) Close() error { return b.in.Close() }

// openFile opens an Arrow file from which before bytes have already been read.
func (t arrowTable) openFile(name string, begun *prefixedReader, before int64) (stream.RecordReader, error) {
	file, err := seekable(name, begun, before)
	if err != nil {
		return nil, err
	}
	return openAt(file, func(size int64) (stream.RecordReader, error) {
		return t.OpenFile(name, file, size, file.Close)
	})
}

// seekable returns a file from which before bytes have been read, or a copy if it is not a regular
// file.
func seekable(name string, begun *prefixedReader, before int64) (*os.File, error) {
	file, isFile := begun.in.(*os.File)
	if isFile && files.IsRegularAt(file, before) {
		return file, nil
	}
	spooled, err := files.Spool(begun, name, "")
	return spooled, errors.Join(err, begun.Close())
}

// Sink returns a sink that writes rows as Arrow or as Parquet.
func (t arrowTable) Sink(to string, form Form, o columnar.Outputs) RowSink {
	if to == "parquet" {
		return t.NewToParquet(form.ofParquet(), o)
	}
	return t.NewSink(o)
}

func newArrowBuilder(to columnar.Output, list []columns.Column, _ Form) (columnar.Builder, error) {
	return arrow.NewBuilder(to.To, list, arrow.FormByName(to.Path, arrow.Stream))
}
