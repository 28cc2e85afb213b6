package sketch

import (
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// Signed makes sketches that allow candidates to be verified: the words of Sketcher.Append,
// followed by the packed signature. It owns a Sketcher, so each goroutine needs its own.
type Signed struct{ *Sketcher }

// SignedWords returns the number of words of a sketch made by Signed with these Params.
func SignedWords(p Params) int { return 2*p.Bands + p.PackedWords() }

// Append appends the band keys of the text to dst, two words each, the high one first, and then its
// packed signature. If the text is empty nothing is appended and ok is false.
func (s Signed) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return s.appendWords(dst, text, SignedWords(s.params))
}

// PackedWords returns the number of words of a packed signature with that many slots and bits for
// each.
func PackedWords(numPerm, bits int) int { return (numPerm*bits + 63) / 64 }

// AppendPacked appends b = 1, 2, 4 or 8 bits of each slot to dst, the first slot in the lowest bits
// of a word. Equal slots stay equal, and unequal ones become equal with probability 2⁻ᵇ (Li, König:
// b-Bit Minwise Hashing, WWW 2010). The bits are the lowest ones of a byte mixed from all bits of a
// slot, since the randomness of slots is in different places in different families. The last word
// is padded with zeros.
func AppendPacked(dst, slots []uint64, bits int) []uint64 {
	if bits == 8 {
		return appendBytes(dst, slots)
	}
	n := len(dst)
	dst = slices.Grow(dst, PackedWords(len(slots), bits))[:n+PackedWords(len(slots), bits)]
	packed := dst[n:]
	clear(packed)
	at := 0
	for ; len(slots) >= 8; slots, at = slots[8:], at+8*bits {
		packed[at/64] |= lowBits(packEight((*[8]uint64)(slots)), bits) << (at % 64)
	}
	for ; len(slots) > 0; slots, at = slots[1:], at+bits {
		packed[at/64] |= mixSlot(slots[0]) & (1<<bits - 1) << (at % 64)
	}
	return dst
}

// lowBits gathers the lowest bits of each of eight bytes.
func lowBits(bytes uint64, bits int) uint64 {
	// Pairs of bytes are merged into half the space, then pairs of these, and so on.
	one := uint64(1)<<bits - 1
	w := bytes & (one * 0x0101010101010101)
	shift := 8 - bits
	w = (w | w>>shift) & ((one<<bits | one) * 0x0001000100010001)
	w = (w | w>>(2*shift)) & ((1<<(4*bits) - 1) * 0x0000000100000001)
	return (w | w>>(4*shift)) & (1<<(8*bits) - 1)
}

func appendBytes(dst, slots []uint64) []uint64 {
	n := len(dst)
	dst = slices.Grow(dst, PackedWords(len(slots), 8))[:n+PackedWords(len(slots), 8)]
	packed := dst[n:]
	whole := len(slots) / 8
	for i := range whole {
		packed[i] = packEight((*[8]uint64)(slots[8*i:]))
	}
	if whole < len(packed) {
		var rest [8]uint64 // the padding packs to zero
		copy(rest[:], slots[8*whole:])
		packed[whole] = packEight(&rest)
	}
	return dst
}

// packEight returns a word of a packed signature. A loop would take twice as long.
func packEight(s *[8]uint64) uint64 {
	return mixSlot(s[0]) | mixSlot(s[1])<<8 | mixSlot(s[2])<<16 | mixSlot(s[3])<<24 |
		mixSlot(s[4])<<32 | mixSlot(s[5])<<40 | mixSlot(s[6])<<48 | mixSlot(s[7])<<56
}

// AppendPackedKeys appends bands band keys of rows rows each, made only from a signature that is
// packed to eight bits a slot, however it was banded before. Unequal bands of few rows have equal
// keys more often than with Sketcher.Append: each unequal slot agrees with probability 2⁻⁸.
func AppendPackedKeys(dst []xxh3.Uint128, packed []uint64, bands, rows int) []xxh3.Uint128 {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(packed))), 8*len(packed))
	for band := range bands {
		dst = append(dst, xxh3.Hash128(bytes[band*rows:(band+1)*rows]))
	}
	return dst
}

// mixSlot returns eight bits that depend on all of v.
func mixSlot(v uint64) uint64 {
	v ^= v >> 32
	return v * 0x9e3779b97f4a7c15 >> 56
}
