package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Masks with one bit in each byte of a word.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// appendFoldedASCII appends the ASCII bytes at the start of text, with capitals in lower case, and
// returns their number.
func appendFoldedASCII(dst, text []byte) ([]byte, int) {
	n := 0
	if hasAVX2 && len(text) >= 32 {
		out := len(dst)
		dst = slices.Grow(dst, len(text))
		n = foldASCIIAVX2(&dst[:out+1][out], &text[0], len(text))
		dst = dst[:out+n]
		if n < len(text) && text[n] >= utf8.RuneSelf {
			return dst, n
		}
	}
	dst, rest := appendFoldedASCIISWAR(dst, text[n:])
	return dst, n + rest
}

func appendFoldedASCIISWAR(dst, text []byte) ([]byte, int) {
	out := len(dst)
	dst = slices.Grow(dst, len(text)+8)
	buf := dst[out:cap(dst)]
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		binary.LittleEndian.PutUint64(buf[i:], x|capitals(x)>>2)
		if other := x & highs; other != 0 {
			i += bits.TrailingZeros64(other) / 8
			return dst[:out+i], i
		}
	}
	for ; i < len(text) && text[i] < utf8.RuneSelf; i++ {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		buf[i] = c
	}
	return dst[:out+i], i
}

// capitals sets the high bit of each byte of x that is an ASCII capital. The result is undefined
// for non-ASCII bytes.
func capitals(x uint64) uint64 {
	low := x &^ highs
	return (low + (0x80-'A')*ones) &^ (low + (0x7f-'Z')*ones) & highs
}

// alnumBlocks sets the masks of blocks, the first bytes of text. The field in marks the ASCII
// letters and digits. It copies these bytes to flat, with a space for every other ASCII character.
func alnumBlocks(blocks []block, flat, text []byte) {
	if hasAVX2 && len(blocks) > 0 {
		flat, text = flat[:len(blocks)*blockSize], text[:len(blocks)*blockSize]
		alnumBlocksAVX2(&blocks[0], &flat[0], &text[0], len(blocks))
		return
	}
	tokenBlocks(blocks, flat, text, true)
}

// nonSpaceBlocks is like alnumBlocks, but in marks ASCII characters other than white space.
func nonSpaceBlocks(blocks []block, flat, text []byte) {
	if hasAVX2 && len(blocks) > 0 {
		flat, text = flat[:len(blocks)*blockSize], text[:len(blocks)*blockSize]
		nonSpaceBlocksAVX2(&blocks[0], &flat[0], &text[0], len(blocks))
		return
	}
	tokenBlocks(blocks, flat, text, false)
}

// tokenBlocks is alnumBlocks or else nonSpaceBlocks, eight bytes at a time.
func tokenBlocks(blocks []block, flat, text []byte, alnum bool) {
	for i := range blocks {
		var in, high uint64
		from, to := (*[blockSize]byte)(text[i*blockSize:]), (*[blockSize]byte)(flat[i*blockSize:])
		for j := 0; j < blockSize; j += 8 {
			x := binary.LittleEndian.Uint64(from[j:])
			token := ^x & highs // the high bit of each byte in a token
			if alnum {
				token &= alnums(x)
			} else {
				token &= nonSpaces(x)
			}
			in |= gatherHighBits(token) << j
			high |= gatherHighBits(x&highs) << j
			binary.LittleEndian.PutUint64(to[j:], blank(x, token))
		}
		blocks[i] = block{in: in, high: high}
	}
}

// alnums sets the high bit of each byte of x that is an ASCII letter or digit. The result is
// undefined for non-ASCII bytes.
func alnums(x uint64) uint64 {
	low := x &^ highs
	small := low | 0x20*ones
	letter := (small + (0x80-'a')*ones) &^ (small + (0x7f-'z')*ones)
	digit := (low + (0x80-'0')*ones) &^ (low + (0x7f-'9')*ones)
	return letter | digit
}

// nonSpaces does the same for ASCII characters other than white space.
func nonSpaces(x uint64) uint64 {
	low := x &^ highs
	control := (low + (0x80-'\t')*ones) &^ (low + (0x7f-'\r')*ones)
	notBlank := low ^ ' '*ones + 0x7f*ones
	return notBlank &^ control
}

// blank replaces the ASCII bytes of x that are not in a token by spaces. The high bits of token
// mark those in a token.
func blank(x, token uint64) uint64 {
	keep := token | x&highs
	keep |= keep - keep>>7
	return (x^' '*ones)&keep ^ ' '*ones
}

// gatherHighBits moves the high bit of byte i to bit i. All other bits must be 0.
func gatherHighBits(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }
