// Package simhash computes fingerprints of texts whose Hamming distance measures how different the
// texts are.
//
// A text is a vector with a component for each of its shingles, whose value is the shingle's
// weight. Each bit of the fingerprint says on which side of a random hyperplane that vector lies
// (Charikar: Similarity Estimation Techniques from Rounding Algorithms, STOC 2002). The hyperplane
// of a bit has +1 or -1 for each shingle, depending on that bit of the shingle's hash (Manku, Jain,
// Das Sarma: Detecting Near-Duplicates for Web Crawling, WWW 2007). Two bits differ with
// probability θ/π, where θ is the angle between the vectors. docs/design/sketch.md defines it
// to the byte.
package simhash

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Values of Params.Weight.
const (
	TermFrequency = "tf"      // a shingle is weighted by its occurrences in the text
	Uniform       = "uniform" // all shingles of the text have the same weight
	IDF           = "idf"     // occurrences in the text times the weight in a table
)

// Params determine how a fingerprint is made. A sketch.Sketcher determines the shingles.
type Params struct {
	Bits   int    // 64 or 128
	Weight string // TermFrequency, Uniform or IDF

	Weights *Weights // for IDF; else nil
}

// Validate returns an error if the parameters are invalid.
func (p Params) Validate() error {
	switch {
	case p.Bits != 64 && p.Bits != 128:
		return fmt.Errorf("bits must be 64 or 128, not %d", p.Bits)
	case p.Weight != TermFrequency && p.Weight != Uniform && p.Weight != IDF:
		return fmt.Errorf("weight: unknown name %q (want one of: %s, %s, %s)", p.Weight, TermFrequency, Uniform, IDF)
	case (p.Weight == IDF) != (p.Weights != nil):
		return fmt.Errorf("a table of weights is for %s, which needs one", IDF)
	}
	return nil
}

// Words returns the number of words of a fingerprint, 64 bits each.
func (p Params) Words() int { return p.Bits / 64 }

// A Sketcher makes fingerprints. It owns scratch memory and is not safe for concurrent use: give
// each goroutine its own Clone.
type Sketcher struct {
	params   Params
	shingler *sketch.Sketcher
	sums     []counters  // one for each word of a fingerprint
	seen     hashset.Set // for Uniform
	weights  []uint16    // for IDF: weights of the current shingles
	chosen   []uint64    // some of these shingles
	consume  func(hashes []uint64)
}

// New returns a Sketcher for the shingles that s makes. Other properties of s do not matter. The
// Sketcher owns s from now on.
func New(s *sketch.Sketcher, p Params) (*Sketcher, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	f := &Sketcher{params: p, shingler: s, sums: make([]counters, p.Words())}
	f.consume = f.add
	return f, nil
}

// Clone returns an equal Sketcher that may be used concurrently with f.
func (f *Sketcher) Clone() *Sketcher {
	c, _ := New(f.shingler.Clone(), f.params) // the parameters are valid
	return c
}

// Params returns the parameters of the Sketcher.
func (f *Sketcher) Params() Params { return f.params }

// Append appends the fingerprint of the text to dst: its bits 0 to 63 are the first word, the
// lowest bit first. If the text is empty, that is, has no tokens, nothing is appended and ok is
// false. It uses the memory of a window of text; with Uniform, also that of all distinct shingles.
func (f *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	for i := range f.sums {
		f.sums[i].reset()
	}
	f.seen.Reset()
	f.shingler.EachShingle(text, f.consume)
	if f.sums[0].total == 0 {
		return dst, false
	}
	for i := range f.sums {
		dst = append(dst, f.sums[i].majority())
	}
	return dst, true
}

// add adds some shingles.
func (f *Sketcher) add(hashes []uint64) {
	switch f.params.Weight {
	case Uniform:
		hashes = f.seen.AddNew(hashes)
	case IDF:
		f.addWeighted(hashes)
		return
	}
	f.sums[0].add(hashes, 0)
	if len(f.sums) == 1 {
		return
	}
	for i, h := range hashes {
		hashes[i] = mix(h)
	}
	f.sums[1].add(hashes, 0)
}

// addWeighted adds shingles by their weights in the table: for each bit of the weights, those whose
// weight has it.
func (f *Sketcher) addWeighted(hashes []uint64) {
	f.weights = f.params.Weights.appendTo(f.weights[:0], hashes)
	all := uint16(0)
	for _, weight := range f.weights {
		all |= weight
	}
	f.chosen = slices.Grow(f.chosen[:0], len(hashes))[:len(hashes)]
	for i := range f.sums {
		if i > 0 {
			for j, h := range hashes {
				hashes[j] = mix(h)
			}
		}
		for p := range bits.Len16(all) {
			n := 0
			for j, h := range hashes {
				f.chosen[n] = h
				n += int(f.weights[j] >> p & 1)
			}
			f.sums[i].add(f.chosen[:n], p)
		}
	}
}

// mix derives the hash for the second word from that for the first: the first output of SplitMix64
// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014) with state h.
func mix(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// Distance returns the Hamming distance of two fingerprints of the same length.
func Distance(a, b []uint64) int {
	n := 0
	for i := range a {
		n += bits.OnesCount64(a[i] ^ b[i])
	}
	return n
}

// Cosine estimates the cosine of the angle between two texts from the distance of their
// fingerprints with that many bits: cos(π·distance/bits).
func Cosine(distance, bits int) float64 {
	return math.Cos(math.Pi * float64(distance) / float64(bits))
}
