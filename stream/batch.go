package stream

import "runtime"

// blockSize is how much a reader asks for at once. It is a compromise: less costs more hand-overs between goroutines,
// more costs memory (there are 2·threads+2 batches) and latency while the committer waits for a worker.
const blockSize = 256 << 10

// A batch is the unit that goes round the ring: one block of input, and what the workers found out about it. Exactly one
// goroutine owns it at a time: reader, then worker, then committer, then reader again.
type batch struct {
	buf     []byte // whole lines, or one piece of a line that is longer than max-record
	piece   piece
	added   bool // the last newline was not in the input
	atStart bool // the first batch of the input: a byte order mark may stand before its first record
	records []record
	keys    []Key         // the band keys of the readable records, one after the other
	large   chan struct{} // where the token for a large buffer goes back to, if the batch has it
	err     error         // why the input ended behind this batch, if not by its end
	done    chan struct{} // capacity 1: the worker is through
}

// A record is a span of the batch's bytes, its newline included.
type record struct {
	start, end int
	problem    problem
}

// A piece says which part of an overlong record the batch holds.
type piece uint8

const (
	wholeLines piece = iota
	firstPiece
	middlePiece
	lastPiece
)

func newBatch() *batch {
	return &batch{buf: make([]byte, 0, blockSize), done: make(chan struct{}, 1)}
}

// reset makes the batch ready for the next block. Memory that grew for a long line is given back, or peak memory would be
// the ring's length times the longest line.
func (b *batch) reset() {
	poison(b.buf)
	if cap(b.buf) > 2*blockSize {
		b.buf = make([]byte, 0, blockSize)
	}
	if b.large != nil {
		runtime.GC() // before the next line of this sort takes its memory
		b.large <- struct{}{}
		b.large = nil
	}
	b.buf, b.records, b.keys = b.buf[:0], b.records[:0], b.keys[:0]
	b.piece, b.added, b.atStart, b.err = wholeLines, false, false, nil
}
