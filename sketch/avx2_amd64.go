//go:build !purego

package sketch

import (
	"math/bits"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasPOPCNT

// The functions of ascii.go, bandkey.go, char.go, fss.go, hash.go and tokenwriter.go, for
// processors that have AVX2: see there.

//go:noescape
func alnumBlocksAVX2(blocks *block, flat, text *byte, n int)

//go:noescape
func nonSpaceBlocksAVX2(blocks *block, flat, text *byte, n int)

// foldASCIIAVX2 folds whole pieces of 32 of the n bytes, up to the first that is not ASCII, and
// returns how many they are. What it stores after them means nothing.
//
//go:noescape
func foldASCIIAVX2(dst, text *byte, n int) int

// hashSpansAVX2 is hashSpans for n spans of the text, as long as four in a row have 17 to 64 bytes,
// and returns how many they are.
//
//go:noescape
func hashSpansAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int

// hashShortAVX2 is the same for 4 to 8 bytes: words, and five characters of one or two bytes.
//
//go:noescape
func hashShortAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int

// hashWordsAVX2 is the same for 1 to 16 bytes in any order, without an end at other lengths: those
// spans it leaves to others. There must be some spans, a multiple of 8, at most mostSorted. It
// stores 3 hashes more than are meant.
//
//go:noescape
func hashWordsAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int, others *spanList) (hashed, left int)

// hashCharsAVX2 hashes the spans of size tokens, 4 to 8, of text with n tokens and nothing between
// them, as long as eight spans in a row are of tokens of one byte and eight tokens follow the first
// of each, and returns how many they are.
//
//go:noescape
func hashCharsAVX2(out *uint64, text *byte, starts *uint32, size, n int) int

// hashBandsAVX2 is hashBands for n bands, which must be some and a multiple of 4.
//
//go:noescape
func hashBandsAVX2(keys *xxh3.Uint128, slots *uint64, rows, n int)

// joinBlocksAVX2 appends to dst the tokens of the n blocks, which must be some, with a space after
// each, up to a block in which tokens touch each other. It returns how many bytes and how many
// blocks these are. What it stores is no longer than the blocks.
//
//go:noescape
func joinBlocksAVX2(dst, flat *byte, blocks *block, n int, inside uint64) (size, done int)

// afterSpacesAVX2 sets out to the places after the spaces in the n bytes of text, counted from
// base on, and returns how many they are. Each space must stand after another byte, and the 64
// bytes after the text must have none. It stores 4 places more than are meant.
//
//go:noescape
func afterSpacesAVX2(out *uint32, text *byte, n, base int) int

// codePointsAVX2 sets out to where the code points in the n bytes of text start, counted from base
// on, and returns how many they are. The 32 bytes after the text must start none. It stores 8
// places more than are meant.
//
//go:noescape
func codePointsAVX2(out *uint32, text *byte, n, base int) int

// setBits has for each byte the numbers of its bits that are set.
//
//lint:ignore U1000 the assembly reads it
var setBits = func() (list [256][8]uint8) {
	for b := range list {
		for n, rest := 0, uint8(b); rest != 0; rest &= rest - 1 {
			list[b][n] = uint8(bits.TrailingZeros8(rest))
			n++
		}
	}
	return list
}()

// scatterAVX2 is scatter for n hashes, at least 4, and k slots.
//
//go:noescape
func scatterAVX2(slots, hashes *uint64, k, n int, base, xor, mul uint64)

// settleAVX2 is scatterRounds for n hashes, at least 8, and k slots, at most mostSettled, from a
// round on before which many are settled: it keeps the hashes that fall into the others, and lowers
// only these. A slot whose value is of a later round, left by the window before, it takes to be
// settled when a hash falls into it.
//
//go:noescape
func settleAVX2(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int) (settled bool)
