package prefixes

import "slices"

// An order sorts elements from rare to frequent. It never changes, but what is rare does.
type order struct {
	counts []uint32 // how many of the sampled sets have an element, by the first bits of its hash
	shift  int      // to the place in counts
	most   uint32   // the count up to which an element is rare

	frequent map[key]struct{} // elements that have turned out not to be, by their single keys
}

// A rarity says which elements are rare, by the number of sets that have them: those with counted
// or fewer when sets are counted, as long as a list of theirs has no more than listed entries.
type rarity struct{ counted, listed int }

// usualRarity was measured on passages of 40 words: with less there are more pairs, which take time
// and memory, and with more there are more entries to look at.
var usualRarity = rarity{counted: 1000, listed: 2000}

const leastCountBits = 10

// newOrder returns the order of sets that are counted by it, that many. Before any was counted, all
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

// An element is the place of a hash in the order: its count in the upper half, and the first bits
// of the hash, which tell elements apart, in the lower half.
type element = uint64

// rare marks an element of the order. No count is as large.
const rare element = 1 << 63

// sorted returns the first most elements of a set in order, in dst.
func (o *order) sorted(dst []element, hashes []uint64, most int) []element {
	dst = dst[:0]
	for _, h := range hashes {
		dst = append(dst, uint64(o.counts[h>>o.shift])<<32|h>>(64-hashBits))
	}
	slices.Sort(dst)
	return dst[:min(most, len(dst))]
}

// mixed returns a key for a number.
func mixed(n uint64) uint64 {
	n = (n ^ n>>32) * 0x9e3779b97f4a7c15
	n = (n ^ n>>29) * 0xbf58476d1ce4e5b9
	return n ^ n>>32
}

// A key is what similar sets have in common. Its first bits tell keys apart; the last tagBits are a
// tag.
type key uint64

const tagBits = 16

// keyOf returns a key for a number.
func keyOf(n uint64, t tag) key { return key(mixed(n)>>tagBits<<tagBits) | key(t) }

func (k key) tag() tag { return tag(k & (1<<tagBits - 1)) }

// withoutTag returns what tells a key apart from others.
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

// appendKeys appends the keys of a set, given the elements of its prefix and the one that follows:
// first the single elements of the prefix that are rare, and then the pairs of each of the others
// with all that follow. Each has the tag of its place in the set. The first element of a
// pair precedes the second, so at most one more than those from the second on are common.
//
// A set of one element has its pair with itself as a key, because it has no other.
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

// appendPairs appends the keys of element i and all that follow.
func appendPairs(dst []key, first []element, i int, tags []tag) []key {
	for j := i + 1; j < len(first); j++ {
		dst = append(dst, pairKey(first[i], first[j], tags[j-1]))
	}
	return dst
}
