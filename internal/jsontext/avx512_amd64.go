//go:build !purego

package jsontext

import "golang.org/x/sys/cpu"

// hasAVX512 is true of processors that have AVX-512 with VBMI2. See the same name in sketch.
var hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL &&
	cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT

// copyUnescapedAVX512 is copyUnescaped for n bytes. It may leave up to 63 of them at the end.
//
//go:noescape
func copyUnescapedAVX512(to, from *byte, n int, unescaped *[256]byte) (written, read int, stopped bool)
