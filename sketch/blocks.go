package sketch

import (
	"encoding/binary"
	"math/bits"
)

// A text is split into tokens by blocks of 64 bytes, with a bit for each byte, so that in ASCII no
// branch depends on where words end: such a branch would be mispredicted for each word.
const blockSize = 64

// A block holds the masks of a block.
type block struct {
	in   uint64 // bytes in tokens
	cut  uint64 // bytes before which a token ends, even if they are in a token themselves
	high uint64 // bytes that are not ASCII
}

// overhang holds bits that the last code point of a block sets in the next one.
type overhang struct{ in, cut uint64 }

// complete adds the non-ASCII code points to b, the masks of the first half of text.
func (c *classTable) complete(b *block, over *overhang, text *[2 * blockSize]byte) {
	var two, three, four uint64      // first bytes of the code points in tokens, by their length in bytes
	var aloneThree, aloneFour uint64 // those of the code points that are tokens by themselves
	for m := leadMask(text, b.high); m != 0; m &= m - 1 {
		p := bits.TrailingZeros64(m) & 63
		switch lead := rune(text[p]); {
		case lead < 0xe0: // no code point of two bytes belongs to a script without spaces
			two |= uint64(c.low[lead&0x1f<<6|rune(text[p+1]&0x3f)]&1) << p
		case lead < 0xf0:
			class := uint64(c.at(lead&0x0f<<12 | rune(text[p+1]&0x3f)<<6 | rune(text[p+2]&0x3f)))
			three |= (class&1 | class>>1) << p
			aloneThree |= class >> 1 << p
		default:
			class := uint64(c.at(lead&0x07<<18 | rune(text[p+1]&0x3f)<<12 | rune(text[p+2]&0x3f)<<6 | rune(text[p+
				3]&0x3f)))
			four |= (class&1 | class>>1) << p
			aloneFour |= class >> 1 << p
		}
	}
	b.in |= over.in | two | two<<1 | three | three<<1 | three<<2 | four | four<<1 | four<<2 | four<<3
	b.cut = over.cut | aloneThree | aloneThree<<3 | aloneFour | aloneFour<<4
	over.in = two>>63 | three>>63 | three>>62 | four>>63 | four>>62 | four>>61
	over.cut = aloneThree>>61 | aloneFour>>60
}

// leadMask sets the bit of each byte of the first half of text that starts a non-ASCII code point;
// high is the mask of non-ASCII bytes.
func leadMask(text *[2 * blockSize]byte, high uint64) (mask uint64) {
	for i := 0; i < blockSize; i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		mask |= gatherHighBits(x<<1&highs) << i
	}
	return mask & high
}
