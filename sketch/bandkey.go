package sketch

import (
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"
)

// A bandKey appends the keys of a signature's bands: band j covers the slots j·rows …
// j·rows+rows-1.
type bandKey func(dst []xxh3.Uint128, slots []uint64, bands, rows int) []xxh3.Uint128

// bandKeys has a constructor for each value of Params.BandKey.
var bandKeys = map[string]func() bandKey{
	"xxh3": func() bandKey { return new(hashKey).appendKeys },
	"sum":  func() bandKey { return appendSums },
}

// hashKey is XXH3-128 over the slots of a band, as little-endian bytes, with the band's number as
// seed: equal rows at different bands get different keys.
type hashKey struct {
	bytes []byte // the slots of a band that hashSlots does not support
}

func (h *hashKey) appendKeys(dst []xxh3.Uint128, slots []uint64, bands, rows int) []xxh3.Uint128 {
	dst = slices.Grow(dst, bands)
	keys := dst[len(dst) : len(dst)+bands]
	if rows < leastSlots || rows > mostSlots {
		h.hashBytes(keys, slots, rows)
	} else {
		hashBands(keys, slots, rows)
	}
	return dst[:len(dst)+bands]
}

func (h *hashKey) hashBytes(keys []xxh3.Uint128, slots []uint64, rows int) {
	for j := range keys {
		h.bytes = h.bytes[:0]
		for _, v := range slots[j*rows : (j+1)*rows] {
			h.bytes = binary.LittleEndian.AppendUint64(h.bytes, v)
		}
		keys[j] = xxh3.Hash128Seed(h.bytes, uint64(j))
	}
}

// hashBands hashes bands of leastSlots to mostSlots rows.
func hashBands(keys []xxh3.Uint128, slots []uint64, rows int) {
	j := 0
	switch n := len(keys); {
	case hasAVX512 && n >= 8 && n&4 == 0: // else AVX2 leaves fewer
		j = n &^ 7
		hashBandsAVX512(&keys[0], &slots[:j*rows][0], rows, j)
	case hasAVX2 && n >= 4:
		j = n &^ 3
		hashBandsAVX2(&keys[0], &slots[:j*rows][0], rows, j)
	}
	for ; j < len(keys); j++ {
		keys[j] = hashSlots(slots[j*rows:(j+1)*rows], uint64(j))
	}
}

// XXH3 has a special case for 17 to 128 bytes, or this many slots.
const (
	leastSlots = 3
	mostSlots  = 16
)

// hashSlots returns the XXH3-128 of leastSlots to mostSlots slots, as little-endian bytes. The
// library needs them as bytes in memory, which would take as long as the hash.
func hashSlots(slots []uint64, seed uint64) xxh3.Uint128 {
	n := len(slots)
	size := uint64(8 * n)
	low, high := size*lengthPrime, uint64(0)
	for i := (n - 1) / 4; i >= 0; i-- { // 16 bytes from each end, the inner ones first
		key := (*[4]uint64)(secret[4*i:])
		a, b := slots[2*i], slots[2*i+1]
		c, d := slots[n-2*i-2], slots[n-2*i-1]
		low = (low + mulFold(a^(key[0]+seed), b^(key[1]-seed))) ^ (c + d)
		high = (high + mulFold(c^(key[2]+seed), d^(key[3]-seed))) ^ (a + b)
	}
	return xxh3.Uint128{
		Lo: avalanche(low + high),
		Hi: -avalanche(low*lengthPrime + high*highPrime + (size-seed)*seedPrime),
	}
}

// appendSums is the bandKey of the LSHBloom paper's reference implementation: the sum of the slots
// modulo 2⁶¹−1. Minima are small numbers, so sums of unrelated texts collide. It is for comparison
// only.
func appendSums(dst []xxh3.Uint128, slots []uint64, bands, rows int) []xxh3.Uint128 {
	for j := range bands {
		sum := uint64(0)
		for _, v := range slots[j*rows : (j+1)*rows] {
			sum = mod61(sum + mod61(v))
		}
		dst = append(dst, xxh3.Uint128{Lo: sum})
	}
	return dst
}

const mersenne61 = 1<<61 - 1

// mod61 returns x mod 2⁶¹−1.
func mod61(x uint64) uint64 {
	x = x&mersenne61 + x>>61
	if x >= mersenne61 {
		x -= mersenne61
	}
	return x
}
