//go:build !purego

package bloomlsh

import "golang.org/x/sys/cpu"

// hasAVX512 reports whether the processor has AVX-512 with VBMI2. See the variable of the same name
// in package sketch.
var hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2

// lookTagsAVX512 is like lookTagsAVX2.
//
//go:noescape
func lookTagsAVX512(
	words *uint64, lines, next *pagedLine, n, step int, places *uint64, hits *tagHit, full *uint16,
	whole int,
) (found, fulls int)

// lookBeyondAVX512 is like lookBeyondAVX2.
//
//go:noescape
func lookBeyondAVX512(
	words *uint64, lines *pagedLine, n int, places *uint64, hits *tagHit, full *uint16,
) (found, fulls int)

// spreadAVX512 is like spreadAVX2, but n must be a multiple of eight.
//
//go:noescape
func spreadAVX512(spreads *keySpread, keys *Key, n int, mask uint64)
