package stream

import (
	"context"
	"io"
)

// A RecordReader reads records from something other than a stream of bytes: the rows of a column
// file, the messages of a topic, the members of an archive. A single goroutine calls it.
type RecordReader interface {
	// ReadRecords appends the next records to r, at least one unless it returns an error or a mark.
	// io.EOF means that no records follow. Records appended before an error count. While it waits
	// for records, it must return soon after ctx is done. To bound memory, it should return once
	// r.Buf holds about 256 KiB. It must use TooLong for a record that is longer than the user
	// allows.
	ReadRecords(ctx context.Context, r *Records) error
	// Skip passes over the records that an earlier run has processed. It is called before
	// ReadRecords, if at all.
	Skip(at Position) error
	Close() error
}

// A Namer is a RecordReader of rows that have other values in addition to their texts.
type Namer interface {
	// Name is called before all other methods, with the fields whose values Records.Named must
	// contain. Each field must be a single string or number per row.
	Name(fields []Field) error
}

// Records are what a single call of ReadRecords returns.
type Records struct {
	Buf    []byte // what List speaks of; it is reused as soon as all records of it are committed
	Packed []byte // what Record.Packed speaks of
	List   []Record
	// Piece says which part of a record Buf contains, if List is a single record that is too long
	// for one batch. Each piece has the Problem of the record, TooLong.
	Piece Piece
	Tag   any // is handed to the Sink; or, without any record, to Options.Mark
	Held  int // bytes of memory that Tag has

	// Named contains, for each record of List, where its values of the fields given to Name are in
	// Buf, as JSON. An empty span means that there is no value.
	Named []Span

	// Sketches contains the sketches that Record.Sketch refers to, if the reader knows how the
	// Method sketches its texts.
	Sketches []uint64

	Bytes uint64 // of the input that these records take: for statistics, and for the Position after them
	Head  uint64 // identifies the input, for Position.Head; 0 if nothing does

	// Place returns the position of a record for messages, if that is not its number in the input.
	// It may be nil.
	Place func(i int) (input string, record uint64)
}

// named returns the values of the named fields of record i.
func (r *Records) named(i int) []Span {
	fields := len(r.Named) / max(1, len(r.List))
	return r.Named[i*fields : (i+1)*fields]
}

// A Record is one of Records.
type Record struct {
	Raw  Span // is written; it may be empty if a Sink writes the record
	Text Span // from which the Format takes the text
	// In Records.Packed: the record as a compressed stream of its own. If it is empty, a worker
	// compresses the record for each output that takes such streams.
	Packed  Span
	Sketch  Span      // in Records.Sketches; if it is empty, a worker makes a sketch of the text
	Time    int64     // when it was made, in seconds since 1970; 0 if that is not known
	Problem Problem   // why it has no text; zero if it has one
	Omitted Omissions // what the text leaves out
	// Aside marks something that is not a record to judge. It is written to the output and not
	// counted. A converted output leaves it out.
	Aside bool
	// Names are the names by which other records refer to this one. RefersTo are the names of the
	// record that this one refers to, the most reliable one first. If that record was removed and
	// this one is Aside, this one is removed, too.
	Names, RefersTo Names
}

// A Packer appends a record to dst, compressed as a stream of its own. It may own scratch memory,
// since each worker has its own.
type Packer func(dst, record []byte) []byte

// Packed says which outputs take records as compressed streams of their own.
type Packed struct{ Output, Duplicates, Rejects bool }

// readRecords queues the records of an input that is read by a RecordReader. It returns false if
// that was the last input for this run.
func (r *reader) readRecords(ctx context.Context, input int, src RecordReader) bool {
	for {
		if !r.waitForBatch(ctx) {
			return false
		}
		b := r.batch
		b.input, b.isFramed, b.framed.Buf, b.framed.Packed = input, true, b.buf, b.packed
		err := src.ReadRecords(ctx, &b.framed)
		b.buf, b.packed, b.piece = b.framed.Buf, b.framed.Packed, b.framed.Piece
		if !r.blocks.lender.claim(b, r.blocks.stop) {
			return r.fail(input, errStopped)
		}
		if err != nil && err != io.EOF {
			return r.fail(input, err)
		}
		if len(b.framed.List) > 0 || b.framed.Tag != nil && r.opts.Mark != nil {
			r.queue()
		}
		if err == io.EOF {
			return true
		}
	}
}
