package sketch

import (
	"encoding/binary"
	"math/bits"
)

// A text is cut into tokens by blocks of 64 bytes, with a bit for each byte, so that in ASCII no branch depends on where
// words end: it would be mispredicted for each word.
const blockSize = 64

// block has the masks of a block.
type block struct {
	in   uint64 // bytes in tokens
	cut  uint64 // bytes before which a token ends, even if they are in one themselves
	high uint64 // bytes that are not ASCII
}

// overhang is what the last code point of a block says of the bytes at the start of the next one.
type overhang struct{ in, cut uint64 }

// complete adds the code points beyond ASCII to b, the masks of the first half of text.
func (c *classTable) complete(b *block, over *overhang, text *[2 * blockSize]byte) {
	var two, three, four uint64      // first bytes of the code points in tokens that have so many bytes
	var aloneThree, aloneFour uint64 // and of those that are tokens
	for m := leadMask(text, b.high); m != 0; m &= m - 1 {
		p := bits.TrailingZeros64(m) & 63
		switch lead := rune(text[p]); {
		case lead < 0xe0: // no script written without spaces has code points of two bytes
			two |= uint64(c.low[lead&0x1f<<6|rune(text[p+1]&0x3f)]&1) << p
		case lead < 0xf0:
			class := uint64(c.at(lead&0x0f<<12 | rune(text[p+1]&0x3f)<<6 | rune(text[p+2]&0x3f)))
			three |= (class&1 | class>>1) << p
			aloneThree |= class >> 1 << p
		default:
			class := uint64(c.at(lead&0x07<<18 | rune(text[p+1]&0x3f)<<12 | rune(text[p+2]&0x3f)<<6 | rune(text[p+3]&0x3f)))
			four |= (class&1 | class>>1) << p
			aloneFour |= class >> 1 << p
		}
	}
	b.in |= over.in | two | two<<1 | three | three<<1 | three<<2 | four | four<<1 | four<<2 | four<<3
	b.cut = over.cut | aloneThree | aloneThree<<3 | aloneFour | aloneFour<<4
	over.in = two>>63 | three>>63 | three>>62 | four>>63 | four>>62 | four>>61
	over.cut = aloneThree>>61 | aloneFour>>60
}

// alnumBlocks sets the masks of blocks, the first bytes of text; in are the ASCII letters and digits. It copies these bytes
// to flat, with a space for each ASCII character that is not in.
func alnumBlocks(blocks []block, flat, text []byte) {
	for i := range blocks {
		var in, high uint64
		from, to := (*[blockSize]byte)(text[i*blockSize:]), (*[blockSize]byte)(flat[i*blockSize:])
		for j := 0; j < blockSize; j += 8 {
			x := binary.LittleEndian.Uint64(from[j:])
			low := x &^ highs
			small := low | 0x20*ones
			letter := (small + (0x80-'a')*ones) &^ (small + (0x7f-'z')*ones)
			digit := (low + (0x80-'0')*ones) &^ (low + (0x7f-'9')*ones)
			token := (letter | digit) &^ x & highs
			in |= gatherHighBits(token) << j
			high |= gatherHighBits(x&highs) << j
			binary.LittleEndian.PutUint64(to[j:], blank(x, token))
		}
		blocks[i] = block{in: in, high: high}
	}
}

// nonSpaceBlocks is the same, but in are the ASCII characters other than white space.
func nonSpaceBlocks(blocks []block, flat, text []byte) {
	for i := range blocks {
		var in, high uint64
		from, to := (*[blockSize]byte)(text[i*blockSize:]), (*[blockSize]byte)(flat[i*blockSize:])
		for j := 0; j < blockSize; j += 8 {
			x := binary.LittleEndian.Uint64(from[j:])
			low := x &^ highs
			control := (low + (0x80-'\t')*ones) &^ (low + (0x7f-'\r')*ones)
			notBlank := low ^ ' '*ones + 0x7f*ones
			token := notBlank &^ control &^ x & highs
			in |= gatherHighBits(token) << j
			high |= gatherHighBits(x&highs) << j
			binary.LittleEndian.PutUint64(to[j:], blank(x, token))
		}
		blocks[i] = block{in: in, high: high}
	}
}

// blank puts spaces for the bytes of x that are ASCII but not in a token. The high bits of token say which are in one.
func blank(x, token uint64) uint64 {
	keep := token | x&highs
	keep |= keep - keep>>7
	return (x^' '*ones)&keep ^ ' '*ones
}

// leadMask sets the bit of each byte of the first half of text that starts a code point beyond ASCII; high is their mask.
func leadMask(text *[2 * blockSize]byte, high uint64) (mask uint64) {
	for i := 0; i < blockSize; i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		mask |= gatherHighBits(x<<1&highs) << i
	}
	return mask & high
}

// gatherHighBits moves the high bit of byte i to bit i. All other bits must be 0.
func gatherHighBits(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }
