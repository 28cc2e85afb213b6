// Package packedset stores sets of hashes in two parts. The first takes about two bytes a hash: the
// Elias-Fano code of their leading bits (Elias: Efficient Storage and Retrieval by Content and
// Address of Static Files, 1974). The second has the bits that follow these, and is read only if
// the first says that two sets are similar.
//
// The first part of a set of n hashes keeps the first ⌊log₂ n⌋ + Form bits of each. So two
// different hashes of sets of that size are taken for one with a probability of about 2^-Form for
// each hash. In a crowd of thousands of sets, some pair has such a false common hash, which makes
// it seem similar enough. With the second part the probability is 2^-(Form+19). The number of
// hashes is exact: hashes that agree in the kept bits are stored as often as they occur.
//
// Sets that are always compared as a whole, and are small, need no second part (see [Short]).
package packedset

import (
	"math/bits"
	"slices"
)

// A Form is the number of bits that the first part stores of each hash below the ⌊log₂ n⌋ that
// select one of 2^⌊log₂ n⌋ buckets, except for Short. The latter take two bits or less.
type Form int

const (
	// Similar is for sets of similar size: two bytes a hash at most.
	Similar Form = 13
	// Contained is for a small set that is compared with a much larger one: 28 bits a hash.
	Contained Form = 26
	// Short is for sets of some dozen hashes that are compared as a whole. Sets of fewer than 64
	// keep 24 bits of each hash, in the first part. If each of two sets has six hashes that the
	// other lacks, such as sets of 34 with a similarity of .7, they have a false common hash with a
	// probability of 36/2^24, two in a million. Larger sets are as in Similar.
	Short Form = 24
)

// fewHashes is the size from which sets in the form Short have a second part.
const fewHashes = 64

// low returns the number of bits that the first part of a set of n hashes has of each, besides its
// bucket.
func (f Form) low(n int) int {
	switch {
	case f != Short:
		return int(f)
	case n < fewHashes:
		return int(f) - bucketBits(n)
	}
	return int(Similar)
}

// bucketBits returns the number of leading bits that select a bucket in a set of n hashes.
func bucketBits(n int) int { return max(0, bits.Len(uint(n))-1) }

// furtherBits is the number of bits of a hash in the second part, unless it has no more.
const furtherBits = 19

// kept returns the number of bits that the first part keeps of each hash.
func (f Form) kept(n int) int { return bucketBits(n) + f.low(n) }

// further returns the number of bits that the second part has of each hash.
func (f Form) further(n int) int {
	if f == Short && n < fewHashes {
		return 0
	}
	return min(furtherBits, 64-f.kept(n))
}

// upperWords returns the number of words for the buckets: a 1 for each hash, and a 0 after each
// bucket.
func upperWords(n int) int { return (n + 1<<bucketBits(n) + 63) / 64 }

// LeadingWords returns the number of words of the first part of a set of n hashes.
func (f Form) LeadingWords(n int) int {
	if n == 0 {
		return 0
	}
	return upperWords(n) + wordsOf(n*f.low(n))
}

// Words returns the number of words of a set of n hashes.
func (f Form) Words(n int) int { return f.LeadingWords(n) + wordsOf(n*f.further(n)) }

// wordsOf returns the number of words with that many bits.
func wordsOf(bits int) int { return (bits + 63) / 64 }

