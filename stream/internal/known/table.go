// Package known has a table of hashes of texts that a run has seen, which one goroutine fills while
// others look texts up in it, and nobody waits.
package known

import (
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// A Table has hashes of texts. One goroutine enters them, workers look them up, and neither waits
// for the other: what a worker finds depends on timing and room.
//
// A hash has 64 bits, under a seed that each run draws, so that nobody can make two texts of one
// hash. It is compared with the eight of a bucket, which share up to 19 bits: a text is taken for
// another one at a rate of 8·2⁻⁴⁵ at most, 2·10⁻¹³.
type Table struct {
	seed    uint64
	size    atomic.Uint64 // buckets in use, a power of two; 0 while texts are not looked up
	buckets []bucket      // empty before size is set for the first time
	words   []uint64      // memory of buckets and hashes, outside the Go heap

	// hashes has the hash of the sketch of each text, where buckets has its own. It is empty if
	// sketches have no hashes.
	hashes    []bucket
	hasHashes bool

	// The writer's own.
	most    uint64 // buckets
	used    uint64 // buckets
	entered uint64 // hashes
}

// A bucket is a line of the cache, and 0 a free place in it. A hash for which it has no room takes
// the place of another one.
type bucket [8]atomic.Uint64

const (
	leastBuckets = 1 << 10 // initial buckets in use, doubled each time they are half full

	// MostBuckets are as many as are useful: 32 MB.
	MostBuckets = 1 << 19
)

// New returns a table of at most that many buckets, of texts whose sketches have hashes, or not.
// Nothing is looked up in it before Open.
func New(most uint64, hasHashes bool) *Table {
	return &Table{seed: rand.Uint64(), hasHashes: hasHashes, most: most, used: min(leastBuckets, most)}
}

// Close gives the memory back, when no worker looks anything up any more. A nil table is good for
// use.
func (k *Table) Close() {
	if k != nil && k.words != nil {
		_ = offheap.Release(k.words) // it fails only for memory that is not its own
	}
}

// A Lookup is the search for a text among the known ones. The zero Lookup was not made.
type Lookup struct {
	Hash   uint64 // of the text
	where  *bucket
	hashes *bucket // of sketches; nil if these have none
}

// LookUp starts the search for a text, for workers. It prefetches the bucket, which arrives from
// memory while the worker does something else. While texts are not looked up it does nothing.
func (k *Table) LookUp(text []byte) (q Lookup) {
	if k == nil {
		return q
	}
	size := k.size.Load()
	if size == 0 {
		return q
	}
	return k.lookUpHash(max(1, xxh3.HashSeed(text, k.seed)), size)
}

// lookUpHash is LookUp for the hash of a text, in a table of size buckets.
func (k *Table) lookUpHash(hash, size uint64) Lookup {
	q := Lookup{Hash: hash, where: &k.buckets[hash&(size-1)]}
	prefetch(q.where)
	if k.hasHashes {
		q.hashes = &k.hashes[q.Hash&(size-1)]
		prefetch(q.hashes)
	}
	return q
}

// WasDone reports whether the lookup was made.
func (q Lookup) WasDone() bool { return q.where != nil }

// Find reports whether the text is known, and returns the hash of its sketch, if sketches
// have such.
func (q Lookup) Find() (sketch uint64, isKnown bool) {
	if q.where == nil || !q.where.has(q.Hash) {
		return 0, false
	}
	if q.hashes == nil {
		return 0, true
	}
	for i := range q.where {
		if q.where[i].Load() == q.Hash {
			sketch = q.hashes[i].Load()
			return sketch, q.where[i].Load() == q.Hash // another text may have taken its place meanwhile
		}
	}
	return 0, false
}

// has has no branch: where a hash stands cannot be predicted.
func (b *bucket) has(hash uint64) bool {
	found := uint64(0) // the highest bit: that the hash was there
	for i := range b {
		x := b[i].Load() ^ hash
		found |= (x - 1) &^ x
	}
	return found>>63 != 0
}

// placeFor returns where to put a hash, and whether that place is free.
func (b *bucket) placeFor(hash uint64) (at int, isFree bool) {
	for i := range b {
		if b[i].Load() == 0 {
			return i, true
		}
	}
	return int(hash >> 61), false
}

// put enters a text into bucket i, and reports whether there was room. A worker that finds the hash
// of the text before and after that of the sketch has read the two that belong together.
func (k *Table) put(i, text, sketch uint64) bool {
	b := &k.buckets[i]
	at, isFree := b.placeFor(text)
	if k.hasHashes {
		b[at].Store(0)
		k.hashes[i][at].Store(sketch)
	}
	b[at].Store(text)
	return isFree
}

// Suspend has the next texts not looked up.
func (k *Table) Suspend() { k.size.Store(0) }

// Open has the next texts looked up. Without memory for that it does nothing.
func (k *Table) Open() {
	if k.words == nil {
		buckets := k.most
		if k.hasHashes {
			buckets *= 2
		}
		var err error
		if k.words, err = offheap.Allocate(buckets * uint64(unsafe.Sizeof(bucket{})/8)); err != nil {
			return // work continues without it
		}
		all := unsafe.Slice((*bucket)(unsafe.Pointer(&k.words[0])), buckets)
		k.buckets, k.hashes = all[:k.most], all[k.most:]
	}
	k.size.Store(k.used)
}

// Prefetch has the bucket of a text brought to the cache, which is to be entered soon.
func (k *Table) Prefetch(hash uint64) { prefetch(k.bucketOf(hash)) }

// bucketOf is for the writer.
func (k *Table) bucketOf(hash uint64) *bucket { return &k.buckets[hash&(k.used-1)] }

// Insert enters a text with the hash of its sketch.
func (k *Table) Insert(text, sketch uint64) {
	b := k.bucketOf(text)
	if b.has(text) || !k.put(text&(k.used-1), text, sketch) {
		return
	}
	if k.entered++; k.entered > uint64(len(b)/2)*k.used && k.used < k.most {
		k.grow()
	}
}

// grow uses twice as many buckets. Half of what is in each belongs into a new one. A worker that
// looks for it meanwhile may not find it.
func (k *Table) grow() {
	for i := range k.used {
		b := &k.buckets[i]
		for at := range b {
			if hash := b[at].Load(); hash&k.used != 0 {
				sketch := uint64(0)
				if k.hasHashes {
					sketch = k.hashes[i][at].Load()
				}
				k.put(i+k.used, hash, sketch)
				b[at].Store(0)
			}
		}
	}
	k.used *= 2
	if k.size.Load() > 0 {
		k.size.Store(k.used)
	}
}
