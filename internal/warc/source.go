package warc

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/stream"
)

// handful is the number of bytes of records passed to the stream at a time.
const handful = 256 << 10

// A recordReader passes the records of a file to a stream.
type recordReader struct {
	*Reader
	packer *compress.Packer // makes members of long records; nil if no output has members
	head   uint64           // hash of the first header
	placed int64            // bytes of the file that the records so far occupy

	header []byte // header of a long record that has not been passed on yet
	long   Record // that record
	inside bool   // part of it was passed on
}

// Records returns the records of src, as opened by compress.NewMemberReader. A record longer than
// most bytes counts as unreadable. If packer is not nil, records that are whole gzip members are
// passed on as such too.
func Records(src io.ReadCloser, most int, packer *compress.Packer) stream.RecordReader {
	return &recordReader{Reader: NewReader(src, most), packer: packer}
}

// ReadRecords implements stream.RecordReader.
func (r *recordReader) ReadRecords(_ context.Context, to *stream.Records) error {
	defer func() { to.Head = r.head }()
	for len(r.header) == 0 && !r.inside {
		start := len(to.Buf)
		buf, rec, err := r.Next(to.Buf)
		to.Buf = buf
		if err != nil {
			to.Buf = buf[:start]
			return err
		}
		if r.head == 0 {
			r.head = xxh3.Hash(buf[start:][:rec.Header])
		}
		if rec.Long {
			r.header, r.long = append(r.header, buf[start:]...), rec
			to.Buf = buf[:start]
			if len(to.List) > 0 {
				return nil
			}
			break
		}
		r.append(to, start, rec)
		r.place(to)
		if len(to.Buf)+len(to.Packed) >= handful || r.waits() {
			return nil
		}
	}
	return r.readPiece(to)
}

// append adds the record at the end of to.Buf.
func (r *recordReader) append(to *stream.Records, start int, rec Record) {
	body := len(to.Buf)
	record := stream.Record{Raw: record.Span{Start: start, End: body}, Text: record.Span{Start: start, End: body},
		Aside: !rec.Judged, Time: rec.Time, Names: rec.Names, RefersTo: rec.RefersTo}
	if r.packer != nil && rec.Member != nil {
		record.Packed.Start = len(to.Packed)
		to.Packed = append(to.Packed, rec.Member...)
		record.Packed.End = len(to.Packed)
	}
	to.List = append(to.List, record)
}

// place counts what was consumed of the file.
func (r *recordReader) place(to *stream.Records) {
	to.Bytes += uint64(r.read - r.placed)
	r.placed = r.read
}

// readPiece passes on the next part of a long record.
func (r *recordReader) readPiece(to *stream.Records) error {
	to.Piece = stream.MiddlePiece
	if !r.inside {
		to.Piece = stream.FirstPiece
		to.Buf = append(to.Buf, r.header...)
		r.header = r.header[:0]
	}
	buf, last, _, err := r.More(to.Buf, handful)
	to.Buf = buf
	if err != nil {
		if r.inside {
			err = record.Fatal(fmt.Errorf("of a record that is longer than max-record a part is written: %w", err))
		}
		to.Buf, r.inside = buf[:0], false
		return err
	}
	if last && to.Piece == stream.FirstPiece {
		to.Piece = stream.WholeRecords
	} else if last {
		to.Piece = stream.LastPiece
	}
	r.inside = !last
	r.place(to)
	record := stream.Record{Raw: record.Span{End: len(buf)}, Problem: record.TooLong, Aside: !r.long.Judged,
		Names: r.long.Names, RefersTo: r.long.RefersTo}
	if r.packer != nil {
		to.Packed = r.packer.AppendPiece(to.Packed, buf, last)
		record.Packed.End = len(to.Packed)
	}
	to.List = append(to.List, record)
	return nil
}

// Skip implements stream.RecordReader.
func (r *recordReader) Skip(at stream.Position) error {
	var buf []byte
	for r.read < int64(at.Bytes) {
		var rec Record
		var err error
		if buf, rec, err = r.Next(buf[:0]); err == nil && r.head == 0 {
			r.head = xxh3.Hash(buf[:rec.Header])
		}
		for last := !rec.Long; err == nil && !last; {
			buf, last, _, err = r.More(buf[:0], handful)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read %s: %w", at.Name, err)
		}
		if err != nil || r.head != at.Head {
			break
		}
	}
	r.placed = r.read
	if r.read != int64(at.Bytes) || r.head != at.Head {
		return stream.CannotResume(
			"%s does not hold the records that the run to be resumed had read: give it the same "+
				"input from its beginning", at.Name)
	}
	return nil
}

// Close closes the file.
func (r *recordReader) Close() error { return r.src.Close() }
