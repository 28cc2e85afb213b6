package command

import (
	"errors"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/stream"
	"github.com/mithril-stream/mithril-stream/stream/arrow"
	"github.com/mithril-stream/mithril-stream/stream/compress"
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
	f.readRows(t.open)
	f.table = &table{isRow: staysRows(c.Records), newSink: t.newSink}
	if keepsTypes(c.Records) {
		f.table.newSink = func(opts *stream.Options) rowSink {
			kept, duplicates, rejects := f.arrowOutputs(opts)
			return arrow.NewParquetSink(t.Table, c.MaxRecord, kept, duplicates, rejects)
		}
	}
	return nil
}

type parquetTable struct{ *parquet.Table }

func (t parquetTable) newSink(opts *stream.Options) rowSink {
	return t.NewSink("mithril-stream version "+Version(), opts.Output, opts.Duplicates, opts.Rejects)
}

// open opens a file. Since its end must be read first, what is no file, or compressed, is copied to
// one.
func (t parquetTable) open(name, path string, std Streams) (stream.RecordReader, error) {
	file, err := std.reader(), error(nil)
	if path != "-" {
		if file, err = std.openRaw(path); err != nil {
			return nil, err
		}
	}
	return t.openFile(name, path, file, std.maxWindow)
}

func (t parquetTable) openFile(name, path string, in io.ReadCloser, maxWindow int64) (stream.RecordReader, error) {
	file, err := seekable(in, name, path, maxWindow)
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
