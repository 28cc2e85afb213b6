package stream

import "runtime"

// A lender lends memory to batches that hold a record longer than their own buffer. It has a few
// large buffers, which go from one batch to the next: new memory would have to be cleared by the
// system for each such record, which takes as long as the record itself. A record that is longer
// still gets memory of its own. The lender allows one such record at a time, so a stream of the
// longest records takes the memory of one of them, and not of one for each batch.
type lender struct {
	large chan []byte   // has largeBuffers of them; nil is one that was not needed yet
	huge  chan struct{} // has one token: for a record that is longer than a large buffer
}

const (
	largeBuffer  = 4 << 20
	largeBuffers = 6
)

func newLender() *lender {
	l := &lender{large: make(chan []byte, largeBuffers), huge: make(chan struct{}, 1)}
	for range largeBuffers {
		l.large <- nil
	}
	l.huge <- struct{}{}
	return l
}

// A loan is memory that a batch has from a lender.
type loan struct {
	lender *lender
	own    []byte // the batch's own buffer; nil if it has given that to a RecordReader
	large  []byte // nil if the loan is the huge one
}

// reserve makes room for size bytes in a batch, with more to grow into, up to most. It waits for
// what others have, and returns false if stop is closed meanwhile.
func (l *lender) reserve(b *batch, size, most int, stop <-chan struct{}) bool {
	switch {
	case size <= cap(b.buf):
		return true
	case b.loan == nil && size <= min(largeBuffer, most):
		return l.lendLarge(b, min(largeBuffer, most), stop)
	}
	// In large steps, since each leaves its predecessor as garbage.
	return l.lendHuge(b, max(size, min(8*size, most)), stop)
}

// lendLarge moves the contents of a batch to a large buffer, and lets it use size bytes of that.
func (l *lender) lendLarge(b *batch, size int, stop <-chan struct{}) bool {
	large, ok := receive(l.large, stop)
	if !ok {
		return false
	}
	if large == nil {
		large = make([]byte, largeBuffer)
	}
	b.loan = &loan{l, b.buf, large}
	b.buf = append(large[:0:size], b.buf...)
	return true
}

// lendHuge moves what is in a batch to memory of size bytes, which is the huge loan, if it is not
// that already.
func (l *lender) lendHuge(b *batch, size int, stop <-chan struct{}) bool {
	if b.loan == nil || b.loan.large != nil {
		if _, ok := receive(l.huge, stop); !ok {
			return false
		}
	}
	// What of it is never touched takes no memory, which is why it is not slices.Grow that makes
	// it: that would clear it.
	grown := make([]byte, len(b.buf), size)
	copy(grown, b.buf)
	outgrown := b.loan != nil && b.loan.large == nil
	switch {
	case b.loan == nil:
		b.loan = &loan{lender: l, own: b.buf}
	case b.loan.large != nil:
		l.large <- b.loan.large
		b.loan.large = nil
	}
	b.buf = grown
	if outgrown {
		runtime.GC() // the record's decoded text and tokens take the memory that it has outgrown
	}
	return true
}

// claim makes memory that a RecordReader has put into a batch, or keeps for it, the huge loan, if
// it is that large and not claimed yet. It waits and returns as reserve does.
func (l *lender) claim(b *batch, stop <-chan struct{}) bool {
	if len(b.buf)+b.framed.Held < largeBuffer || b.loan != nil {
		return true
	}
	_, ok := receive(l.huge, stop)
	if ok {
		b.loan = &loan{lender: l}
	}
	return ok
}

// reclaim leaves the batch with its own buffer, or none.
func (l *lender) reclaim(b *batch) {
	large := b.loan.large
	b.buf, b.loan = b.loan.own, nil
	if large != nil {
		l.large <- large
		return
	}
	runtime.GC() // before the next record of this sort takes its memory
	l.huge <- struct{}{}
}

// receive receives from a channel; it returns false if stop is closed before.
func receive[T any](c <-chan T, stop <-chan struct{}) (v T, ok bool) {
	select {
	case v = <-c:
		return v, true
	case <-stop:
		return v, false
	}
}
