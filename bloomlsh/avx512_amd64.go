//go:build !purego

package bloomlsh

import "golang.org/x/sys/cpu"

// hasAVX512 is true of processors that have AVX-512 with VBMI2. See the same name in sketch.
var hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2

// lookTagsAVX512 is lookTagsAVX2.
//
//go:noescape
func lookTagsAVX512(
	words *uint64, lines, next *pagedLine, n, step int, places *uint64, hits *tagHit, full *uint16,
	whole int,
) (found, fulls int)

// lookBeyondAVX512 is lookBeyondAVX2.
//
//go:noescape
func lookBeyondAVX512(
	words *uint64, lines *pagedLine, n int, places *uint64, hits *tagHit, full *uint16,
) (found, fulls int)

// divideTagsAVX512 is tagTable.divideLine for all lines of a page of narrow entries. It returns
// which of them have entries of other lines, a bit for each.
//
//go:noescape
func divideTagsAVX512(page, low, high *uint64) (foreign uint64)

// spreadAVX512 is spreadAVX2 for a multiple of eight keys.
//
//go:noescape
func spreadAVX512(spreads *keySpread, keys *Key, n int, mask uint64)
