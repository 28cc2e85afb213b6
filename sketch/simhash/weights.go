package simhash

import (
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
)

// MostWeights is how many shingles a table can have.
const MostWeights = 1 << 24

// Weights say how much each shingle weighs. It may be used by several goroutines.
type Weights struct {
	Texts   uint64 // that were counted
	others  uint16 // weight of shingles that are not here
	hashes  []uint64
	weights []uint16 // of these, in their order, which is a rising one

	places []weighted // what is looked up: a power of two, at most half of them taken
}

// weighted is a place in a table with linear probing. One whose hash is 0 is empty.
type weighted struct {
	hash   uint64
	weight uint16
}

// Len is how many shingles have a weight of their own.
func (w *Weights) Len() int { return len(w.hashes) }

// index makes what is looked up.
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

// appendTo appends the weights of shingles. It touches the places of all of them first: so the
// memory is asked for many at a time.
func (w *Weights) appendTo(dst []uint16, hashes []uint64) []uint16 {
	mask, touched := uint64(len(w.places)-1), uint64(0)
	for _, h := range hashes {
		touched |= w.places[h&mask].hash
	}
	if touched == 0 { // none of them is there
		return append(dst, slices.Repeat([]uint16{w.others}, len(hashes))...)
	}
	for _, h := range hashes {
		dst = append(dst, w.of(h))
	}
	return dst
}

// of is the weight of a shingle.
func (w *Weights) of(h uint64) uint16 {
	mask := uint64(len(w.places) - 1)
	for at := h & mask; w.places[at].hash != 0; at = (at + 1) & mask {
		if w.places[at].hash == h {
			return w.places[at].weight
		}
	}
	return w.others
}

// Hash tells weights from others.
func (w *Weights) Hash() uint64 { return xxh3.Hash(w.appendEntries(nil)) }
