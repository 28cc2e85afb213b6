package bloomlsh

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/bits-and-blooms/bloom/v3"
)

// classic is an array of textbook Bloom filters, by bits-and-blooms. It is the reference that paged
// is compared with.
type classic struct {
	words   []uint64
	hashes  int
	filters []*bloom.BloomFilter
	bytes   [16]byte // scratch for the current key
}

func newClassic(g geometry, words []uint64) *classic {
	f := &classic{words: words, hashes: g.probes, filters: make([]*bloom.BloomFilter, g.bands)}
	for band := range f.filters {
		f.filters[band] = bloom.From(words[uint64(band)*g.bandWords:][:g.bandWords], uint(g.probes))
	}
	return f
}

func (f *classic) contains(keys []Key, from int, to bandSet) (present int) {
	for band, key := range keys {
		if f.filters[band].Test(f.encode(key)) {
			present++
			if to != nil {
				to.put(from + band)
			}
		}
	}
	return present
}

func (f *classic) add(keys []Key) (present int) {
	for band, key := range keys {
		if f.filters[band].TestAndAdd(f.encode(key)) {
			present++
		}
	}
	return present
}

func (f *classic) insert(outcomes []outcome, b batch) { insertEach(f, outcomes, b) }

// encode writes the key in the form that the filter hashes: the high half, then the low one,
// big-endian.
func (f *classic) encode(key Key) []byte {
	binary.BigEndian.PutUint64(f.bytes[:], key.Hi)
	binary.BigEndian.PutUint64(f.bytes[8:], key.Lo)
	return f.bytes[:]
}

func (f *classic) sample(limit int) (fill, records float64) {
	step := max(1, len(f.words)/lineWords/limit) | 1
	ones, sampled := 0, 0
	for word := 0; word < len(f.words); word += step {
		ones += bits.OnesCount64(f.words[word])
		sampled++
	}
	fill = float64(ones) / float64(sampled*64)
	bandBits := float64(len(f.words) / len(f.filters) * 64)
	// Swamidass, Baldi 2007: n = -m/k ln(1-ones/m).
	return fill, -bandBits / float64(f.hashes) * math.Log1p(-min(fill, 1-1/bandBits))
}

func (f *classic) lookup(outcomes []outcome, b batch) { lookupEach(f, outcomes, b) }
