package fracminhash

import (
	"math/bits"
	"slices"
)

// buckets sort hashes that are evenly distributed: each goes to a bucket by its first bits, which
// leaves only a few neighbours out of order for most texts. A comparison sort would take three
// times as long, since no comparison can be predicted.
type buckets struct {
	ends [mostBuckets]uint16
}

const (
	// hashes; longer ones are sorted by comparison, to bound the time for hashes that are not
	// evenly distributed
	mostSpread  = 512
	mostBuckets = 4 * mostSpread
)

// sort returns hashes in ascending order, in the memory of room, and the other memory.
func (b *buckets) sort(hashes, room []uint64) (sorted, other []uint64) {
	n := len(hashes)
	if n < 8 || n > mostSpread {
		slices.Sort(hashes)
		return hashes, room
	}
	all := uint64(0)
	for _, h := range hashes {
		all |= h
	}
	shift := max(0, bits.Len64(all)-bits.Len(uint(n))-1)
	ends := b.ends[:2<<bits.Len(uint(n))]
	clear(ends)
	for _, h := range hashes {
		ends[h>>shift]++
	}
	end := uint16(0)
	for i, count := range ends {
		end += count
		ends[i] = end
	}
	room = slices.Grow(room[:0], n)[:n]
	for _, h := range hashes {
		end := &ends[h>>shift]
		*end--
		room[*end] = h
	}
	for i := 1; i < n; i++ {
		h, at := room[i], i
		for ; at > 0 && room[at-1] > h; at-- {
			room[at] = room[at-1]
		}
		room[at] = h
	}
	return room, hashes
}
