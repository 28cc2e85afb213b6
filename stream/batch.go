package stream

// blockSize is how much a reader asks for at once. It is a compromise: less costs more hand-overs between goroutines,
// more costs memory (there are 2·threads+2 batches) and latency while the committer waits for a worker.
const blockSize = 256 << 10

// A batch is the unit that goes round the ring: one block of input, and what the workers found out about it. Exactly one
// goroutine owns it at a time: reader, then worker, then committer, then reader again.
type batch struct {
	buf     []byte // whole records, or one piece of a record that is longer than max-record
	piece   Piece
	added   int    // bytes at the end of buf that were not in the input
	input   int    // which one it is from
	atStart bool   // the first batch of the input: a byte order mark may stand before its first record
	lead    int    // bytes at the beginning of buf that stand before the first record of the input
	table   *table // what the input has said about its records there; if it did, the lead is a header
	records []record
	keys    []Key         // the band keys of the readable records, one after the other
	loan    *loan         // what buf is, if it is not the batch's own
	err     error         // why the input cannot be read behind this batch
	done    chan struct{} // capacity 1: the worker is through

	isFramed bool // a RecordReader has filled framed, and buf and packed are its Buf and Packed
	framed   Records
	packed   []byte // records as compressed streams of their own, for the outputs that take them so
}

// A record is a span of the batch's bytes, its terminator included.
type record struct {
	start, body, end int // body is where the terminator begins
	packed           Span
	problem          Problem
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

// header is what is to stand before the records in an output too.
func (b *batch) header() []byte {
	if b.table == nil {
		return nil
	}
	return b.buf[:b.lead]
}

func newBatch() *batch {
	return &batch{buf: make([]byte, 0, blockSize), done: make(chan struct{}, 1)}
}

// reset makes the batch ready for the next block. Memory that grew for a long record is given back, or peak memory would be
// the ring's length times the longest record.
func (b *batch) reset() {
	poison(b.buf)
	poison(b.packed)
	if b.loan != nil {
		b.loan.lender.takeBack(b)
	}
	if size := cap(b.buf); size == 0 || size > 2*blockSize { // a RecordReader has grown it
		b.buf = make([]byte, 0, blockSize)
	}
	if cap(b.packed) > 2*blockSize {
		b.packed = nil
	}
	b.buf, b.records, b.keys = b.buf[:0], b.records[:0], b.keys[:0]
	b.packed, b.isFramed, b.framed = b.packed[:0], false, Records{List: b.framed.List[:0], Keys: b.framed.Keys[:0]}
	b.piece, b.added, b.input, b.atStart, b.lead, b.table, b.err = WholeRecords, 0, 0, false, 0, nil, nil
}
