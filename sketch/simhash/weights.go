package simhash

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
)

// MostWeights is the maximum number of shingles in a table.
const MostWeights = 1 << 24

// Weights maps shingles to weights. It is safe for concurrent use.
type Weights struct {
	Texts   uint64 // number of texts counted
	others  uint16 // weight of all other shingles
	hashes  []uint64
	weights []uint16 // of hashes, which are in ascending order

	places []weighted // the lookup table: a power of two, at most half full
}

// weighted is a place in a table with linear probing. It is empty if its hash is 0.
type weighted struct {
	hash   uint64
	weight uint16
}

// Len returns the number of shingles with a weight of their own.
func (w *Weights) Len() int { return len(w.hashes) }

// index builds the lookup table.
func (w *Weights) index() {
	size := hashset.LeastPlaces
	for size < 2*len(w.hashes) {
		size *= 2
	}
	w.places = make([]weighted, size)
	for i, h := range w.hashes {
		at := h & uint64(size-1)
		for w.places[at].hash != 0 {
			at = (at + 1) & uint64(size-1)
		}
		w.places[at] = weighted{h, w.weights[i]}
	}
}

// appendTo appends the weights of shingles. It touches all their places first, so that the memory
// accesses overlap.
func (w *Weights) appendTo(dst []uint16, hashes []uint64) []uint16 {
	mask, touched := uint64(len(w.places)-1), uint64(0)
	for _, h := range hashes {
		touched |= w.places[h&mask].hash
	}
	if touched == 0 { // none of them is in the table
		return append(dst, slices.Repeat([]uint16{w.others}, len(hashes))...)
	}
	for _, h := range hashes {
		dst = append(dst, w.of(h))
	}
	return dst
}

// of returns the weight of a shingle.
func (w *Weights) of(h uint64) uint16 {
	mask := uint64(len(w.places) - 1)
	for at := h & mask; w.places[at].hash != 0; at = (at + 1) & mask {
		if w.places[at].hash == h {
			return w.places[at].weight
		}
	}
	return w.others
}

// Hash returns a hash of the weights.
func (w *Weights) Hash() uint64 { return xxh3.Hash(w.appendEntries(nil)) }
