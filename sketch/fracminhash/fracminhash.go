// Package fracminhash keeps a sample of a text's shingles by which it can be told how much of one
// text is in another one.
//
// A sample has the hashes below a bound (FracMinHash: Irber et al., Lightweight compositional
// analysis of metagenomes with FracMinHash and minimum metagenome covers, 2022; Hera, Pierce-Ward,
// Koslicki: Deriving confidence intervals for mutation rates across a wide range of evolutionary
// distances using FracMinHash, Genome Research 2023). In place of a fixed number of hashes, as of
// MinHash, it is a fixed share of them: so two texts of any length keep the same ones of what they
// have in common, and the share of a sample that is in the other one says how much of the text is
// in the other text.
//
// # Levels
//
// At level l a text keeps the hashes below 2^(64-l): one in 2^l. The level of a text of n different
// shingles is the largest one, up to Params.MaxLevel, at which Least are expected, n ≥ Least·2^l,
// or else 0: short texts keep more, those of fewer than 2·Least shingles all.
//
// Any two samples are comparable at the larger of their levels: what a text keeps at its own level
// has among it all of its hashes below the bound of any larger one. So both samples, cut there, are
// exactly the hashes of the texts below one bound, and what they have in common is exactly what the
// texts have in common below it.
//
// The estimate has no bias. The levels depend on how many shingles the texts have, and not on their
// hashes. If the hashes are like random ones, and m ≥ 1 of a text's are below the bound, each m of
// its shingles are equally likely to be those. Then the number of them that are in the other text
// is hypergeometric, and its mean is m times the share of the text that is in the other one.
package fracminhash

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/hashset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Least is how many hashes are expected in the sample of a text that has as many shingles.
const Least = 16

// MaxScale is the largest scale.
const MaxScale = 1024

// Params are the parameters of a sample. What its shingles are is up to a sketch.Sketcher.
type Params struct {
	Scale  int // of a long text one in so many shingles is kept; a power of two up to MaxScale
	Beside Beside
}

// Beside is what a sketch has beside the sample.
type Beside uint8

const (
	Nothing Beside = iota
	// Finer is the upper halves of the hashes that a sample of two levels less has, four times as
	// many. They say more exactly how much of a text is in another one.
	Finer
	// Set is the hashes of all shingles, by which two texts are compared exactly.
	Set
)

// Validate reports what has no meaning.
func (p Params) Validate() error {
	if p.Scale < 1 || p.Scale > MaxScale || p.Scale&(p.Scale-1) != 0 {
		return fmt.Errorf("scale must be a power of two between 1 and %d, not %d", MaxScale, p.Scale)
	}
	return nil
}

// MaxLevel is the level of long texts.
func (p Params) MaxLevel() int { return bits.TrailingZeros(uint(p.Scale)) }

// levelOf is the level of a text of so many different shingles.
func (p Params) levelOf(shingles int) int {
	return max(0, min(p.MaxLevel(), bits.Len(uint(shingles/Least))-1))
}

// LevelOf is the largest level at which a hash is kept.
func LevelOf(hash uint64) int { return bits.LeadingZeros64(hash) }

// A Sketcher makes samples. It owns scratch memory and is not safe for concurrent use: give each
// goroutine its own Clone.
type Sketcher struct {
	params   Params
	shingler *sketch.Sketcher
	take     func(hashes []uint64)

	enough   int         // different shingles that make the level that of long texts
	seen     hashset.Set // the first of these
	distinct []uint64    // the same in their order
	level    int         // the lowest one that is kept of a long text
	kept     []uint64    // hashes of that level, or all with Set, with repeats
	finer    []uint32    // upper halves of those that the sample does not have
	room     []uint64    // to sort hashes
	buckets  buckets
	tooMany  bool // shingles for a set
}

// New returns a Sketcher for the shingles that s makes of a text. What else s is for has no meaning
// here. It owns s from now on.
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
	f.take = f.add
	return f, nil
}

// Clone returns a Sketcher of the same samples that may be used at the same time as f.
func (f *Sketcher) Clone() *Sketcher {
	c, _ := New(f.shingler.Clone(), f.params) // they were valid before
	return c
}

// Params returns what the Sketcher was made with.
func (f *Sketcher) Params() Params { return f.params }

// Append appends the sketch of the text to dst, as Read takes it. Nothing is appended and ok is
// false if the text is empty, that is, has no token; if none of its hashes is below the bound,
// which is as likely as e^-16; or if more than sketch.MaxSet are, as of 400 MB of English at a
// scale of 16.
func (f *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	defer f.reset()
	f.shingler.EachShingle(text, f.take)
	s := f.sketch()
	if n := len(s.Sample()); n == 0 || n > sketch.MaxSet {
		return dst, false
	}
	return s.append(dst, f.finer), true
}

// sketch is the sketch of the shingles that were added, but for the finer sample, which is f.finer.
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

// add takes in some shingles.
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

// addToSet keeps all of some hashes. If there are too many for a set, which takes a long text, only
// those of its level stay.
func (f *Sketcher) addToSet(hashes []uint64) {
	f.makeRoom(len(hashes))
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

// keepBelow keeps those of some hashes that are below the bound of a long text.
func (f *Sketcher) keepBelow(hashes []uint64) {
	f.makeRoom(len(hashes))
	shift, n := 64-f.level, len(f.kept)
	f.kept = f.kept[:n+len(hashes)]
	for _, h := range hashes { // without a branch, which would be mispredicted
		f.kept[n] = h
		n += int((h>>shift - 1) >> 63)
	}
	f.kept = f.kept[:n]
}

// makeRoom makes room for some more hashes. Before that takes much memory, repeats are dropped.
func (f *Sketcher) makeRoom(hashes int) {
	if len(f.kept) > maxScratch && len(f.kept)+hashes > cap(f.kept) {
		f.sort()
		hashes = max(hashes, len(f.kept)) // so that all sorting takes twice as long as the last
	}
	f.kept = slices.Grow(f.kept, hashes)
}

// sort puts what is kept in order, without repeats.
func (f *Sketcher) sort() {
	f.kept, f.room = f.buckets.sort(f.kept, f.room)
	f.kept = slices.Compact(f.kept)
}

// maxScratch is how many hashes are kept room for from one text to the next.
const maxScratch = 1 << 17

// reset empties the sketcher, and lets go of memory that a huge text needed.
func (f *Sketcher) reset() {
	f.seen.Reset()
	f.distinct, f.kept, f.finer, f.tooMany = f.distinct[:0], f.kept[:0], f.finer[:0], false
	if cap(f.kept) > maxScratch {
		f.kept, f.room, f.finer = nil, nil, nil
	}
}
