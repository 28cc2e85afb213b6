package stream

import (
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// knownTexts are hashes of texts whose copies need no sketch: the judge remembers them for good, so
// that any later record whose text is the same, byte for byte, is a duplicate. The committer enters
// them, workers look them up, and neither waits for the other. What a worker finds depends on
// timing and room; what is said of a record does not, since the judge says the same of its sketch.
//
// A hash has 64 bits, under a seed that each run draws, so that nobody can make two texts of one
// hash. It is compared with the eight of a bucket, which share up to 19 bits: a text is taken for
// another one at a rate of 8·2⁻⁴⁵ at most, 2·10⁻¹³.
type knownTexts struct {
	seed    uint64
	judge   Judge
	size    atomic.Uint64 // buckets in use, a power of two; 0 while texts are not looked up
	buckets []bucket      // empty before size is set for the first time
	words   []uint64      // memory of buckets and hashes, outside the Go heap

	// hashes has the hash of the sketch of each text, where buckets has its own. It is empty if the
	// judge does not read hashes.
	hashes    []bucket
	hasHashes bool

	// The committer's own.
	limits  knownLimits
	used    uint64 // buckets
	entered uint64 // hashes
	judged  int    // records, since it was found out whether there are many copies
	copies  int    // of these
}

// knownLimits are how many buckets there may be, and of how many records it is found out whether to
// look texts up.
type knownLimits struct {
	buckets uint64
	trial   int
}

// A bucket is a line of the cache, and 0 a free place in it. A hash for which it has no room takes
// the place of another one.
type bucket [8]atomic.Uint64

const (
	leastKnown = 1 << 10 // initial buckets in use, doubled each time they are half full,
	mostKnown  = 1 << 19 // up to 32 MB

	// Of knownTrial records one in copiesLeast must be a copy for the texts that come next to be
	// looked up. Else these are not even hashed.
	knownTrial  = 4096
	copiesLeast = 16

	knownAhead = 8 // texts whose buckets are prefetched while another one is entered
)

// newKnownTexts returns nil, which is good for use, if the judge remembers nothing for good.
func newKnownTexts(o *Options, limits knownLimits) *knownTexts {
	judge := o.Method.Judge
	if judge.Remembers == nil || !judge.Remembers(0) || o.Timed || o.Within != "" {
		return nil
	}
	return &knownTexts{
		seed: rand.Uint64(), judge: judge, hasHashes: judge.ReadsHashes, limits: limits,
		used: min(leastKnown, limits.buckets),
	}
}

// close gives the memory back, when no worker looks anything up any more.
func (k *knownTexts) close() {
	if k != nil && k.words != nil {
		_ = offheap.Release(k.words) // it fails only for memory that is not its own
	}
}

// A lookup is the search for a text among the known ones. The zero lookup was not made.
type lookup struct {
	hash   uint64
	where  *bucket
	hashes *bucket // of sketches; nil if the judge does not read them
}

// lookUp starts the search for a text, for workers. It prefetches the bucket, which arrives from
// memory while the worker does something else. While texts are not looked up it does nothing.
func (k *knownTexts) lookUp(text []byte) (q lookup) {
	if k == nil {
		return q
	}
	size := k.size.Load()
	if size == 0 {
		return q
	}
	return k.lookUpHash(max(1, xxh3.HashSeed(text, k.seed)), size)
}

// lookUpHash is lookUp for the hash of a text, in a table of size buckets.
func (k *knownTexts) lookUpHash(hash, size uint64) lookup {
	q := lookup{hash: hash, where: &k.buckets[hash&(size-1)]}
	prefetch(q.where)
	if k.hasHashes {
		q.hashes = &k.hashes[q.hash&(size-1)]
		prefetch(q.hashes)
	}
	return q
}

// wasDone reports whether the lookup was made.
func (q lookup) wasDone() bool { return q.where != nil }

// find reports whether the text is known, and returns the hash of its sketch, if the judge reads
// hashes.
func (q lookup) find() (sketch uint64, isKnown bool) {
	if q.where == nil || !q.where.has(q.hash) {
		return 0, false
	}
	if q.hashes == nil {
		return 0, true
	}
	for i := range q.where {
		if q.where[i].Load() == q.hash {
			sketch = q.hashes[i].Load()
			return sketch, q.where[i].Load() == q.hash // another text may have taken its place meanwhile
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
func (k *knownTexts) put(i, text, sketch uint64) bool {
	b := &k.buckets[i]
	at, isFree := b.placeFor(text)
	if k.hasHashes {
		b[at].Store(0)
		k.hashes[i][at].Store(sketch)
	}
	b[at].Store(text)
	return isFree
}

// A newText is a text that was looked up and not found.
type newText struct {
	record int // of those of the batch that are judged
	hash   uint64
}

// learn enters the texts of a batch that the judge remembers for good, and finds out whether there
// are many copies.
func (k *knownTexts) learn(b *batch, verdicts []Verdict) {
	if k == nil {
		return
	}
	for i, t := range b.texts {
		if i+knownAhead < len(b.texts) {
			prefetch(k.bucketOf(b.texts[i+knownAhead].hash))
		}
		if t.record < len(verdicts) && k.judge.Remembers(verdicts[t.record].Votes) {
			sketch := uint64(0)
			if k.hasHashes {
				sketch = b.sketches.Hashes[t.record]
			}
			k.insert(t.hash, sketch)
		}
	}
	k.judged += len(verdicts)
	for _, v := range verdicts {
		if v.Duplicate && int(v.Votes) == k.judge.VotesOfCopy() {
			k.copies++
		}
	}
	if k.judged >= k.limits.trial {
		k.decide(k.copies*copiesLeast >= k.judged)
		k.judged, k.copies = 0, 0
	}
}

// decide determines whether the next texts are looked up.
func (k *knownTexts) decide(pays bool) {
	if !pays {
		k.size.Store(0)
		return
	}
	if k.words == nil {
		buckets := k.limits.buckets
		if k.hasHashes {
			buckets *= 2
		}
		var err error
		if k.words, err = offheap.Allocate(buckets * uint64(unsafe.Sizeof(bucket{})/8)); err != nil {
			return // work continues without it
		}
		all := unsafe.Slice((*bucket)(unsafe.Pointer(&k.words[0])), buckets)
		k.buckets, k.hashes = all[:k.limits.buckets], all[k.limits.buckets:]
	}
	k.size.Store(k.used)
}

// bucketOf is for the committer.
func (k *knownTexts) bucketOf(hash uint64) *bucket { return &k.buckets[hash&(k.used-1)] }

// insert enters a text with the hash of its sketch.
func (k *knownTexts) insert(text, sketch uint64) {
	b := k.bucketOf(text)
	if b.has(text) || !k.put(text&(k.used-1), text, sketch) {
		return
	}
	if k.entered++; k.entered > uint64(len(b)/2)*k.used && k.used < k.limits.buckets {
		k.grow()
	}
}

// grow uses twice as many buckets. Half of what is in each belongs into a new one. A worker that
// looks for it meanwhile may not find it.
func (k *knownTexts) grow() {
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
