package main

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/sketch"
)

const slots = 128

// A record is a set of shingles with its signature, and the second choice of each slot: the least
// hash but one, which would be in the slot if the first shingle were not there.
type record struct {
	set           []uint64
	first, second [slots]uint64
}

// families are the constants of independent hash functions.
var families = func() (f [slots][2]uint64) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range f {
		f[i] = [2]uint64{rng.Uint64() | 1, rng.Uint64()}
	}
	return f
}()

func newRecord(hashes []uint64) (r record) {
	r.set = sets.Of(hashes)
	for j, f := range families {
		first, second := uint64(math.MaxUint64), uint64(math.MaxUint64)
		for _, x := range r.set {
			h, _ := bits.Mul64(x^f[1], f[0])
			h ^= (x ^ f[1]) * f[0]
			if h < first {
				first, second = h, first
			} else if h < second {
				second = h
			}
		}
		r.first[j], r.second[j] = first, second
	}
	return r
}

// nearest are the slots from one on, before another, by how near their two least hashes are.
func (r *record) nearest(from, to int) (all []int) {
	for slot := from; slot < to; slot++ {
		all = append(all, slot)
	}
	slices.SortFunc(all, func(a, b int) int {
		return cmp.Compare(r.second[a]-r.first[a], r.second[b]-r.first[b])
	})
	return all
}

func (r *record) jaccard(other *record) float64 { return sketch.JaccardOfSets(r.set, other.set) }

// bruteForce finds for each record the similarity with the nearest earlier one, if that is at the
// threshold, else 0; and how many have one. Pairs whose signatures say that they are far from the
// threshold, by six standard deviations, are not compared exactly.
func bruteForce(records []record, threshold float64) (nearest []float64, wanted int) {
	least := int(slots*threshold - 6*math.Sqrt(slots*threshold*(1-threshold)))
	nearest = make([]float64, len(records))
	for i := range records {
		for j := range i {
			agree := 0
			for s, v := range records[i].first {
				if v == records[j].first[s] {
					agree++
				}
			}
			if agree < least {
				continue
			}
			if similarity := records[i].jaccard(&records[j]); similarity >= threshold {
				nearest[i] = max(nearest[i], similarity)
			}
		}
		if nearest[i] > 0 {
			wanted++
		}
	}
	return nearest, wanted
}
