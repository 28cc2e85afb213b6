package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// Constants of XXH3: the beginning of its secret, by byte, and its multipliers.
const (
	secret0  = 0xbe4ba423396cfeb8
	secret8  = 0x1cad21f72c81017c
	secret16 = 0xdb979083e96dd4de
	secret24 = 0x1f67b3b7a4a44072
	secret32 = 0x78e5c0cc4ee679cb
	secret40 = 0x2172ffcc7dd05a82
	secret48 = 0x8e2443f7744608b8
	secret56 = 0x4c263a81e69035e0

	lengthPrime    = 0x9e3779b185ebca87
	avalanchePrime = 0x165667919e3779f9
	shortPrime     = 0x9fb21c651e98df25
	highPrime      = 0x85ebca77c2b2ae63 // for 128 bits
	seedPrime      = 0xc2b2ae3d27d4eb4f
)

// secret is the part of XXH3's secret needed for up to 128 bytes, for use in loops; unrolled code
// uses the constants above.
var secret = [16]uint64{
	secret0, secret8, secret16, secret24, secret32, secret40, secret48, secret56,
	0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938,
	0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8,
}

// appendSpanHashes appends the XXH3-64 of text[starts[i]:nexts[i]-gap] for each start. Both starts
// and nexts must be non-decreasing.
func appendSpanHashes(dst []uint64, text []byte, starts, nexts []uint32, gap int) []uint64 {
	n := len(starts)
	dst = slices.Grow(dst, n)
	out := dst[len(dst) : len(dst)+n]
	nexts = nexts[:n]

	// The spans from first to last-1 may be read up to 32 bytes from their start, and 32 bytes
	// before their end. Bytes outside the span are masked out.
	first, last := 0, n
	for first < n && int(nexts[first])-gap < 32 {
		first++
	}
	for last > first && int(starts[last-1])+32 > cap(text) {
		last--
	}
	i := 0
	for ; i < first; i++ {
		out[i] = xxh3.Hash(text[starts[i] : int(nexts[i])-gap])
	}
	for i < last {
		end := last
		if hasAVX2 {
			if int(nexts[i]-starts[i])-gap > 16 {
				i += hashLong(out[i:last], text, starts[i:last], nexts[i:last], gap)
			} else {
				i += hashShortAVX2(&out[i], &text[0], &starts[i], &nexts[i], gap, last-i)
			}
			end = min(i+4, last) // one of these does not fit; the next may again
		}
		hashSpans(out[i:end], text, starts[i:end], nexts[i:end], gap)
		i = end
	}
	for ; i < n; i++ {
		out[i] = xxh3.Hash(text[starts[i] : int(nexts[i])-gap])
	}
	return dst[:len(dst)+n]
}

// hashLong is hashSpansAVX2, but uses AVX-512 for groups of eight.
func hashLong(out []uint64, text []byte, starts, nexts []uint32, gap int) (done int) {
	n := len(out)
	if hasAVX512 {
		done = hashSpansAVX512(&out[0], &text[0], &starts[0], &nexts[0], gap, n)
	}
	if done < n {
		done += hashSpansAVX2(&out[done], &text[0], &starts[done], &nexts[done], gap, n-done)
	}
	return done
}

// appendCharHashes appends the XXH3-64 of each span of size tokens, 4 to 8, except the last one, of
// a text whose tokens start at starts without gaps. It requires AVX2, and is fast for single-byte
// tokens.
func appendCharHashes(dst []uint64, text []byte, starts []uint32, size int) []uint64 {
	n := len(starts) - size
	dst = slices.Grow(dst, n)
	for i := 0; i < n; {
		at := len(dst)
		done := hashCharsAVX2(&dst[:at+1][at], &text[0], &starts[i], size, len(starts)-i)
		i += done
		end := i + 8 // one of these spans has a longer token, or is among the last
		for end < n && !areEightSingle(starts[end:], size) {
			end += 8
		}
		end = min(end, n)
		dst = appendSpanHashes(dst[:at+done], text, starts[i:end], starts[i+size:], 0)
		i = end
	}
	return dst
}

// areEightSingle reports whether the first eight spans consist of single-byte tokens, so that
// hashCharsAVX2 supports them.
func areEightSingle(starts []uint32, size int) bool {
	return len(starts) >= 16 && starts[7+size]-starts[0] == uint32(7+size)
}

// hashSpans hashes the usual lengths inline. Five words have 17 to 64 bytes. XXH3 distinguishes
// lengths up to 32 and beyond there, a branch that would often be mispredicted. Here the code is
// the same for both, and what a short span lacks is masked out.
func hashSpans(out []uint64, text []byte, starts, nexts []uint32, gap int) {
	base := unsafe.Pointer(unsafe.SliceData(text))
	starts, nexts = starts[:len(out)], nexts[:len(out)]
	for i := range out {
		from, to := uint64(starts[i]), uint64(nexts[i])-uint64(gap)
		n := to - from
		if n-4 > 64-4 {
			out[i] = xxh3.Hash(text[from:to])
			continue
		}
		head, tail := (*[32]byte)(unsafe.Add(base, from)), (*[32]byte)(unsafe.Add(base, to-32))
		var h uint64
		switch {
		case n > 16:
			outer := mulFold(word(head, 0)^secret0, word(head, 8)^secret8) +
				mulFold(word(tail, 16)^secret16, word(tail, 24)^secret24)
			inner := mulFold(word(head, 16)^secret32, word(head, 24)^secret40) +
				mulFold(word(tail, 0)^secret48, word(tail, 8)^secret56)
			long := uint64(int64(32-n) >> 63) // all bits set if n > 32
			h = n*lengthPrime + outer + inner&long
		case n > 8:
			x, y := word(head, 0)^(secret24^secret32), word(tail, 24)^(secret40^secret48)
			h = n + bits.ReverseBytes64(x) + y + mulFold(x, y)
		default:
			x := uint64(half(tail, 28)) + uint64(half(head, 0))<<32 ^ (secret8 ^ secret16)
			x ^= bits.RotateLeft64(x, 49) ^ bits.RotateLeft64(x, 24)
			x *= shortPrime
			x ^= x>>35 + n
			x *= shortPrime
			out[i] = x ^ x>>28
			continue
		}
		out[i] = avalanche(h)
	}
}

func half(b *[32]byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

func word(b *[32]byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

func mulFold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func avalanche(h uint64) uint64 {
	h = (h ^ h>>37) * avalanchePrime
	return h ^ h>>32
}
