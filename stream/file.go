package stream

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// WholeFile is the format of inputs that consist of a single record.
func WholeFile() Format { return Framed(fileUnit, nil) }

const fileUnit = "file"

// FileRecord turns an input, which is a stream of bytes, into a single record. The record is
// written as the input's name followed by the terminator or, if asJSON is set, as an object with
// the name as "file" and the contents as "text". An input that cannot be read or is longer than
// maxRecord is written as its name.
func FileRecord(in Input, terminator string, maxRecord int, asJSON bool) Input {
	r := &fileReader{in: in, terminator: terminator, maxRecord: maxRecord, asJSON: asJSON}
	return Input{Name: in.Name, OpenRecords: func() (RecordReader, error) { return r, nil }}
}

type fileReader struct {
	in         Input
	terminator string
	maxRecord  int
	asJSON     bool
	done       bool
}

// ReadRecords returns the file even if it cannot be read, so that there are as many records as
// files. The record then has a problem, and the error follows it.
func (f *fileReader) ReadRecords(_ context.Context, to *Records) error {
	if f.done {
		return io.EOF
	}
	f.done = true
	p, err := f.read(to)
	contents := to.Buf
	if f.asJSON && p.IsReadable() {
		p = CharCheck{UTF8: true}.Check(contents)
	}
	to.Bytes, to.Head = uint64(len(contents)), xxh3.Hash(contents[:min(len(contents), record.HeadSize)])
	if !p.IsReadable() {
		to.Buf = to.Buf[:0]
	}
	r := Record{Text: Span{End: len(to.Buf)}, Problem: p}
	r.Raw.Start = len(to.Buf)
	if f.asJSON && p.IsReadable() {
		to.Buf = jsontext.AppendQuoted(append(to.Buf, `{"file":`...), []byte(f.in.Name))
		to.Buf = jsontext.AppendQuoted(append(to.Buf, `,"text":`...), contents)
		to.Buf = append(to.Buf, "}\n"...)
	} else {
		to.Buf = append(append(to.Buf, f.in.Name...), f.terminator...)
	}
	r.Raw.End = len(to.Buf)
	to.List = append(to.List, r)
	to.Place = func(int) (string, uint64) { return f.in.Name, 1 }
	return cmp.Or(err, io.EOF)
}

// read reads the file into the buffer, which is empty.
func (f *fileReader) read(to *Records) (Problem, error) {
	src, err := f.in.Open()
	if err != nil {
		return record.NotRead, err
	}
	defer src.Close()
	for {
		if len(to.Buf) == cap(to.Buf) {
			grown := make([]byte, len(to.Buf), 2*cap(to.Buf)+blockSize)
			copy(grown, to.Buf)
			to.Buf = grown
		}
		n, err := src.Read(to.Buf[len(to.Buf):cap(to.Buf)])
		to.Buf = to.Buf[:len(to.Buf)+n]
		switch {
		case len(to.Buf) > f.maxRecord:
			return TooLong, nil
		case err == io.EOF:
			return Problem{}, nil
		case err != nil:
			return record.NotRead, err
		}
	}
}

// Skip passes over the only record.
func (f *fileReader) Skip(at Position) error {
	src, err := f.in.Open()
	if err != nil {
		return err
	}
	_, err = skip(src, at)
	f.done = true
	return errors.Join(err, src.Close())
}

func (*fileReader) Close() error { return nil }
