package stream

import (
	"context"
	"io"
)

// A RecordReader reads records from something other than a byte stream: the rows of a column file,
// the messages of a topic, the members of an archive. It is called from one goroutine.
type RecordReader interface {
	// ReadRecords appends the next records to r, at least one unless it returns an error or a mark.
	// io.EOF means that no records follow. Records appended before an error count. While it waits
	// for records it returns soon after ctx is done. To bound memory it should return once r.Buf
	// holds about a quarter of a MiB, and must not append a record longer than the user allows: use
	// TooLong instead.
	ReadRecords(ctx context.Context, r *Records) error
	// Skip passes over the records that an earlier run has dealt with. It is called before
	// ReadRecords, if at all.
	Skip(at Position) error
	Close() error
}

// A Namer is a RecordReader of rows that have values beside their texts.
type Namer interface {
	// Name is called before all else, with the fields whose values Records.Named is to have. Each
	// must be one string or number in a row.
	Name(fields []Field) error
}

// Records are the records that a RecordReader reads at a time.
type Records struct {
	Buf    []byte // what List speaks of; it is reused as soon as all records of it are committed
	Packed []byte // what Record.Packed speaks of
	List   []Record
	// If List is a single record and Buf holds a piece of it, Piece says which. Each piece has the
	// Problem of the record, TooLong.
	Piece Piece
	Tag   any // is handed to the Sink; or, without any record, to Options.Mark
	Held  int // bytes of memory that Tag has

	// Named are, for each of List, where in Buf the values stand that a Namer was asked for, as
	// JSON. An empty span is none.
	Named []Span

	// Sketches holds the sketches that Record.Sketch speaks of. A reader fills it if it knows what
	// a Method makes of the texts.
	Sketches []uint64

	Bytes uint64 // of the input that these records take: for statistics, and for the Position after them
	Head  uint64 // identifies the input, for Position.Head; 0 if nothing does

	// Place says for messages where a record stands, if that is not its number in the input. It may
	// be nil.
	Place func(i int) (input string, record uint64)
}

// named are the values of the named fields of record i.
func (r *Records) named(i int) []Span {
	fields := len(r.Named) / max(1, len(r.List))
	return r.Named[i*fields : (i+1)*fields]
}

// A Record is one of Records.
type Record struct {
	Raw  Span // is written; it may be empty if a Sink writes the record
	Text Span // from which the Format takes the text
	// In Records.Packed: the record as a compressed stream of its own. If it is empty, a worker
	// makes one for each output that takes such streams.
	Packed  Span
	Sketch  Span      // in Records.Sketches; if it is empty, a worker makes a sketch of the text
	Time    int64     // when it was made, in seconds since 1970; 0 if that is not known
	Problem Problem   // why it has no text; zero if it has one
	Omitted Omissions // what the text leaves out
	// Aside marks what is no record to judge. It goes to the output and is not counted; a converted
	// output leaves it out.
	Aside bool
	// Names identify the record to records that refer to it. RefersTo names the record that this
	// one refers to, most reliable name first: if that record was removed, this one is removed too,
	// provided that it is Aside.
	Names, RefersTo Names
}

// A Packer appends a record to dst, compressed into a stream of its own. It may own scratch memory:
// one for each worker.
type Packer func(dst, record []byte) []byte

// Packed says which outputs take records as compressed streams of their own.
type Packed struct{ Output, Duplicates, Rejects bool }

// readRecords queues one input that frames its records itself. It returns false if that was the
// last one for this run.
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
