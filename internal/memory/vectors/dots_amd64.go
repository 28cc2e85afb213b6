//go:build !purego

package vectors

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// dotsAVX2 is dots for n rows, at least one, of that many bytes, a positive multiple of 32.
//
//go:noescape
func dotsAVX2(out *int32, wide *int16, rows *int8, bytes, n int)
