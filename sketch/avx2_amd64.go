//go:build !purego

package sketch

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// The functions of ascii.go and hash.go, for processors that have AVX2: see there.

//go:noescape
func alnumBlocksAVX2(blocks *block, flat, text *byte, n int)

//go:noescape
func nonSpaceBlocksAVX2(blocks *block, flat, text *byte, n int)

// foldASCIIAVX2 folds whole pieces of 32 of the n bytes, up to the first that is not ASCII, and returns how many they are.
// What it stores behind them means nothing.
//
//go:noescape
func foldASCIIAVX2(dst, text *byte, n int) int

// hashSpansAVX2 is hashSpans for n spans of the text, as long as four in a row have 17 to 64 bytes, and returns how many they are.
//
//go:noescape
func hashSpansAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
