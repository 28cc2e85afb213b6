// Package fracminhash samples the shingles of a text, so that two samples show how much of one text
// is contained in the other.
//
// A sample consists of the hashes below a bound (FracMinHash: Irber et al., Lightweight
// compositional analysis of metagenomes with FracMinHash and minimum metagenome covers, 2022; Hera,
// Pierce-Ward, Koslicki: Deriving confidence intervals for mutation rates across a wide range of
// evolutionary distances using FracMinHash, Genome Research 2023). MinHash keeps a fixed number of
// hashes; this keeps a fixed fraction of them. So two texts of any length keep the same hashes of
// what they have in common, and the share of a sample that is in the other one estimates how much
// of the text is in the other text.
//
// # Levels
//
// At level l a text keeps the hashes below 2^(64-l): one in 2^l. The level of a text with n
// distinct shingles is the largest one, up to Params.MaxLevel, at which Least are expected, n ≥
// Least·2^l, or else 0. So short texts keep more, and those with fewer than 2·Least shingles all.
//
// Any two samples are comparable at the larger of their levels, since what a text keeps at its own
// level includes all its hashes below the bound of any larger one. Both samples, cut there, are
// exactly the hashes of the texts below one bound, and what they have in common is exactly what the
// texts have in common below it.
//
// The estimate is unbiased. The levels depend on how many shingles the texts have, and not on their
// hashes. If hashes are random, and m ≥ 1 of a text's are below the bound, all sets of m of its
// shingles are equally likely to be those. Then the number of them in the other text is
// hypergeometric, and its mean is m times the share of the text that is in the other one.
package fracminhash

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Least is the minimum expected size of a sample, for texts with at least as many shingles.
const Least = 16

// MaxScale is the largest scale.
const MaxScale = 1024

// Params are the parameters of a sample. A sketch.Sketcher determines the shingles.
type Params struct {
	Scale  int // one in this many shingles of a long text is kept; a power of two up to MaxScale
	Beside Beside
}

// Beside is what a sketch holds in addition to the sample.
type Beside uint8

const (
	Nothing Beside = iota
	// Finer adds the upper halves of the hashes in a sample two levels lower, four times as many.
	// They estimate more precisely how much of a text is in another one.
	Finer
	// Set adds the hashes of all shingles, which allow an exact comparison.
	Set
)

// Validate returns an error if the parameters are invalid.
func (p Params) Validate() error {
	if p.Scale < 1 || p.Scale > MaxScale || p.Scale&(p.Scale-1) != 0 {
		return fmt.Errorf("scale must be a power of two between 1 and %d, not %d", MaxScale, p.Scale)
	}
	return nil
}

// MaxLevel returns the level of long texts.
func (p Params) MaxLevel() int { return bits.TrailingZeros(uint(p.Scale)) }

// levelOf returns the level of a text with that many distinct shingles.
func (p Params) levelOf(shingles int) int {
	return max(0, min(p.MaxLevel(), bits.Len(uint(shingles/Least))-1))
}

// LevelOf returns the largest level at which a hash is kept.
func LevelOf(hash uint64) int { return bits.LeadingZeros64(hash) }

// A Sketcher makes samples. It owns scratch memory and is not safe for concurrent use: give each
// goroutine its own Clone.
type Sketcher struct {
	params   Params
	shingler *sketch.Sketcher
	consume  func(hashes []uint64)

	enough   int         // distinct shingles of a text at the level of long texts
	seen     hashset.Set // the first of these
	distinct []uint64    // the same in order
	level    int         // the lowest level kept of a long text
	kept     []uint64    // hashes of that level, or all with Set, including repeats
	finer    []uint32    // upper halves of those not in the sample
	room     []uint64    // for sorting hashes
	buckets  buckets
	tooMany  bool // more shingles than a set may have
}

