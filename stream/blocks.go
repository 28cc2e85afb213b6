package stream

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A blockReader cuts an input into batches of whole records. A batch is what a single read
// returned, so a slow pipe never waits for a batch to fill up. Only an incomplete record waits for
// the next read.
type blockReader struct {
	src       io.Reader
	cut       record.Splitter
	holds     record.Lookahead // cut, if it is one
	maxRecord int
	tail      []byte // bytes after the last whole record
	overlong  bool   // inside a record that is longer than maxRecord
	err       error  // why reading has ended

	lender *lender
	stop   <-chan struct{} // closed when no more is wanted
}

var errStopped = errors.New("the run was stopped")

func newBlockReader(maxRecord int, stop <-chan struct{}) *blockReader {
	return &blockReader{maxRecord: maxRecord, lender: newLender(), stop: stop}
}

// open begins a new input.
func (r *blockReader) open(src io.Reader, cut record.Splitter) {
	r.src, r.cut, r.tail, r.overlong, r.err = src, cut, r.tail[:0], false, nil
	r.holds, _ = cut.(record.Lookahead)
}

// fill reads the next records into b. It returns false if no records follow those in b. Then b.err
// says why, or is nil at the end of the input.
func (r *blockReader) fill(b *batch) bool {
	if !r.reserve(b, len(r.tail)) {
		return r.finish(b)
	}
	b.buf = append(b.buf, r.tail...)
	r.tail = r.tail[:0]
	seen := 0
	if !r.overlong {
		r.cut.Restart()
	}
	for {
		end, err := r.cut.FindEnd(b.buf, seen, r.overlong)
		if err != nil {
			r.err = err
			if end == 0 {
				return r.finish(b)
			}
			b.buf, b.err = b.buf[:end], err
			if r.overlong {
				r.overlong, b.piece = false, LastPiece
			}
			return false
		}
		if end > 0 {
			r.split(b, end)
			return true
		}
		if r.overlong && r.cutPiece(b) {
			b.piece = MiddlePiece
			return true
		}
		if !r.overlong && r.cut.Pending(b.buf) > r.maxRecord {
			r.overlong, b.piece = true, FirstPiece
			r.cutPiece(b)
			return true
		}
		if r.err != nil {
			return r.finish(b)
		}
		seen = len(b.buf)
		r.read(b)
	}
}

// cutPiece leaves in the batch only what certainly belongs to the current record. It returns false
// if nothing does.
func (r *blockReader) cutPiece(b *batch) bool {
	end := len(b.buf)
	if r.holds != nil {
		end -= r.holds.Undecided(b.buf)
	}
	if end == 0 {
		return false
	}
	r.tail = append(r.tail, b.buf[end:]...)
	b.buf = b.buf[:end]
	return true
}

// split leaves buf[:end] in the batch and keeps the rest for the next one.
func (r *blockReader) split(b *batch, end int) {
	r.tail = append(r.tail, b.buf[end:]...)
	b.buf = b.buf[:end]
	if r.overlong {
		r.overlong, b.piece = false, LastPiece
	}
}

// finish returns what follows the last terminator. At the end of input, that is a record like any
// other and gets the missing terminator. After a failed read it is part of a record, and is
// dropped.
func (r *blockReader) finish(b *batch) bool {
	if r.err == io.EOF {
		if r.overlong && r.holds != nil {
			if end := r.holds.EndOfLast(b.buf); end > 0 {
				r.split(b, end)
				return true
			}
		}
		var missing []byte
		if missing, r.err = r.cut.Finish(b.buf); r.err == nil {
			if len(b.buf) > 0 || r.overlong {
				r.terminate(b, missing)
			}
			return false
		}
	}
	b.buf, b.err = b.buf[:0], r.err
	if r.overlong {
		// Its beginning has been written already: end it, so that what follows in the output stays
		// whole.
		terminator := r.cut.Terminator()
		if terminator == nil {
			b.err = Fatal(fmt.Errorf("inside a record that is longer than max-record: %w", r.err))
		}
		r.terminate(b, terminator)
	}
	return false
}

// terminate ends the record that b ends with.
func (r *blockReader) terminate(b *batch, terminator []byte) {
	b.buf, b.added = append(b.buf, terminator...), len(terminator)
	if r.overlong {
		r.overlong, b.piece = false, LastPiece
	}
}

// reserve makes room for size bytes in the batch. It returns false if the run was stopped while it
// waited.
func (r *blockReader) reserve(b *batch, size int) bool {
	if !r.lender.reserve(b, size, r.maxRecord+blockSize, r.stop) {
		r.err = errStopped
		return false
	}
	return true
}

// read appends to the batch what a single Read returns. It asks for at most a block, so that little
// follows the end of a long record.
func (r *blockReader) read(b *batch) {
	if !r.reserve(b, len(b.buf)+1) {
		return
	}
	for range 100 {
		n, err := r.src.Read(b.buf[len(b.buf):min(cap(b.buf), len(b.buf)+blockSize)])
		b.buf = b.buf[:len(b.buf)+n]
		if err != nil {
			r.err = err
			return
		}
		if n > 0 {
			return
		}
	}
	r.err = io.ErrNoProgress
}
