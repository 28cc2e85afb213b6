package stream

import (
	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/timestamp"
)

// blockSize is the most that one read asks for. A smaller block means more handovers between
// goroutines; a larger one means more memory, for 2·threads+2 batches, and more latency whenever
// the committer waits for a worker.
const blockSize = 256 << 10

// keptSize is the largest buffer that a batch keeps when it is reused. Rows that fill a block can
// take up to three times as much as JSON with their texts beside it.
const keptSize = 4 * blockSize

// A batch is an element of the ring: a block of input, and what its worker made of it. Exactly one
// goroutine owns it at a time: the reader, then a worker, then the committer, then the reader
// again.
type batch struct {
	block
	records  []extent
	sketches Batch     // of the records that are judged: all but those set aside, and later pieces
	texts    []newText // of these
	sinkValues
	lineTimes
	noTime   noTime        // the first record without the time that a judge needs
	omitted  []omittedOf   // what texts leave out
	present  presence      // which fields some record has
	done     chan struct{} // capacity 1: the worker is through
	measured int64         // bytes, when it came back the last time (memory)
	framing
}

// A block is the input in a batch.
type block struct {
	buf     []byte // whole records, or one piece of a record that is longer than max-record
	piece   Piece
	added   int           // bytes at the end of buf that were not in the input
	input   int           // which one it is from
	atStart bool          // the first batch of the input: a byte order mark may stand before its first record
	lead    int           // bytes at the beginning of buf that stand before the first record of the input
	table   *record.Table // what the input says about its records there; then the lead is a header
	loan    *loan         // owns buf, if it is not the batch's own
	err     error         // why the input cannot be read after this batch
}

// sinkValues are the values of records that sinks receive.
type sinkValues struct {
	ids      values   // if Options.ID names records
	fields   []values // the same of each of Options.Fields
	excerpts values   // of their texts, if Options.Excerpt is set
}

// lineTimes are the times of lines, under Options.LineTimes.
type lineTimes struct {
	stamps   []timestamp.Stamp // that are written in the records that are judged
	times    []int64           // what they mean, from the first line on that has a time
	lineTime *int64            // time of the last line up to the end of this batch; nil if unknown
}

// A framing says where the records of a RecordReader are.
type framing struct {
	isFramed bool // a RecordReader has filled framed, and buf and packed are its Buf and Packed
	framed   Records
	packed   []byte // records as compressed streams of their own, for the outputs that take them so
}

// An extent is the part of the batch that a record occupies, including its terminator.
type extent struct {
	start, body, end int // body is where the terminator begins
	packed           Span
	aside            bool // it is not judged
}

// A Piece says which part of an overlong record a batch holds.
type Piece uint8

const (
	WholeRecords Piece = iota
	FirstPiece
	MiddlePiece
	LastPiece
)

// values holds the values of one field, one after the other, for all records of a batch.
type values struct {
	bytes []byte
	ends  []int
}

// at returns the value of record i, or nothing if the record has none.
func (v *values) at(i int) []byte {
	if i >= len(v.ends) {
		return nil
	}
	start := 0
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.bytes[start:v.ends[i]]
}

func (v *values) reset() { v.bytes, v.ends = v.bytes[:0], v.ends[:0] }

// header returns the header of a table, which also precedes the records in an output.
func (b *batch) header() []byte {
	if b.table == nil {
		return nil
	}
	return b.buf[:b.lead]
}

func newBatch() *batch {
	return &batch{block: block{buf: make([]byte, 0, blockSize)}, done: make(chan struct{}, 1)}
}

// reset prepares the batch for the next block. It gives up memory that grew for a long record.
// Otherwise peak memory would be the length of the ring times the longest record.
func (b *batch) reset() {
	poison(b.buf)
	poison(b.packed)
	if b.loan != nil {
		b.loan.lender.reclaim(b)
	}
	if size := cap(b.buf); size == 0 || size > keptSize { // a RecordReader has grown it
		b.buf = make([]byte, 0, blockSize)
	}
	if cap(b.packed) > 2*blockSize {
		b.packed = nil
	}
	b.buf, b.packed, b.records = b.buf[:0], b.packed[:0], b.records[:0]
	b.sketches.reset()
	b.texts, b.stamps, b.lineTime, b.noTime = b.texts[:0], b.stamps[:0], nil, noTime{}
	b.ids.reset()
	for i := range b.fields {
		b.fields[i].reset()
	}
	b.excerpts.reset()
	b.omitted, b.present.texts, b.present.excluded = b.omitted[:0], 0, 0
	clear(b.present.named)
	b.isFramed, b.framed = false, Records{
		List: b.framed.List[:0], Named: b.framed.Named[:0], Sketches: b.framed.Sketches[:0],
	}
	b.piece, b.added, b.input, b.atStart = WholeRecords, 0, 0, false
	b.lead, b.table, b.err = 0, nil, nil
}
