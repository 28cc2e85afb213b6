package stream

import (
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A Method says how duplicates are found: how to sketch a text, and which judge decides.
//
// A sketch contains everything about a text that the judge needs, as a few words that the method
// defines itself: band keys, a signature, a fingerprint. The stream only carries them.
type Method struct {
	// NewSketcher makes a Sketcher for each worker. It is nil if sources return sketches with their
	// records, or if the judge needs none.
	NewSketcher func() Sketcher
	// Judge decides about all records, in the order of the input.
	Judge Judge
	// DecidesAll says that the verdicts on records with problems count, too. Then texts are
	// extracted only if Outputs.Convert, Members or Repeat need whole records, or for
	// Source.Excerpt.
	DecidesAll bool
}

// A Sketcher computes the sketch of a text. It may own scratch memory, since each worker has its
// own.
type Sketcher interface {
	// Append appends the sketch to dst. If the text has nothing to compare, Append appends nothing
	// and ok is false.
	Append(dst []uint64, text []byte) (words []uint64, ok bool)
}

// A URLReader is a Sketcher that interprets values as URLs.
type URLReader interface {
	Sketcher
	// NotURLs returns how many values since its last call were not URLs.
	NotURLs() int
}

// A Verdict is what a judge says about a record. The zero Verdict is for a record that resembles no
// earlier one.
type Verdict struct {
	Duplicate bool   // the record is to be removed
	Votes     uint16 // how many of its band keys were seen before, where the judge counts them

	// Original is the number of the earlier record that it resembles most, counted from 1 over all
	// records that the judge was ever given. Similarity is how similar the two are. Both are 0 if
	// the judge does not know.
	Original   uint64
	Similarity float32
	// Contains says, for methods that measure containment, that Similarity is the share of the
	// original contained in the record rather than the share of the record contained in the
	// original.
	Contains bool
}

// A Batch is a sequence of consecutive records, as a judge sees them.
type Batch struct {
	Words    []uint64  // the sketches, one after the other
	Ends     []int     // where the sketch of each record ends in Words
	Problems []Problem // why each record has no sketch; the zero Problem if it has one
	Times    []int64   // under Source.Timed: the second in which each record that has a sketch was made
	Tag      any       // the Records.Tag of the RecordReader
	Hashes   []uint64  // for Judge.ReadsHashes: of the sketch of each record, also where a copy has none

	hasCopies bool // some records are copies: of these no sketch is made
}

// Len returns the number of records.
func (b Batch) Len() int { return len(b.Problems) }

// Sketch returns the sketch of record i. It is empty if the record has a problem or is a copy.
func (b Batch) Sketch(i int) []uint64 {
	start := 0
	if i > 0 {
		start = b.Ends[i-1]
	}
	return b.Words[start:b.Ends[i]]
}

// Slice returns the batch of records i to j-1, which shares memory with b.
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

// sketched returns how many of the records i to j-1 have a sketch.
func (b Batch) sketched(i, j int) (n int) {
	for ; i < j; i++ {
		if len(b.Sketch(i)) > 0 {
			n++
		}
	}
	return n
}

// isCopy reports whether the text of record i equals one that the judge remembers for good. Only
// judges with Remembers get copies.
func (b Batch) isCopy(i int) bool {
	return b.hasCopies && b.Problems[i].IsReadable() && len(b.Sketch(i)) == 0
}

// add appends a record. Its sketch, if any, must already be at the end of Words.
func (b *Batch) add(p Problem) {
	b.Ends, b.Problems = append(b.Ends, len(b.Words)), append(b.Problems, p)
}

// keptWords is how many words a batch keeps space for when it is reused. A long record has more,
// and without this limit every batch of the ring would grow to that size in time.
const keptWords = 1 << 20

func (b *Batch) reset() {
	if cap(b.Words) > keptWords {
		b.Words = nil
	}
	b.Words, b.Ends, b.Problems, b.Times = b.Words[:0], b.Ends[:0], b.Problems[:0], b.Times[:0]
	b.Hashes, b.Tag, b.hasCopies = b.Hashes[:0], nil, false
}

// A Key is a band key: 128 bits that represent one band of a signature.
type Key = xxh3.Uint128

// KeysOf interprets a sketch as band keys of two words each, the high one first.
func KeysOf(words []uint64) []Key {
	if len(words) < 2 {
		return nil
	}
	return unsafe.Slice((*Key)(unsafe.Pointer(&words[0])), len(words)/2)
}
