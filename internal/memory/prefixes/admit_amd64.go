//go:build !purego

package prefixes

import "golang.org/x/sys/cpu"

var hasAVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasPOPCNT

// admitAVX512 is limits.admitAll of n entries. It overwrites up to admittedAtOnce entries of dst
// after those that it has written.
//
//go:noescape
func admitAVX512(dst, entries *uint32, tags *tag, n int, limits uint32) (count int)
