// Package packedset stores sets of hashes in about two bytes a hash: the Elias-Fano code of their
// leading bits (Elias: Efficient Storage and Retrieval by Content and Address of Static Files,
// 1974).
//
// A set of n hashes keeps the first ⌊log₂ n⌋ + Form bits of each. So two different hashes of sets
// of that size are taken for one with a probability of about 2^-Form for each hash. The number of
// hashes is exact: hashes that agree in the kept bits are stored as often as they occur.
package packedset

import (
	"math/bits"
	"slices"
)

// A Form is the number of bits stored of each hash below the ⌊log₂ n⌋ that select one of 2^⌊log₂ n⌋
// buckets. The latter take two bits or less.
type Form int

const (
	// Similar is for sets of similar size: two bytes a hash at most.
	Similar Form = 13
	// Contained is for a small set that is compared with a much larger one: 28 bits a hash.
	Contained Form = 26
)

// bucketBits returns the number of leading bits that select a bucket in a set of n hashes.
func bucketBits(n int) int { return max(0, bits.Len(uint(n))-1) }

// kept returns the number of bits kept of each hash.
func (f Form) kept(n int) int { return bucketBits(n) + int(f) }

// upperWords returns the number of words for the buckets: a 1 for each hash, and a 0 after each
// bucket.
func upperWords(n int) int { return (n + 1<<bucketBits(n) + 63) / 64 }

// Words returns the number of words of a set of n hashes.
func (f Form) Words(n int) int {
	if n == 0 {
		return 0
	}
	return upperWords(n) + (n*int(f)+63)/64
}

// Append appends the words of a set of hashes in ascending order.
func (f Form) Append(dst, hashes []uint64) []uint64 {
	n, before, size := len(hashes), len(dst), f.Words(len(hashes))
	dst = slices.Grow(dst, size)[:before+size]
	if n == 0 {
		return dst
	}
	putUpper(dst[before:before+upperWords(n)], hashes)
	f.putLower(dst[before+upperWords(n):], hashes)
	return dst
}

// putUpper sets words to the buckets of hashes. It writes a word again for each of its bits, since
// a branch on whether it is complete would often be mispredicted.
func putUpper(words, hashes []uint64) {
	clear(words)
	dropped := (63 - uint(bucketBits(len(hashes)))) & 63
	ones, last := uint64(0), uint64(0) // the word being set, and its place
	for i, h := range hashes {
		one := uint64(i) + h>>1>>dropped
		if one/64 != last {
			ones = 0
		}
		last = one / 64
		ones |= 1 << (one % 64)
		words[last] = ones
	}
}

// putLower sets words to the bits of hashes that follow their buckets. It takes four hashes at
// a time if their bits fit into a word.
func (f Form) putLower(words, hashes []uint64) {
	dropped, form := (64-f.kept(len(hashes)))&63, uint(f)&63
	mask := uint64(1)<<form - 1
	word, used, at := uint64(0), uint(0), 0
	put := func(low uint64, size uint) {
		word |= low << (used & 63)
		if used += size; used >= 64 {
			words[at] = word
			at++
			used -= 64
			word = low >> ((size - used) & 63)
		}
	}
	if 4*form <= 64 {
		for ; len(hashes) >= 4; hashes = hashes[4:] {
			first := hashes[0]>>dropped&mask | hashes[1]>>dropped&mask<<form
			second := hashes[2]>>dropped&mask | hashes[3]>>dropped&mask<<form
			put(first|second<<(2*form&63), 4*form)
		}
	}
	for _, h := range hashes {
		put(h>>dropped&mask, form)
	}
	if used > 0 {
		words[at] = word
	}
}

// AppendHashes appends the hashes of a set of n, in ascending order and with zeros for the bits
// that are not kept. words must have length Words(n); ok is false if they encode no set.
func (f Form) AppendHashes(dst []uint64, n int, words []uint64) (hashes []uint64, ok bool) {
	if n == 0 {
		return dst, true
	}
	before := len(dst)
	dst = slices.Grow(dst, n)
	hashes = dst[before : before+n]
	upper, lower := words[:upperWords(n)], words[upperWords(n):]
	dropped, form := 64-f.kept(n), uint(f)
	i, at, most := 0, uint(0), uint64(1)<<bucketBits(n)-1
	for w, ones := range upper {
		for ; ones != 0; ones &= ones - 1 {
			bucket := uint64(64*w+bits.TrailingZeros64(ones)) - uint64(i)
			if i == n || bucket > most {
				return dst, false
			}
			low := lower[at/64] >> (at % 64)
			if left := 64 - at%64; left < form {
				low |= lower[at/64+1] << left
			}
			hashes[i] = (bucket<<form | low&(1<<form-1)) << dropped
			at += form
			i++
		}
	}
	return dst[:before+n], i == n
}

// Common returns the number of common hashes of two sets from AppendHashes, by the bits that both
// keep.
func (f Form) Common(a, b []uint64) (common int) {
	shift := 64 - f.kept(min(len(a), len(b)))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i]>>shift, b[j]>>shift
		common += toInt(x == y) // no branches, which would be mispredicted
		i += toInt(x <= y)
		j += toInt(y <= x)
	}
	return common
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Jaccard returns |A∩B| / |A∪B|, or 0 if both sets are empty.
func (f Form) Jaccard(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := f.Common(a, b)
	return float64(common) / float64(len(a)+len(b)-common)
}

// Containment returns the share of the smaller set that the other one contains, or 0 if one is
// empty.
func (f Form) Containment(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return float64(f.Common(a, b)) / float64(min(len(a), len(b)))
}