// Append appends the words of a set of hashes in ascending order.
func (f Form) Append(dst, hashes []uint64) []uint64 {
	n, before, size := len(hashes), len(dst), f.Words(len(hashes))
	dst = slices.Grow(dst, size)[:before+size]
	if n == 0 {
		return dst
	}
	upper, leading, kept := upperWords(n), f.LeadingWords(n), f.kept(n)
	putUpper(dst[before:before+upper], hashes)
	putBits(dst[before+upper:before+leading], hashes, kept, f.low(n))
	if further := f.further(n); further > 0 {
		putBits(dst[before+leading:], hashes, kept+further, further)
	}
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

// putBits sets words to the last size of the first kept bits of each hash. It takes three or four
// hashes at a time if their bits fit into a word.
func putBits(words, hashes []uint64, kept, size int) {
	dropped, form := uint(64-kept)&63, uint(size)&63
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
	switch {
	case 4*form <= 64:
		for ; len(hashes) >= 4; hashes = hashes[4:] {
			first := hashes[0]>>dropped&mask | hashes[1]>>dropped&mask<<form
			second := hashes[2]>>dropped&mask | hashes[3]>>dropped&mask<<form
			put(first|second<<(2*form&63), 4*form)
		}
	case 3*form <= 64:
		for ; len(hashes) >= 3; hashes = hashes[3:] {
			first := hashes[0]>>dropped&mask | hashes[1]>>dropped&mask<<form
			put(first|hashes[2]>>dropped&mask<<(2*form&63), 3*form)
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
// that the first part does not keep. words must have length LeadingWords(n); ok is false if they
// encode no set.
func (f Form) AppendHashes(dst []uint64, n int, words []uint64) (hashes []uint64, ok bool) {
	if n == 0 {
		return dst, true
	}
	before := len(dst)
	dst = slices.Grow(dst, n)
	hashes = dst[before : before+n]
	clear(hashes)
	getBits(hashes, words[upperWords(n):], f.low(n), 0)
	if !f.addUpper(hashes, words[:upperWords(n)]) {
		return dst, false
	}
	return dst[:before+n], true
}

// AddFurther adds the bits of the second part to the hashes of a whole set from AppendHashes. words
// are those after the first LeadingWords.
func (f Form) AddFurther(hashes, words []uint64) {
	if n := len(hashes); n > 0 && f.further(n) > 0 {
		further := f.further(n)
		getBits(hashes, words[:wordsOf(n*further)], further, 64-f.kept(n)-further)
	}
}

// getBits adds to each hash the number of that size that words have for it, shifted.
func getBits(hashes, words []uint64, size, shift int) {
	form, last, by := uint(size), len(words)-1, uint(shift)&63
	mask := uint64(1)<<(form&63) - 1
	for i := range hashes {
		at := uint(i) * form
		word, bit := int(at/64), at%64
		if uint(word) >= uint(last) { // nothing follows the last word
			hashes[i] |= words[last] >> bit & mask << by
			continue
		}
		hashes[i] |= (words[word]>>bit | words[word+1]<<1<<(63-bit)) & mask << by
	}
}

// addUpper puts the buckets that words encode before the lower bits of hashes. ok is false if they
// encode those of a different number, or there is no such bucket.
func (f Form) addUpper(hashes, words []uint64) (ok bool) {
	form, dropped := uint(f.low(len(hashes)))&63, uint(64-f.kept(len(hashes)))&63
	i, bucket := 0, uint64(0)
	for w, ones := range words {
		if i+bits.OnesCount64(ones) > len(hashes) {
			return false
		}
		for ; ones != 0; ones &= ones - 1 {
			bucket = uint64(64*w+bits.TrailingZeros64(ones)) - uint64(i)
			hashes[i] = (bucket<<form | hashes[i]) << dropped
			i++
		}
	}
	return i == len(hashes) && bucket < 1<<bucketBits(len(hashes))
}

// Common returns the number of common hashes of two sets from AppendHashes, by the bits that the
// first parts of both keep: at least the true number, and rarely more.
func (f Form) Common(a, b []uint64) int { return commonBits(a, b, f.kept(min(len(a), len(b)))) }

// CommonExactly returns the number of common hashes of two sets to which AddFurther has added bits.
func (f Form) CommonExactly(a, b []uint64) int {
	n := min(len(a), len(b))
	return commonBits(a, b, f.kept(n)+f.further(n))
}

// commonBits returns the number of common hashes, by their first kept bits. It compares four parts
// of the sets at a time, since each comparison has to wait for the one before.
func commonBits(a, b []uint64, kept int) (common int) {
	shift := uint(64-kept) & 63
	a0, a1, a2, a3 := quarters(a)
	b0, b1, b2, b3 := quarters(b)
	var i0, i1, i2, i3, j0, j1, j2, j3 int
	for i0 < len(a0) && j0 < len(b0) && i1 < len(a1) && j1 < len(b1) && i2 < len(a2) && j2 < len(b2) &&
		i3 < len(a3) && j3 < len(b3) {
		x, y := a0[i0]>>shift, b0[j0]>>shift
		common += toInt(x == y)
		i0 += toInt(x <= y)
		j0 += toInt(y <= x)
		x, y = a1[i1]>>shift, b1[j1]>>shift
		common += toInt(x == y)
		i1 += toInt(x <= y)
		j1 += toInt(y <= x)
		x, y = a2[i2]>>shift, b2[j2]>>shift
		common += toInt(x == y)
		i2 += toInt(x <= y)
		j2 += toInt(y <= x)
		x, y = a3[i3]>>shift, b3[j3]>>shift
		common += toInt(x == y)
		i3 += toInt(x <= y)
		j3 += toInt(y <= x)
	}
	return common + commonOf(a0[i0:], b0[j0:], shift) + commonOf(a1[i1:], b1[j1:], shift) +
		commonOf(a2[i2:], b2[j2:], shift) + commonOf(a3[i3:], b3[j3:], shift)
}

func commonOf(a, b []uint64, shift uint) (common int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i]>>shift, b[j]>>shift
		common += toInt(x == y) // no branches, which would be mispredicted
		i += toInt(x <= y)
		j += toInt(y <= x)
	}
	return common
}

// quarters divides a set by the first two bits of its hashes.
func quarters(set []uint64) (first, second, third, fourth []uint64) {
	one, two, three := below(set, 1), below(set, 2), below(set, 3)
	return set[:one], set[one:two], set[two:three], set[three:]
}

// below returns the number of hashes below a number of quarters of all. Hashes are uniform, so it
// is nearly that share of them.
func below(set []uint64, quarters int) (n int) {
	least := uint64(quarters) << 62
	n = len(set) * quarters / 4
	for n > 0 && set[n-1] >= least {
		n--
	}
	for n < len(set) && set[n] < least {
		n++
	}
	return n
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Jaccard returns |A∩B| / |A∪B| of two sets of n and m hashes, or 0 if both are empty.
func Jaccard(n, m, common int) float64 {
	if n+m == 0 {
		return 0
	}
	return float64(common) / float64(n+m-common)
}

// Containment returns the share of the smaller set that the other one contains, or 0 if one is
// empty.
func Containment(n, m, common int) float64 {
	if n == 0 || m == 0 {
		return 0
	}
	return float64(common) / float64(min(n, m))
}
