package simhash

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Shingler returns each distinct shingle of a text once, for Frequencies to count. It is not safe
// for concurrent use.
type Shingler struct {
	shingler *sketch.Sketcher
	seen     hashset.Set
}

// NewShingler returns a Shingler for the shingles that s makes. It owns s from now on.
func NewShingler(s *sketch.Sketcher) *Shingler { return &Shingler{shingler: s} }

// Append appends the hashes of the distinct shingles of the text to dst. ok is false if the text
// has no shingles.
func (s *Shingler) Append(dst []uint64, text []byte) (hashes []uint64, ok bool) {
	s.seen.Reset()
	before := len(dst)
	s.shingler.EachShingle(text, func(hashes []uint64) { dst = append(dst, s.seen.AddNew(hashes)...) })
	return dst, len(dst) > before
}

// Frequencies counts the texts that contain each shingle. It stores a bounded number of shingles:
// when there are more, it subtracts from all counts what makes half of them zero, and drops those
// (Misra, Gries: Finding Repeated Elements, 1982). This hardly affects frequent shingles. It is not
// safe for concurrent use.
type Frequencies struct {
	most   int      // maximum number of shingles
	places []uint64 // of shingles: a power of two, at most half full; 0 means empty
	counts []uint32
	used   int
	texts  uint64
	short  uint32 // total subtracted
}

// NewFrequencies returns empty counts for that many shingles, 24 to 48 bytes each.
func NewFrequencies(shingles int) *Frequencies {
	return &Frequencies{most: max(hashset.LeastPlaces, shingles)}
}

var errTexts = errors.New("there are more texts than can be counted, 4,294,967,295")

// Add counts a text by its distinct shingles.
func (f *Frequencies) Add(hashes []uint64) error {
	if f.texts >= math.MaxUint32 {
		return errTexts
	}
	f.texts++
	for _, h := range hashes {
		if h == 0 {
			continue // means an empty place; one hash of 2⁶⁴
		}
		if 2*f.used >= len(f.places) {
			f.grow()
		}
		at := hashset.PlaceOf(f.places, h)
		if f.places[at] == 0 {
			f.places[at] = h
			f.used++
		}
		f.counts[at]++
	}
	return nil
}

// Pass counts a text without shingles.
func (f *Frequencies) Pass() { f.texts++ }

// Texts returns the number of texts counted.
func (f *Frequencies) Texts() uint64 { return f.texts }

// Short returns the maximum error of a count, which is never too large.
func (f *Frequencies) Short() uint32 { return f.short }

// grow doubles the table, or drops rare shingles if it would be too large.
func (f *Frequencies) grow() {
	size := max(hashset.LeastPlaces, 2*len(f.places))
	less := uint32(0)
	if size/2 > f.most {
		size = len(f.places)
		less = f.median()
		f.short += less
	}
	places, counts := f.places, f.counts
	f.places, f.counts, f.used = make([]uint64, size), make([]uint32, size), 0
	for i, h := range places {
		if h != 0 && counts[i] > less {
			at := hashset.PlaceOf(f.places, h)
			f.places[at], f.counts[at] = h, counts[i]-less
			f.used++
		}
	}
}

// median returns a count that half of the shingles do not exceed.
func (f *Frequencies) median() uint32 {
	var all []uint32
	for i, h := range f.places {
		if h != 0 {
			all = append(all, f.counts[i])
		}
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// weightSteps is the number of units of weight for a factor of e.
const weightSteps = 16

// weightOf returns the weight of a shingle that occurs in frequency of all texts: its inverse
// document frequency ln((1+N)/(1+df)) in steps of a 16th, at least one step.
func weightOf(texts, frequency uint64) uint16 {
	idf := math.Log(float64(1+texts) / float64(1+frequency))
	return uint16(max(1, math.Round(weightSteps*idf)))
}

// Weights returns the weights of the most frequent shingles, at most that many. All others have the
// weight of the most frequent one of them; if all are stored, that of a shingle in a single text.
func (f *Frequencies) Weights(shingles int) (*Weights, error) {
	if shingles < 1 || shingles > MostWeights {
		return nil, fmt.Errorf("a table has between 1 and %d shingles, not %d", MostWeights, shingles)
	}
	type entry struct {
		hash  uint64
		count uint32
	}
	var all []entry
	for i, h := range f.places {
		if h != 0 {
			all = append(all, entry{h, f.counts[i]})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.hash, b.hash))
	})
	others := uint64(1)
	if len(all) > shingles { // shingles as frequent as the first one left out are left out too
		others = uint64(all[shingles].count)
		kept, _ := slices.BinarySearchFunc(all, all[shingles].count, func(e entry, count uint32) int {
			return cmp.Compare(count, e.count)
		})
		all = all[:kept]
	}
	w := &Weights{Texts: f.texts, others: weightOf(f.texts, others+uint64(f.short))}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	for _, e := range all {
		w.hashes = append(w.hashes, e.hash)
		w.weights = append(w.weights, weightOf(f.texts, uint64(e.count)+uint64(f.short)))
	}
	w.index()
	return w, nil
}
