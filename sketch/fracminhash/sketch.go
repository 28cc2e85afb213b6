package fracminhash

import (
	"slices"
	"sort"
)

// A Sketch is a sample with what accompanies it.
type Sketch struct {
	Level  int
	IsSet  bool     // Hashes are the hashes of all shingles
	Hashes []uint64 // in ascending order, without repeats; those of the sample come first
	finer  finer    // with Finer; else empty
}

// finer holds the upper halves of the hashes that a finer sample has in addition to the sample, in
// ascending order without repeats, two in a word, the lower half first.
type finer struct {
	words []uint64
	count int
}

func (f finer) at(i int) uint32 { return uint32(f.words[i/2] >> (i % 2 * 32)) }

// As words a sketch begins with one that holds the number of its hashes in the lower 28 bits, the
// number of further hashes of a finer sample in the next 28, in bit 56 whether the hashes are a
// set, and above that the level. The hashes follow, and then the upper halves of those of the finer
// sample, two in a word.
const (
	countBits = 28
	countMask = 1<<countBits - 1
	setAt     = 2 * countBits
	levelAt   = setAt + 1
)

func (s Sketch) append(dst []uint64, finer []uint32) []uint64 {
	head := uint64(len(s.Hashes)) | uint64(len(finer))<<countBits | uint64(s.Level)<<levelAt
	if s.IsSet {
		head |= 1 << setAt
	}
	dst = append(append(dst, head), s.Hashes...)
	for ; len(finer) > 1; finer = finer[2:] {
		dst = append(dst, uint64(finer[0])|uint64(finer[1])<<32)
	}
	if len(finer) > 0 {
		dst = append(dst, uint64(finer[0]))
	}
	return dst
}

// SizeOf returns the number of words that the first sketch in words claims to have, which may be
// more than there are.
func SizeOf(words []uint64) int {
	if len(words) == 0 {
		return 1
	}
	return 1 + int(words[0]&countMask) + int(words[0]>>countBits&countMask+1)/2
}

// Read returns the sketch in words, as many as SizeOf says. They must have been made by Append, and
// are not copied.
func Read(words []uint64) Sketch {
	head, rest := words[0], words[1:]
	hashes := head & countMask
	return Sketch{
		Level: int(head >> levelAt), IsSet: head>>setAt&1 == 1, Hashes: rest[:hashes],
		finer: finer{rest[hashes:], int(head >> countBits & countMask)},
	}
}

// Finer returns the number of hashes that a finer sample has in addition to the sample.
func (s Sketch) Finer() int { return s.finer.count }

// FinerAt returns the upper half of hash i of these, which are in ascending order.
func (s Sketch) FinerAt(i int) uint32 { return s.finer.at(i) }

// IsSound reports whether hashes are in order, and those of a finer sample between the bounds of
// the two levels.
func (s Sketch) IsSound() bool {
	if !slices.IsSorted(s.Hashes) {
		return false
	}
	next, end := uint64(1)<<(32-s.Level), uint64(1)<<(32-FinerLevel(s.Level))
	for i := range s.finer.count {
		upper := uint64(s.finer.at(i))
		if upper < next || upper >= end {
			return false
		}
		next = upper + 1
	}
	return true
}

// FinerLevel returns the level of the finer sample for a sample of a level.
func FinerLevel(level int) int { return max(0, level-finerBy) }

// finerBy is the difference of the levels: a finer sample has four times as many hashes.
const finerBy = 2

// AppendUppers appends to dst the upper halves of the hashes of the sample, and then of the further
// ones of a finer sample, in ascending order.
func (s Sketch) AppendUppers(dst []uint32) []uint32 {
	for _, h := range s.Sample() {
		dst = append(dst, uint32(h>>32))
	}
	for i := range s.finer.count {
		dst = append(dst, s.finer.at(i))
	}
	return dst
}

// Sample returns the hashes below the bound of the sketch's level.
func (s Sketch) Sample() []uint64 { return s.at(s.Level) }

// at returns the hashes below the bound of a level.
func (s Sketch) at(level int) []uint64 {
	if level == 0 {
		return s.Hashes
	}
	bound := uint64(1) << (64 - level)
	return s.Hashes[:sort.Search(len(s.Hashes), func(i int) bool { return s.Hashes[i] >= bound })]
}

// Common compares two samples at the larger of their levels. It returns the total weight of the
// hashes of each, and of the common ones. If weight is nil it counts them.
func Common(a, b Sketch, weight func(hash uint64) int) (ofA, ofB, both int) {
	level := max(a.Level, b.Level)
	x, y := a.at(level), b.at(level)
	if weight == nil {
		weight = func(uint64) int { return 1 }
	}
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			ofA += weight(x[0])
			x = x[1:]
		case len(x) == 0 || y[0] < x[0]:
			ofB += weight(y[0])
			y = y[1:]
		default:
			n := weight(x[0])
			ofA, ofB, both = ofA+n, ofB+n, both+n
			x, y = x[1:], y[1:]
		}
	}
	return ofA, ofB, both
}

// CommonOfSets returns the number of common hashes of two sorted sets.
func CommonOfSets(a, b []uint64) (both int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case b[0] < a[0]:
			b = b[1:]
		default:
			both++
			a, b = a[1:], b[1:]
		}
	}
	return both
}
