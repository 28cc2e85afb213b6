package stream

import (
	"bytes"
	"errors"
	"io"
)

// lineReader cuts input into batches of whole lines. A batch is what one read returned, so that a slow pipe is never held
// back to fill one; only a line that is not complete yet waits for the next read.
type lineReader struct {
	src       io.Reader
	maxRecord int
	tail      []byte // what was read behind the last whole line
	overlong  bool   // inside a line that is longer than maxRecord
	err       error  // what the last read returned, once there is nothing more to read

	large chan struct{}   // holds one token, for the batch whose buffer may be large
	stop  <-chan struct{} // closed when nobody wants more
}

var errStopped = errors.New("the run was stopped")

func newLineReader(src io.Reader, maxRecord int, stop <-chan struct{}) *lineReader {
	r := &lineReader{src: src, maxRecord: maxRecord, large: make(chan struct{}, 1), stop: stop}
	r.large <- struct{}{}
	return r
}

// fill reads the next lines into b. It returns false when there are none; b.err then, or in the last batch that was
// filled, says why if it was not the end of input.
func (r *lineReader) fill(b *batch) bool {
	b.buf = append(b.buf, r.tail...)
	r.tail = r.tail[:0]
	searched := 0
	for {
		if end := r.lineEnd(b.buf, searched); end > 0 {
			r.cut(b, end)
			return true
		}
		if r.overlong && len(b.buf) > 0 {
			b.piece = middlePiece
			return true
		}
		if len(b.buf) > r.maxRecord {
			r.overlong, b.piece = true, firstPiece
			return true
		}
		if r.err != nil {
			return r.finish(b)
		}
		searched = len(b.buf)
		r.read(b)
	}
}

// lineEnd returns the index behind the newline at which buf is to be cut, or 0.
func (r *lineReader) lineEnd(buf []byte, searched int) int {
	if r.overlong {
		return bytes.IndexByte(buf, '\n') + 1
	}
	if n := bytes.LastIndexByte(buf[searched:], '\n'); n >= 0 {
		return searched + n + 1
	}
	return 0
}

// cut leaves buf[:end] in the batch and keeps the rest for the next one.
func (r *lineReader) cut(b *batch, end int) {
	r.tail = append(r.tail, b.buf[end:]...)
	b.buf = b.buf[:end]
	if r.overlong {
		r.overlong, b.piece = false, lastPiece
	}
}

// finish hands out what stands behind the last newline. At the end of input that is a record like any other, and gets the
// newline that it lacks; after a failed read it is half a record, and nobody is served with that.
func (r *lineReader) finish(b *batch) bool {
	if r.err != io.EOF {
		b.err = r.err
		if r.overlong {
			// Its beginning has been written already: end the line, so that what follows in the output stays whole.
			b.buf, b.added = append(b.buf[:0], '\n'), true
			r.overlong, b.piece = false, lastPiece
			return true
		}
		b.buf = b.buf[:0]
		return false
	}
	if len(b.buf) == 0 && !r.overlong {
		return false
	}
	b.buf, b.added = append(b.buf, '\n'), true
	if r.overlong {
		r.overlong, b.piece = false, lastPiece
	}
	return true
}

// A batch whose buffer is to grow beyond largeBuffer waits until there is no other such batch: so a stream of the longest records
// takes the memory of one of them, and not of as many as there are batches.
const largeBuffer = 4 << 20

// grow makes room in a batch that is full of one long line. It returns false if the run was stopped meanwhile.
func (r *lineReader) grow(b *batch) bool {
	if len(b.buf) >= largeBuffer && b.large == nil {
		select {
		case <-r.large:
			b.large = r.large
		case <-r.stop:
			r.err = errStopped
			return false
		}
	}
	// In large steps, since each leaves its predecessor as garbage. What of the new memory is never touched takes none (which is
	// why it is not slices.Grow that makes it: that would clear it).
	grown := make([]byte, len(b.buf), min(8*len(b.buf), r.maxRecord+blockSize))
	copy(grown, b.buf)
	b.buf = grown
	return true
}

// read appends what one Read returns to the batch.
func (r *lineReader) read(b *batch) {
	if len(b.buf) == cap(b.buf) && !r.grow(b) {
		return
	}
	for range 100 {
		n, err := r.src.Read(b.buf[len(b.buf):cap(b.buf)])
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
