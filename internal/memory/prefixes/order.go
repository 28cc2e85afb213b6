package prefixes

import "slices"

// An order sorts elements from rare to frequent. The order itself does not change, but the elements
// that count as rare do.
type order struct {
	counts []uint32 // number of sets with an element, by the first bits of its hash
	shift  int      // of a hash to its index in counts
	most   uint32   // the count up to which an element is rare

	frequent map[key]struct{} // elements found not to be rare, by their single keys
}

// A rarity says which elements are rare: those that counted sets or fewer have when sets are
// counted, as long as none of their lists has more than listed entries.
type rarity struct{ counted, listed int }

// usualRarity was measured on passages of 40 words. Lower limits lead to more pairs, which take
// time and memory, and higher ones to more entries to examine.
var usualRarity = rarity{counted: 1000, listed: 2000}

const leastCountBits = 10

// newOrder returns an order by which the given number of sets is to be counted. Until then, all
// elements are rare.
func newOrder(r rarity, sets int) order {
	bits := leastCountBits
	for 1<<bits < 8*sets {
		bits++
	}
	return order{
		counts: make([]uint32, 1<<bits), shift: 64 - bits,
		most: uint32(r.counted), frequent: make(map[key]struct{}),
	}
}

// count counts the elements of a set.
func (o *order) count(hashes []uint64) {
	for _, h := range hashes {
		o.counts[h>>o.shift]++
	}
}

// An element is the position of a hash in the order: its count in the upper half, and the first
// bits of the hash, which distinguish elements, in the lower half.
type element = uint64

// rare marks a rare element. No count is that large.
const rare element = 1 << 63

// sorted returns at most the first most elements of a set, in order. It reuses dst.
func (o *order) sorted(dst []element, hashes []uint64, most int) []element {
	dst = dst[:0]
	for _, h := range hashes {
		dst = append(dst, uint64(o.counts[h>>o.shift])<<32|h>>(64-hashBits))
	}
	slices.Sort(dst)
	return dst[:min(most, len(dst))]
}

// mixed returns a hash of a number.
func mixed(n uint64) uint64 {
	n = (n ^ n>>32) * 0x9e3779b97f4a7c15
	n = (n ^ n>>29) * 0xbf58476d1ce4e5b9
	return n ^ n>>32
}

// A key is something that similar sets have in common. Its first bits identify it; the last tagBits
// are a tag.
type key uint64

const tagBits = 16

// keyOf returns a key for a number.
func keyOf(n uint64, t tag) key { return key(mixed(n)>>tagBits<<tagBits) | key(t) }

func (k key) tag() tag { return tag(k & (1<<tagBits - 1)) }

// withoutTag returns the bits that identify a key.
func (k key) withoutTag() key { return k >> tagBits << tagBits }

// singleKey returns the key of an element that is rare.
func singleKey(e element, t tag) key { return keyOf(uint64(uint32(e)), t) }

// pairKey returns the key of an element that is not rare and one that follows it.
func pairKey(e, other element, t tag) key {
	return keyOf(mixed(uint64(uint32(e)))^uint64(uint32(other)), t)
}

// isRare reports whether an element is a key by itself.
func (o *order) isRare(e element) bool {
	if uint32(e>>32) > o.most {
		return false
	}
	_, isFrequent := o.frequent[singleKey(e, 0)]
	return !isFrequent
}

// appendKeys appends the keys of a set, given the elements of its prefix and the next one. The rare
// elements of the prefix come first, by themselves. The pairs of each other element of the prefix
// with all elements after it follow. Each key has the tag of its place in the set. The first
// element of a pair precedes the second, so at most one more element than those from the second on
// is common.
//
// The key of a set of one element is its pair with itself, because there is no other element.
func (o *order) appendKeys(dst []key, first []element, prefix int, tags []tag) (keys []key, singles int) {
	if len(first) == 1 {
		return append(dst, pairKey(first[0], first[0], tags[0])), 0
	}
	for i, e := range first[:prefix] {
		if o.isRare(e) {
			dst = append(dst, singleKey(e, tags[i]))
			first[i] |= rare
			singles++
		}
	}
	for i, e := range first[:prefix] {
		if e&rare == 0 {
			dst = appendPairs(dst, first, i, tags)
		}
	}
	return dst, singles
}

// appendPairs appends the keys of the pairs of element i with all elements after it.
func appendPairs(dst []key, first []element, i int, tags []tag) []key {
	for j := i + 1; j < len(first); j++ {
		dst = append(dst, pairKey(first[i], first[j], tags[j-1]))
	}
	return dst
}
