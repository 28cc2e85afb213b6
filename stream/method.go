package stream

import (
	"errors"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A Method is how duplicates are found: what is made of a text, and who judges it.
//
// Everything about a text that a judge needs is in its sketch, a few words that the method defines
// itself: band keys, a signature, a fingerprint. The stream only carries them.
type Method struct {
	// NewSketcher makes a Sketcher for each worker. It is nil if the sources hand over sketches
	// with their records, or if the judge needs none.
	NewSketcher func() Sketcher
	// Judge decides about all records, in the order of the input.
	Judge Judge
	// DecidesAll says that a verdict counts also for a record that has a problem. Then texts are
	// not even looked for, unless Outputs.Convert, Members or Repeat need whole records, or
	// Source.Excerpt their texts.
	DecidesAll bool
}

// A Sketcher makes the sketch of a text. It may own scratch memory: each worker has its own.
type Sketcher interface {
	// Append appends the sketch to dst. If the text has nothing to compare it appends nothing and
	// ok is false.
	Append(dst []uint64, text []byte) (words []uint64, ok bool)
}

// A URLReader is a Sketcher that reads values as URLs.
type URLReader interface {
	Sketcher
	// NotURLs returns how many values were no URLs since it was called last.
	NotURLs() int
}

// A Judge decides which records are duplicates. One goroutine calls it.
type Judge interface {
	// Judge sets a verdict in out for each record of the batch. It returns how many records, from
	// the first on, it has judged: all of them unless err is not nil. It does not keep the batch.
	// Its verdict on a record with a problem counts only with Method.DecidesAll.
	Judge(b Batch, out []Verdict) (judged int, err error)
}

// A JudgeFunc is a Judge.
type JudgeFunc func(b Batch, out []Verdict) (judged int, err error)

// Judge calls f.
func (f JudgeFunc) Judge(b Batch, out []Verdict) (judged int, err error) { return f(b, out) }

// A Verdict is what a judge has found out about a record. The zero Verdict is for a record that
// resembles no earlier one.
type Verdict struct {
	Duplicate bool   // the record is to be removed
	Votes     uint16 // how many of its band keys were seen before, where the judge counts them

	// Original is the number of the earlier record that it resembles most, counted from 1 over all
	// records that the judge was ever asked about, and Similarity is how much. They are 0 if the
	// judge does not know.
	Original   uint64
	Similarity float32
	// Contains says that the similarity is how much of the original is in the record, and not how
	// much of the record is in the original, where a similarity is such a part.
	Contains bool
}

// A Batch is some consecutive records, as a judge sees them.
type Batch struct {
	Words    []uint64  // the sketches, one after the other
	Ends     []int     // where the sketch of each record ends in Words
	Problems []Problem // why each record has no sketch; the zero Problem if it has one
	Times    []int64   // under Source.Timed: the second in which each record that has a sketch was made
	Tag      any       // what a RecordReader has handed over with the records (Records.Tag)
	Hashes   []uint64  // for a HashReader: of the sketch of each record, also where a copy has none

	hasCopies bool // some records are copies: of these no sketch is made
}

// Len is the number of records.
func (b Batch) Len() int { return len(b.Problems) }

// Sketch returns the sketch of record i. It is empty if the record has a problem, or is a copy.
func (b Batch) Sketch(i int) []uint64 {
	start := 0
	if i > 0 {
		start = b.Ends[i-1]
	}
	return b.Words[start:b.Ends[i]]
}

// Slice is the batch of the records from i up to j, which shares memory with this one.
func (b Batch) Slice(i, j int) Batch {
	start, end := 0, 0
	if i > 0 {
		start = b.Ends[i-1]
	}
	if j > 0 {
		end = b.Ends[j-1]
	}
	part := Batch{Words: b.Words[start:end], Ends: b.Ends[i:j], Problems: b.Problems[i:j], hasCopies: b.hasCopies}
	if start > 0 {
		part.Ends = make([]int, j-i)
		for n := range part.Ends {
			part.Ends[n] = b.Ends[i+n] - start
		}
	}
	if b.Hashes != nil {
		part.Hashes = b.Hashes[i:j]
	}
	if b.Times != nil {
		from := b.sketched(0, i)
		part.Times = b.Times[from : from+b.sketched(i, j)]
	}
	return part
}

// sketched counts the records from i up to j that have a sketch.
func (b Batch) sketched(i, j int) (n int) {
	for ; i < j; i++ {
		if len(b.Sketch(i)) > 0 {
			n++
		}
	}
	return n
}

// isCopy reports whether the text of record i is equal to one that the judge remembers for good.
// There are none but for a judge by votes whose index is a CopyIndex.
func (b Batch) isCopy(i int) bool {
	return b.hasCopies && b.Problems[i].IsReadable() && len(b.Sketch(i)) == 0
}

// add appends a record whose sketch, if any, is at the end of Words already.
func (b *Batch) add(p Problem) {
	b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, p)
}

// keptWords is how many words of sketches a batch keeps room for: those of a long record are given
// back, else each batch of the ring would come to have as many.
const keptWords = 1 << 20

func (b *Batch) reset() {
	if cap(b.Words) > keptWords {
		b.Words = nil
	}
	b.Words, b.Ends, b.Problems, b.Times = b.Words[:0], b.Ends[:0], b.Problems[:0], b.Times[:0]
	b.Hashes, b.Tag, b.hasCopies = b.Hashes[:0], nil, false
}

