package fracminhash

import "sort"

// A Sketch is what is kept of a text.
type Sketch struct {
	Level  int
	IsSet  bool     // Hashes are the hashes of all shingles
	Hashes []uint64 // in ascending order, without repeats; those of the sample come first
}

// As words a sketch begins with one that has the number of its hashes in the lower 56 bits, in bit
// 56 whether they are a set, and above that the level. The hashes follow.
const (
	countBits = 56
	levelAt   = countBits + 1
)

func (s Sketch) append(dst []uint64) []uint64 {
	head := uint64(len(s.Hashes)) | uint64(s.Level)<<levelAt
	if s.IsSet {
		head |= 1 << countBits
	}
	return append(append(dst, head), s.Hashes...)
}

// SizeOf is how many words the first of some sketches says that it has. It may be more than there
// are.
func SizeOf(words []uint64) int {
	if len(words) == 0 {
		return 1
	}
	return 1 + int(words[0]&(1<<countBits-1))
}

// Read returns the sketch that words are: they were made by Append, and are not copied.
func Read(words []uint64) Sketch {
	return Sketch{Level: int(words[0] >> levelAt), IsSet: words[0]>>countBits&1 == 1, Hashes: words[1:]}
}

// Sample is the hashes below the bound of the sketch's level.
func (s Sketch) Sample() []uint64 { return s.at(s.Level) }

// at is the hashes below the bound of a level.
func (s Sketch) at(level int) []uint64 {
	if level == 0 || !s.IsSet && level == s.Level {
		return s.Hashes
	}
	bound := uint64(1) << (64 - level)
	return s.Hashes[:sort.Search(len(s.Hashes), func(i int) bool { return s.Hashes[i] >= bound })]
}

// Common compares two samples at the larger of their levels. It says what the hashes of each of
// them weigh together, and those of both. Without a weight it counts them.
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

// CommonOfSets is how many hashes two sets in ascending order have in common.
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
