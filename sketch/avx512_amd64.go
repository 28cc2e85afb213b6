//go:build !purego

package sketch

import (
	"github.com/zeebo/xxh3"
	"golang.org/x/sys/cpu"
)

// hasAVX512 reports whether the processor has AVX-512 with VBMI2, IFMA and BITALG. Processors with
// an older AVX-512 run slower for some time after using its registers, which costs more than it
// gains.
var hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
	cpu.X86.HasAVX512VBMI2 && cpu.X86.HasAVX512IFMA && cpu.X86.HasAVX512BITALG && cpu.X86.HasBMI2

// These functions do the same as the widest ones in avx2_amd64.go, which documents them, for twice
// as many values at a time.

//go:noescape
func hashSpansAVX512(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int

// hashWordsAVX512 takes any number of spans up to mostSorted, and stores 7 hashes more than are
// meant.
//
//go:noescape
func hashWordsAVX512(out *uint64, text *byte, starts, nexts *uint32, gap, n int, others *spanList) (hashed, left int)

// orderAVX512 is orderedHasher.putInOrder for at least one span.
//
//go:noescape
func orderAVX512(dst, sorted *uint64, starts, ends *uint32, n int)

// hashBandsAVX512 is hashBandsAVX2 for a multiple of eight bands.
//
//go:noescape
func hashBandsAVX512(keys *xxh3.Uint128, slots *uint64, rows, n int)

// placesAVX512 is appendPlaces for two masks. It stores up to 16 places more than are meant.
//
//go:noescape
func placesAVX512(starts, ends *uint32, startMask, endMask uint64, base int)

// scatterAVX512 does the rounds from … to-1, at least one, for at least 8 hashes.
//
//go:noescape
func scatterAVX512(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int)

// settleAVX512 takes at most twice mostSettled slots.
//
//go:noescape
func settleAVX512(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int) (settled bool)

//go:noescape
func joinBlocksAVX512(dst, flat *byte, blocks *block, n int, inside uint64) (size, done int)

// afterSpacesAVX512 stores 16 places more than are meant.
//
//go:noescape
func afterSpacesAVX512(out *uint32, text *byte, n, base int) int

// scatterFewAVX512 does the rounds from … to-1, a multiple of 8 of them, for up to 15 hashes: those
// of one hash in eight rounds at a time. It reports whether all slots are settled then.
//
//go:noescape
func scatterFewAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64, from, to int) (settled bool)

// scatterFirstAVX512 does the first rounds, a multiple of 8 of them, for up to mostFirst hashes,
// where all slots are untouched.
//
//go:noescape
func scatterFirstAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64, rounds int)

// leastFewAVX512 does the rounds that take one slot each, for k slots, a multiple of 8. xors and
// muls are the constants of these rounds.
//
//go:noescape
func leastFewAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64)
