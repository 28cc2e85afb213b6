package overlap

import (
	"cmp"
	"math/bits"
	"slices"
)

// A keyed value is one that stands under a key.
type keyed struct {
	key   uint64
	value uint32
}

// A keyIndex says which values stand under a key. Most keys that are asked for are not there, so
// that a table of bits, which fits in a cache, is asked first. It does not change when it is made.
type keyIndex struct {
	filter []uint64 // two bits for each key, in one word
	shift  uint     // of a key to its bucket
	ends   []uint32 // where the keys of each bucket end
	keys   []uint64 // rising
	from   []uint32 // where the values of each key begin; and where the last of all end
	values []uint32
}

// spreadKey makes all bits of a key depend on each other.
func spreadKey(key uint64) uint64 {
	key = (key ^ key>>32) * 0xbf58476d1ce4e5b9
	return key ^ key>>29
}

// sortKeyed sorts by key, then by value.
func sortKeyed(list []keyed) {
	slices.SortFunc(list, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value))
	})
}

// eachKey hands over the values of one key after the other, of a list in their order.
func eachKey(list []keyed, do func(own []keyed)) {
	for len(list) > 0 {
		end := 1
		for end < len(list) && list[end].key == list[0].key {
			end++
		}
		do(list[:end])
		list = list[end:]
	}
}

// newKeyIndex makes an index of values in the order of their keys, which are spread.
func newKeyIndex(list []keyed) *keyIndex {
	different := 0
	eachKey(list, func([]keyed) { different++ })
	inBuckets := bits.Len(uint(different) / 2)
	x := &keyIndex{
		filter: make([]uint64, different/4+1), shift: uint(64 - inBuckets), ends: make([]uint32, 1<<inBuckets),
		keys: make([]uint64, 0, different), from: make([]uint32, 0, different+1),
		values: make([]uint32, 0, len(list)),
	}
	eachKey(list, func(own []keyed) {
		key := own[0].key
		x.filter[x.filterWord(key)] |= filterBits(key)
		x.keys, x.from = append(x.keys, key), append(x.from, uint32(len(x.values)))
		for _, k := range own {
			x.values = append(x.values, k.value)
		}
		x.ends[key>>x.shift] = uint32(len(x.keys))
	})
	x.from = append(x.from, uint32(len(x.values)))
	for b := 1; b < len(x.ends); b++ {
		x.ends[b] = max(x.ends[b], x.ends[b-1])
	}
	return x
}

// filterWord is the word of the filter in which the bits of a key are.
func (x *keyIndex) filterWord(key uint64) uint64 {
	word, _ := bits.Mul64(key, uint64(len(x.filter)))
	return word
}

// filterBits are the bits of a key in its word of the filter.
func filterBits(key uint64) uint64 { return 1<<(key&63) | 1<<(key>>6&63) }

// find returns the values of a key that is spread.
func (x *keyIndex) find(key uint64) []uint32 {
	if ones := filterBits(key); x.filter[x.filterWord(key)]&ones != ones {
		return nil
	}
	return x.search(key)
}

// search is find for a key that may be there.
func (x *keyIndex) search(key uint64) []uint32 {
	bucket, from := key>>x.shift, uint32(0)
	if bucket > 0 {
		from = x.ends[bucket-1]
	}
	at, ok := slices.BinarySearch(x.keys[from:x.ends[bucket]], key)
	if !ok {
		return nil
	}
	at += int(from)
	return x.values[x.from[at]:x.from[at+1]]
}
