package stream

import "runtime"

// A lender lends memory to batches with a record that is longer than their own buffer. Its few
// large buffers go from one batch to the next, since the system would have to clear new memory for
// each such record, which takes as long as processing the record. An even longer record gets new
// memory, but only one at a time. So a stream of the longest records takes the memory of one of
// them, rather than of one for each batch.
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

// A loan is memory that a lender has lent to a batch.
type loan struct {
	lender *lender
	own    []byte // the batch's own buffer; nil if it has given that to a RecordReader
	large  []byte // nil if the loan is the huge one
}

// reserve makes room for size bytes in a batch, and more if possible, up to most. It waits until
// others return memory. It returns false if stop is closed before that.
func (l *lender) reserve(b *batch, size, most int, stop <-chan struct{}) bool {
	switch {
	case size <= cap(b.buf):
		return true
	case b.loan == nil && size <= min(largeBuffer, most):
		return l.lendLarge(b, min(largeBuffer, most), stop)
	}
	// In large steps, since each leaves the previous buffer to the garbage collector.
	return l.lendHuge(b, max(size, min(8*size, most)), stop)
}

// lendLarge moves the contents of a batch to a large buffer. The batch may use size bytes of it.
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

// lendHuge moves the contents of a batch to new memory of size bytes, for which the batch takes the
// huge loan unless it already has it.
func (l *lender) lendHuge(b *batch, size int, stop <-chan struct{}) bool {
	if b.loan == nil || b.loan.large != nil {
		if _, ok := receive(l.huge, stop); !ok {
			return false
		}
	}
	// Pages that are never touched take no memory. slices.Grow would clear them.
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

// claim takes the huge loan for memory that a RecordReader has given to the batch or holds for it,
// if that is as large and not claimed yet. It waits, and returns, like reserve.
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

// reclaim takes back the loan and leaves the batch its own buffer, if it has one.
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

// receive receives from a channel. It returns false if stop is closed before that.
func receive[T any](c <-chan T, stop <-chan struct{}) (v T, ok bool) {
	select {
	case v = <-c:
		return v, true
	case <-stop:
		return v, false
	}
}
