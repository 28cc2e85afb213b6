//go:build !purego

package bloomlsh

import "golang.org/x/sys/cpu"

// hasAVX512 is true of processors that have AVX-512 with VBMI2. See the same name in sketch.
var hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2

// matchTagsAVX512 is matchTagsAVX2.
//
//go:noescape
func matchTagsAVX512(words *uint64, lines, next *pagedLine, n int, matches *lineMatch)

// spreadAVX512 is spreadAVX2 for a multiple of eight keys.
//
//go:noescape
func spreadAVX512(spreads *keySpread, keys *Key, n int, mask uint64)
