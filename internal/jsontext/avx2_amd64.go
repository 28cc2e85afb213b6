//go:build !purego

package jsontext

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// copyUnescapedAVX2 is copyUnescaped for n bytes. It may leave up to 130 of them at the end.
//
//go:noescape
func copyUnescapedAVX2(to, from *byte, n int, unescaped *[256]byte) (written, read int, stopped bool)

// plainBytesAVX2 returns how many of n bytes stand before the first special one, looking at whole
// pieces of 64 of them only.
//
//go:noescape
func plainBytesAVX2(from *byte, n int) int
