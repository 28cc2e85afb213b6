//go:build !purego

package prefixes

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT

// admitAVX2 implements limits.appendAdmitted for n entries, a positive multiple of admittedAtOnce.
// It overwrites up to eight entries of dst after those that it has written.
//
//go:noescape
func admitAVX2(dst, entries *uint32, tags *tag, n int, limits uint32, gather *[256]uint64) (count int)
