package prefixes

import "slices"

// A tag says how many elements a similar set may have if a key stands for the first elements that
// both have in common. The lower byte is that maximum, its reach. The upper byte is mostSize minus
// the number of elements of the set itself, so that one subtraction compares both.
//
// This is the positional filter (Xiao, Wang, Lin, Yu: Efficient Similarity Joins for Near Duplicate
// Detection, 2008). If the first common element of two sets is preceded by i elements of n in one
// and by j of m in the other, then at most min(n-i, m-j) are common, and similar sets have
// T/(1+T)·(n+m) in common.
type tag uint16

// anyTag is the tag of a set that may be similar to sets of any size.
const anyTag = tag(mostSize<<8 | mostSize)

func tagOf(size, reach int) tag { return tag(mostSize-size)<<8 | tag(reach) }

// limits holds the minimum of each byte of a tag for sets that may be similar.
type limits uint32

// anyLimits admits all tags.
const anyLimits limits = 0

// limits returns the limits of sets that may be similar to one with a tag: their reach is at least
// its size, and their size at most its reach.
func (t tag) limits() limits {
	size, reach := mostSize-limits(t>>8), limits(t&mostSize)
	return (mostSize-reach)<<8 | size
}

// admit returns 1 if both bytes of a tag reach the limits, else 0. No byte of either has its
// highest bit set, so this bit of each difference says that nothing was borrowed.
func (l limits) admit(t tag) int {
	const highest = 0x8080
	reached := (uint32(t) | highest) - uint32(l)
	return int((reached>>7)&(reached>>15)) & 1
}

// admittedAtOnce is the number of entries that admitAVX2 examines together.
const admittedAtOnce = 16

// gather contains, for each subset of eight entries, their indexes in order, a byte each.
var gather = func() (numbers [256]uint64) {
	for set := range numbers {
		for number, n := uint64(0), 0; number < 8; number++ {
			if set>>number&1 != 0 {
				numbers[set] |= number << n
				n += 8
			}
		}
	}
	return numbers
}()

// appendAdmitted appends the entries whose tags reach the limits.
func (l limits) appendAdmitted(dst, entries []uint32, tags []tag) []uint32 {
	tags = tags[:len(entries)]
	dst = slices.Grow(dst, len(entries)+admittedAtOnce)
	free, count := dst[len(dst):cap(dst)], 0
	if n := len(entries) / admittedAtOnce * admittedAtOnce; hasAVX2 && n > 0 {
		count = admitAVX2(&free[0], &entries[0], &tags[0], n, uint32(l), &gather)
		entries, tags = entries[n:], tags[n:]
	}
	for i, entry := range entries { // without branches, which would often be mispredicted
		free[count] = entry
		count += l.admit(tags[i])
	}
	return dst[:len(dst)+count]
}
