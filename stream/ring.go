package stream

import (
	"unsafe"
)

// A ring says how many batches there are. It has some for each worker. Where a judge wants to know
// beforehand what it will be asked, it has more, as many as there is memory for: what a batch takes
// depends on the records, since those of short texts have more sketches. Whoever uses it owns the
// batches that it is given back.
type ring struct {
	maxMemory int64 // bytes that the batches which are ahead may take
	maxAhead  int   // how many these may be
	ahead     int   // how many these are
	fixed     int   // the others
	memory    int64 // of all that have come back, as of the last time
	known     int   // how many these are
}

func newRing(o *Options) ring {
	return ring{maxMemory: o.Ahead, maxAhead: int(o.Ahead / blockSize), fixed: 2*o.Threads + 2}
}

// size is how many batches there may be.
func (r *ring) size() int { return r.fixed + r.maxAhead }

// wanted returns how many batches may be ahead, if they resemble those that have come back.
func (r *ring) wanted() int {
	if r.known == 0 {
		return 0
	}
	return int(min(int64(r.maxAhead), r.maxMemory/max(1, r.memory/int64(r.known))))
}

// prefetchDepth is how many batches a judge gets to see at once. The more they are the fewer passes
// it makes, so it is most of them; the others are filled while it is at work, after which there is
// a wait for the rest.
func (r *ring) prefetchDepth() int { return max(1, r.ahead*3/4) }

// grow adds batches, as far as memory allows.
func (r *ring) grow(free chan<- *batch) {
	for r.ahead < r.wanted() {
		free <- newBatch() // never blocks: there are no more batches than places
		r.ahead++
	}
}

// recycle has a batch filled again, unless there are too many.
func (r *ring) recycle(b *batch, free chan<- *batch) {
	b.reset()
	if b.measured == 0 {
		r.known++
	}
	taken := b.memory()
	r.memory += taken - b.measured
	b.measured = taken
	if r.ahead > r.wanted() {
		r.ahead--
		r.known--
		r.memory -= taken
		return
	}
	free <- b // never blocks: there are no more batches than places
}

// memory returns the bytes that a batch keeps from block to block. The words of its sketches count
// twice: a judge that foresees them has them in an order of its own.
func (b *batch) memory() int64 {
	const word, problem, rec = 8, int(unsafe.Sizeof(Problem{})), int(unsafe.Sizeof(extent{}))
	const text = int(unsafe.Sizeof(newText{}))
	n := cap(b.buf) + cap(b.packed) + rec*cap(b.records) + problem*cap(b.sketches.Problems) + text*cap(b.texts)
	n += word * (2*cap(b.sketches.Words) + cap(b.sketches.Ends) + cap(b.sketches.Times))
	for _, v := range append([]values{b.ids, b.excerpts}, b.fields...) {
		n += cap(v.bytes) + word*cap(v.ends)
	}
	return int64(max(1, n))
}
