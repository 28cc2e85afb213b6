package command

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/files"
	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/columnar"
)

// useArrow makes the inputs of the run rows of Arrow.
func (f *filterRun) useArrow() error {
	fields, err := f.useRows()
	if err != nil {
		return err
	}
	c := f.c
	t := arrowTable{arrow.NewTable(fields, c.MaxRecord, !staysRows(c.Records))}
	if len(c.Key) > 0 {
		t.Keyed()
	}
	f.readRows(t.open)
	f.table = &table{isRow: staysRows(c.Records), newSink: func(opts *stream.Options) rowSink {
		if keepsTypes(c.Records) {
			return t.NewToParquet(formOf(c.Output), f.columnOutputs(opts))
		}
		return t.NewSink(f.columnOutputs(opts))
	}}
	return nil
}

type arrowTable struct{ *arrow.Table }

// open opens an input. It is read from its beginning to its end, unless only its footer says what
// is where: then what is no file, or compressed, is copied to one.
func (t arrowTable) open(name, path string, std files.Streams) (stream.RecordReader, error) {
	in, err := std.OpenInput(path)
	if err != nil {
		return nil, err
	}
	head := make([]byte, arrow.HeadBytes)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errors.Join(err, in.Close())
	}
	begun := &begunReader{io.MultiReader(bytes.NewReader(head[:n]), in), in}
	if arrow.NeedsFooter(head[:n]) {
		return t.openFile(name, begun, int64(n))
	}
	r, err := t.Open(name, begun)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return r, nil
}

// A begunReader is a reader with what was read of it before.
type begunReader struct {
	io.Reader
	in io.ReadCloser
}

func (b *begunReader) Close() error { return b.in.Close() }

// openFile opens an input of which so many bytes were read before.
func (t arrowTable) openFile(name string, begun *begunReader, before int64) (stream.RecordReader, error) {
	file, isFile := begun.in.(*os.File)
	if !isFile || !files.IsRegularAt(file, before) {
		spooled, err := files.Spool(begun, name, "")
		if err = errors.Join(err, begun.Close()); err != nil {
			return nil, err
		}
		file = spooled
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	r, err := t.OpenFile(name, file, info.Size(), file.Close)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

// columnOutputs are the outputs of the run, with what they are called.
func (f *filterRun) columnOutputs(opts *stream.Options) columnar.Outputs {
	o := f.c.Output
	path := o.Output
	if f.shards != nil {
		path = f.shards.path(0)
	}
	return columnar.Outputs{
		Kept:       columnar.Output{To: opts.Output, Path: path},
		Duplicates: columnar.Output{To: opts.Duplicates, Path: o.Duplicates},
		Rejects:    columnar.Output{To: opts.Rejects, Path: o.Rejects},
	}
}
