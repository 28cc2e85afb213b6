package packedset

import "math/bits"

// Parities bound the similarity of two sets at a small part of the cost of comparing them. They
// divide all hashes into 2^order ranges, and a bit for each says whether an odd number of a set's
// hashes lies in it. A hash that both sets have changes the same bit of both, so at least as many
// hashes are in only one of the sets as bits differ.

const (
	leastOrder     = 6 // one word
	rangesPerOrder = 2 // log₂ of the ranges for each bucket
)

// ParityOrder returns the order at which parities tell similar sets of about n hashes apart: two to
// four ranges for each hash.
func ParityOrder(n int) int { return max(leastOrder, bucketBits(n)+rangesPerOrder) }

// HasParities reports whether a set of n hashes keeps the bits that parities of an order need.
func (f Form) HasParities(n, order int) bool { return order <= f.kept(n) }

// AppendParities appends the words of the parities of hashes.
func AppendParities(dst, hashes []uint64, order int) []uint64 {
	before := len(dst)
	for range 1 << (order - leastOrder) {
		dst = append(dst, 0)
	}
	words, dropped := dst[before:], (64-uint(order))&63
	for _, h := range hashes {
		bit := h >> dropped
		words[bit/64] ^= 1 << (bit % 64)
	}
	return dst
}

// MostCommon returns an upper bound for Common of two sets, given their sizes and parities of the
// same order.
func MostCommon(n, m int, a, b []uint64) int {
	b = b[:len(a)]
	differ := 0
	for i, word := range a {
		differ += bits.OnesCount64(word ^ b[i])
	}
	return max(0, min(n, m, (n+m-differ)/2))
}
