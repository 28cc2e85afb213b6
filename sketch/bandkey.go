package sketch

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// A bandKey appends the keys of a signature's bands: band j covers the slots j·rows … j·rows+rows-1.
type bandKey interface {
	appendKeys(dst []xxh3.Uint128, slots []uint64, bands, rows int) []xxh3.Uint128
}

// bandKeys has a constructor for each value of Params.BandKey.
var bandKeys = map[string]func() bandKey{
	"xxh3": func() bandKey { return new(hashKey) },
	"sum":  func() bandKey { return sumKey{} },
}

// hashKey is XXH3-128 over the slots of a band, with the band's number as seed: equal rows at different bands get
// different keys.
type hashKey struct {
	bytes []byte // the slots, little-endian
}

func (h *hashKey) appendKeys(dst []xxh3.Uint128, slots []uint64, bands, rows int) []xxh3.Uint128 {
	h.bytes = h.bytes[:0]
	for _, v := range slots[:bands*rows] {
		h.bytes = binary.LittleEndian.AppendUint64(h.bytes, v)
	}
	for j := range bands {
		dst = append(dst, xxh3.Hash128Seed(h.bytes[j*rows*8:(j+1)*rows*8], uint64(j)))
	}
	return dst
}

// sumKey is the key of the LSHBloom paper's reference implementation: the sum of the slots modulo 2⁶¹−1. Minima are
// small numbers, so that sums of unrelated texts collide; it is for comparison only.
type sumKey struct{}

const mersenne61 = 1<<61 - 1

func (sumKey) appendKeys(dst []xxh3.Uint128, slots []uint64, bands, rows int) []xxh3.Uint128 {
	for j := range bands {
		sum := uint64(0)
		for _, v := range slots[j*rows : (j+1)*rows] {
			sum = mod61(sum + mod61(v))
		}
		dst = append(dst, xxh3.Uint128{Lo: sum})
	}
	return dst
}

// mod61 returns x mod 2⁶¹−1.
func mod61(x uint64) uint64 {
	x = x&mersenne61 + x>>61
	if x >= mersenne61 {
		x -= mersenne61
	}
	return x
}