// Key is a band key: 128 bits that represent one band of a signature.
type Key = xxh3.Uint128

// KeysOf views a sketch as band keys, two words each, the high one first.
func KeysOf(words []uint64) []Key {
	if len(words) < 2 {
		return nil
	}
	return unsafe.Slice((*Key)(unsafe.Pointer(&words[0])), len(words)/2)
}

// A BandIndex remembers records by their band keys.
type BandIndex interface {
	// Observe sets votes[i] to the number of band keys of record i that were seen in an earlier
	// record, and remembers the record, one after the other. keys holds those of len(votes)
	// records. It returns how many of the first records it has observed: all, unless there is an
	// error. It does not keep keys.
	Observe(keys []Key, votes []uint16) (observed int, err error)
}

// A PrefetchingIndex is a BandIndex that answers faster if it knows the keys in advance, because it
// reads some of its answers from disk.
type PrefetchingIndex interface {
	BandIndex
	// CanPrefetch reports whether there is anything on disk now.
	CanPrefetch() bool
	// Prefetch gives the keys of the records that Observe will get next, in order. The index may
	// keep them until then.
	Prefetch(keys []Key) error
}

// CanPrefetch implements Prefetcher.
func (c *voteCounter) CanPrefetch() bool {
	index, ok := c.index.(PrefetchingIndex)
	return ok && index.CanPrefetch()
}

// Prefetch implements Prefetcher. It passes the keys of the batches to the index.
func (c *voteCounter) Prefetch(batches []Batch) error {
	n := 0
	for _, b := range batches {
		n += len(b.Words) / 2
	}
	c.ahead = slices.Grow(c.ahead[:0], n)
	for _, b := range batches {
		c.ahead = append(c.ahead, KeysOf(b.Words)...)
	}
	return c.index.(PrefetchingIndex).Prefetch(c.ahead)
}

// A CopyIndex is a BandIndex that may remember records for good, so that their copies need no
// sketch.
type CopyIndex interface {
	BandIndex
	// Remembers reports whether the last record observed, which had that many votes, is remembered
	// for good.
	Remembers(votes uint16) bool
	// ObserveCopies counts n copies of records that are remembered for good.
	ObserveCopies(n int) error
}

// Remembers implements Rememberer.
func (c *voteCounter) Remembers(votes uint16) bool {
	return c.copies != nil && c.copies.Remembers(votes)
}

// VotesOfCopy implements Rememberer: a copy has a vote from each band.
func (c *voteCounter) VotesOfCopy() int { return c.bands }

// A TimedIndex is a BandIndex that goes by the times of records.
type TimedIndex interface {
	BandIndex
	// ObserveAt is Observe for records that were made in these seconds.
	ObserveAt(times []int64, keys []Key, votes []uint16) (observed int, err error)
}

// KeepAll is the judge that finds no duplicates.
type KeepAll struct{}

// Judge finds no record to be a duplicate.
func (KeepAll) Judge(_ Batch, out []Verdict) (judged int, err error) {
	clear(out)
	return len(out), nil
}

// ByVotes returns a judge for sketches of band keys: a record is a duplicate if at least that many
// of its keys, one or more, were seen before. A TimedIndex receives the times of the records, if
// they are known.
func ByVotes(index BandIndex, votes int) Judge {
	c := &voteCounter{index: index, needed: max(1, votes)}
	c.copies, _ = index.(CopyIndex)
	return c
}

type voteCounter struct {
	index  BandIndex
	copies CopyIndex // index, if it is one
	needed int
	bands  int      // of a record
	votes  []uint16 // of the records of a batch that have keys
	ahead  []Key    // of the batches that come next
}

func (c *voteCounter) Judge(b Batch, out []Verdict) (judged int, err error) {
	asked := 0
	for i, p := range b.Problems {
		if p.IsReadable() && !b.isCopy(i) {
			asked++
		}
	}
	c.votes = slices.Grow(c.votes[:0], asked)[:asked]
	observed := 0
	if asked > 0 {
		c.bands = len(b.Words) / 2 / asked
		observed, err = c.observe(b)
	}
	next, copies := 0, 0
	for ; judged < len(out); judged++ {
		verdict := Verdict{}
		switch {
		case !b.Problems[judged].IsReadable():
		case b.isCopy(judged):
			verdict = Verdict{Duplicate: true, Votes: uint16(c.bands)}
			copies++
		case next == observed:
			return judged, errors.Join(err, c.observeCopies(copies))
		default:
			verdict = Verdict{Duplicate: int(c.votes[next]) >= c.needed, Votes: c.votes[next]}
			next++
		}
		out[judged] = verdict
	}
	return judged, errors.Join(err, c.observeCopies(copies))
}

// observeCopies has the index count copies of records that it remembers.
func (c *voteCounter) observeCopies(n int) error {
	if n == 0 {
		return nil
	}
	return c.copies.ObserveCopies(n)
}

// observe has the index observe the records of a batch that have keys.
func (c *voteCounter) observe(b Batch) (observed int, err error) {
	if timed, ok := c.index.(TimedIndex); ok && len(b.Times) > 0 {
		return timed.ObserveAt(b.Times, KeysOf(b.Words), c.votes)
	}
	return c.index.Observe(KeysOf(b.Words), c.votes)
}
