package overlap

import (
	"cmp"
	"math/bits"
	"slices"
)

// keyed is a value with its key.
type keyed struct {
	key   uint64
	value uint32
}

// A keyIndex maps keys to values. Most keys looked up are absent, so a bit table that fits into a
// cache is asked first. It is immutable.
type keyIndex struct {
	filter []uint64 // two bits for each key, in one word
	shift  uint     // shift from a key to its bucket
	ends   []uint32 // where the keys of each bucket end
	keys   []uint64 // in ascending order
	from   []uint32 // where the values of each key begin, and the end of all
	values []uint32
}

// spreadKey mixes the bits of a key.
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

// eachKey calls do with the values of each key in a sorted list.
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

// newKeyIndex returns an index of values sorted by their spread keys.
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

// filterWord returns the word of the filter for a key.
func (x *keyIndex) filterWord(key uint64) uint64 {
	word, _ := bits.Mul64(key, uint64(len(x.filter)))
	return word
}

// filterBits returns the bits of a key in its word of the filter.
func filterBits(key uint64) uint64 { return 1<<(key&63) | 1<<(key>>6&63) }

// find returns the values of a spread key.
func (x *keyIndex) find(key uint64) []uint32 {
	if ones := filterBits(key); x.filter[x.filterWord(key)]&ones != ones {
		return nil
	}
	return x.search(key)
}

// search is find for a key that passed the filter.
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
