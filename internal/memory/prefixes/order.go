package prefixes

import "slices"

// An order sorts elements from rare to frequent. It never changes.
type order struct {
	counts []uint32 // how many of the sampled sets have an element, by the first bits of its hash
	shift  int      // to the place in counts
	most   uint32   // the count up to which an element is rare
}

const (
	// mostOfRare is the number of sets up to which an element is rare, when they are counted.
	mostOfRare = 1000

	// leastSampled is the number of sets that are all counted; of more, one in sampledOf is, but no
	// fewer.
	leastSampled, sampledOf = 1 << 16, 32

	leastCountBits, mostCountBits = 10, 24
)

// newOrder returns the order of sets that are counted by it, a sample of all. Before any was
// counted, all elements are rare.
func newOrder(sets, sampled int) order {
	bits := leastCountBits
	for bits < mostCountBits && 1<<bits < 8*sampled {
		bits++
	}
	o := order{counts: make([]uint32, 1<<bits), shift: 64 - bits}
	o.most = uint32(max(1, uint64(mostOfRare)*uint64(sampled)/uint64(max(1, sets))))
	return o
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

// sorted returns the first most elements of a set in order, in dst.
func (o *order) sorted(dst []element, hashes []uint64, most int) []element {
	dst = dst[:0]
	for _, h := range hashes {
		dst = append(dst, uint64(o.counts[h>>o.shift])<<32|h>>32)
	}
	slices.Sort(dst)
	return dst[:min(most, len(dst))]
}

func (o *order) isRare(e element) bool { return uint32(e>>32) <= o.most }

// mixed returns a key for a number.
func mixed(n uint64) uint64 {
	n = (n ^ n>>32) * 0x9e3779b97f4a7c15
	n = (n ^ n>>29) * 0xbf58476d1ce4e5b9
	return n ^ n>>32
}

// lateBit says of a key that the element that it begins with is late in its set. The lowest bits of
// keys are not looked up.
const lateBit = 1

// keyOf returns a key for a number.
func keyOf(n uint64, isLate bool) uint64 { return mixed(n)&^lateBit | uint64(boolToInt(isLate)) }

// appendKeys appends the keys of a set, given the elements of its prefix and the one that follows:
// the rare elements of the prefix, and the pairs of the others. The first early elements are not
// late.
func (o *order) appendKeys(dst []uint64, first []element, prefix, early int) []uint64 {
	rare := 0
	for rare < len(first) && (o.isRare(first[rare]) || len(first) == 1) {
		rare++
	}
	for i, e := range first[:min(rare, prefix)] {
		dst = append(dst, keyOf(uint64(uint32(e)), i >= early))
	}
	for i := rare; i < len(first); i++ {
		begin := mixed(uint64(uint32(first[i])))
		for _, other := range first[i+1:] {
			dst = append(dst, keyOf(begin^uint64(uint32(other)), i >= early))
		}
	}
	return dst
}
