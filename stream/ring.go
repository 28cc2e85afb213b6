package stream

import (
	"unsafe"
)

// A ring determines the number of batches. There are a few per worker. For a judge that prefetches
// there are more, as many as fit into the given memory. That depends on the records: shorter texts
// have more sketches per batch. Only the owner of a ring may recycle batches.
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

// size returns the maximum number of batches.
func (r *ring) size() int { return r.fixed + r.maxAhead }

// wanted returns how many batches to read ahead, assuming that they resemble those seen so far.
func (r *ring) wanted() int {
	if r.known == 0 {
		return 0
	}
	return int(min(int64(r.maxAhead), r.maxMemory/max(1, r.memory/int64(r.known))))
}

// prefetchDepth returns how many batches to show the judge at once. The more it sees, the fewer
// passes it makes, so it sees most of them. The workers fill the others while it is judging.
func (r *ring) prefetchDepth() int { return max(1, r.ahead*3/4) }

// grow adds batches as far as memory allows.
func (r *ring) grow(free chan<- *batch) {
	for r.ahead < r.wanted() {
		free <- newBatch() // never blocks: there are no more batches than places
		r.ahead++
	}
}

// recycle returns a batch to the reader, unless there are too many.
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

// memory returns the number of bytes that the batch keeps when it is reused. Words of sketches
// count twice, since a judge that prefetches copies them into an order of its own.
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