// New returns a Sketcher for the shingles that s makes. Other properties of s do not matter. The
// Sketcher owns s from now on.
func New(s *sketch.Sketcher, p Params) (*Sketcher, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	f := &Sketcher{params: p, shingler: s, level: p.MaxLevel()}
	if p.Beside != Set && p.Scale > 1 {
		f.enough = Least * p.Scale
	}
	if p.Beside == Finer {
		f.level = FinerLevel(f.level)
	}
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

// Append appends the sketch of the text to dst, in the form that Read accepts. Nothing is appended
// and ok is false if the text is empty, that is, has no tokens; if none of its hashes is below the
// bound, which has a probability of e^-16; or if more than sketch.MaxSet are, as with 400 MB of
// English at a scale of 16.
func (f *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	defer f.reset()
	f.shingler.EachShingle(text, f.consume)
	s := f.sketch()
	if n := len(s.Sample()); n == 0 || n > sketch.MaxSet {
		return dst, false
	}
	return s.append(dst, f.finer), true
}

// sketch returns the sketch of the added shingles, without the finer sample, which is f.finer.
func (f *Sketcher) sketch() (s Sketch) {
	switch {
	case f.tooMany:
		s.Level = f.params.MaxLevel()
	case f.params.Beside == Set || f.params.Scale == 1:
		f.sort()
		s = Sketch{Level: f.params.levelOf(len(f.kept)), IsSet: true, Hashes: f.kept}
		if f.params.Beside != Set || len(f.kept) > sketch.MaxSet {
			s.Hashes, s.IsSet = s.Sample(), false
		}
		return s
	case len(f.distinct) < f.enough:
		s.Level = f.params.levelOf(len(f.distinct))
		level := s.Level
		if f.params.Beside == Finer {
			level = FinerLevel(level)
		}
		f.kept = slices.DeleteFunc(append(f.kept[:0], f.distinct...), func(h uint64) bool {
			return LevelOf(h) < level
		})
	default:
		s.Level = f.params.MaxLevel()
	}
	f.sort()
	s.Hashes = f.kept
	if f.params.Beside == Finer {
		s.Hashes = s.at(s.Level)
		for _, h := range f.kept[len(s.Hashes):] {
			f.finer = append(f.finer, uint32(h>>32))
		}
		f.finer = slices.Compact(f.finer)
	}
	return s
}

// add adds some shingles.
func (f *Sketcher) add(hashes []uint64) {
	if f.params.Beside == Set && !f.tooMany {
		f.addToSet(hashes)
		return
	}
	f.keepBelow(hashes)
	for len(hashes) > 0 && len(f.distinct) < f.enough {
		some := min(len(hashes), f.enough-len(f.distinct))
		f.distinct = append(f.distinct, f.seen.AddNew(hashes[:some])...)
		hashes = hashes[some:]
	}
}

// addToSet adds all hashes. If there are too many for a set, which takes a long text, it keeps only
// those of its level.
func (f *Sketcher) addToSet(hashes []uint64) {
	f.reserve(len(hashes))
	f.kept = append(f.kept, hashes...)
	if len(f.kept) <= 2*sketch.MaxSet {
		return
	}
	if f.sort(); len(f.kept) > sketch.MaxSet {
		f.tooMany = true
		all := f.kept
		f.kept = nil
		f.keepBelow(all)
	}
}

// keepBelow keeps the hashes below the bound of a long text.
func (f *Sketcher) keepBelow(hashes []uint64) {
	f.reserve(len(hashes))
	shift, n := 64-f.level, len(f.kept)
	f.kept = f.kept[:n+len(hashes)]
	for _, h := range hashes { // without a branch, which would be mispredicted
		f.kept[n] = h
		n += int((h>>shift - 1) >> 63)
	}
	f.kept = f.kept[:n]
}

// reserve makes space for more hashes. Repeats are dropped before that takes much memory.
func (f *Sketcher) reserve(hashes int) {
	if len(f.kept) > maxScratch && len(f.kept)+hashes > cap(f.kept) {
		f.sort()
		// so that all sorting takes at most twice as long as the last
		hashes = max(hashes, len(f.kept))
	}
	f.kept = slices.Grow(f.kept, hashes)
}

// sort sorts the kept hashes and drops repeats.
func (f *Sketcher) sort() {
	f.kept, f.room = f.buckets.sort(f.kept, f.room)
	f.kept = slices.Compact(f.kept)
}

// maxScratch is the number of hashes whose memory is kept from one text to the next.
const maxScratch = 1 << 17

// reset empties the sketcher, and frees the memory of a huge text.
func (f *Sketcher) reset() {
	f.seen.Reset()
	f.distinct, f.kept, f.finer, f.tooMany = f.distinct[:0], f.kept[:0], f.finer[:0], false
	if cap(f.kept) > maxScratch {
		f.kept, f.room, f.finer = nil, nil, nil
	}
}
