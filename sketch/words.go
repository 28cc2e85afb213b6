package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"unicode"
)

// runs takes maximal runs of code points of a class as tokens; code points of a second class, within the first, are
// tokens of their own. It works on bit masks of 64 bytes of text, so that its branches do not depend on where words
// end: a branch for each word would be mispredicted for each word.
type runs struct {
	class *classTable
	ascii func(x uint64) uint64 // high bit of each byte that is an ASCII character of the class
}

// word is runs of letters, marks and numbers; each code point of a script written without spaces is alone.
func newWord() runs { return runs{class: loadWordClass(), ascii: asciiAlnum} }

// whitespace is runs of anything but white space.
func newWhitespace() runs { return runs{class: loadSpaceClass(), ascii: asciiNonSpace} }

func (t runs) Append(dst *Tokens, text []byte) {
	dst.gap = 1
	first := len(dst.starts)
	// Tokens are at least two bytes apart, or else are three bytes long.
	dst.starts = slices.Grow(dst.starts, len(text)/2+1)
	dst.ends = slices.Grow(dst.ends[:0], len(text)/2+1)

	var carry edges
	last := uint64(0) // 1 if the byte before the block is of the class
	for base := 0; base < len(text); base += 64 {
		var m edges
		if base+64 <= len(text) {
			m, carry = t.block(text, base, carry)
		} else {
			m, carry = t.tail(text, base, carry)
		}
		before := m.in<<1 | last
		last = m.in >> 63
		dst.starts = appendBits(dst.starts, m.in&(^before|m.cut), base)
		dst.ends = appendBits(dst.ends, before&(^m.in|m.cut), base)
	}
	if len(dst.starts)-first > len(dst.ends) {
		dst.ends = append(dst.ends, uint32(len(text)))
	}
	dst.gather(text, first)
}

// edges are masks over 64 bytes of text: which bytes are of the class, and before which a token is cut off.
type edges struct{ in, cut uint64 }

// block returns the masks of the 64 bytes from base on, and what the code point that straddles their end adds to the
// next block's.
func (t runs) block(text []byte, base int, carry edges) (m, over edges) {
	m = carry
	lead := uint64(0) // bytes that start a code point beyond ASCII
	b := text[base : base+64 : base+64]
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		m.in |= gatherHighBits(t.ascii(x)) << i
		if x&highs != 0 {
			lead |= gatherHighBits(x&(x<<1)&highs) << i
		}
	}
	for ; lead != 0; lead &= lead - 1 {
		at := bits.TrailingZeros64(lead)
		r, size := decodeRune(text[base+at:])
		in, alone := t.class.at(r)
		width := in<<size - in
		m.in |= width << at
		over.in |= width >> (64 - at)
		cut := alone | alone<<size
		m.cut |= cut << at
		over.cut |= cut >> (64 - at)
	}
	return m, over
}

// tail is block for the last, short block.
func (t runs) tail(text []byte, base int, carry edges) (m, over edges) {
	var padded [64]byte
	n := copy(padded[:], text[base:])
	m, over = t.block(padded[:], 0, carry)
	m.in &= 1<<n - 1
	return m, over
}

// appendBits appends base plus the number of each bit of mask.
func appendBits(dst []uint32, mask uint64, base int) []uint32 {
	for ; mask != 0; mask &= mask - 1 {
		dst = append(dst, uint32(base+bits.TrailingZeros64(mask)))
	}
	return dst
}

// gatherHighBits moves the high bit of byte i to bit i. All other bits must be 0.
func gatherHighBits(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

// asciiAlnum sets the high bit of each byte of x that is an ASCII letter or digit.
func asciiAlnum(x uint64) uint64 {
	low := x &^ highs
	small := low | 0x20*ones
	letter := (small + (0x80-'a')*ones) &^ (small + (0x7f-'z')*ones)
	digit := (low + (0x80-'0')*ones) &^ (low + (0x7f-'9')*ones)
	return (letter | digit) &^ x & highs
}

// asciiNonSpace sets the high bit of each byte of x that is an ASCII character other than white space.
func asciiNonSpace(x uint64) uint64 {
	low := x &^ highs
	control := (low + (0x80-'\t')*ones) &^ (low + (0x7f-'\r')*ones)
	notBlank := low ^ ' '*ones + 0x7f*ones
	return notBlank &^ control &^ x & highs
}

// gather turns the tokens from first on, of which starts and ends hold the places in text, into tokens of t.
func (t *Tokens) gather(text []byte, first int) {
	n := len(t.text)
	t.text = slices.Grow(t.text, len(text)+len(t.ends)+16)
	buf := t.text[:cap(t.text)]
	starts := t.starts[first:]
	for i, end := range t.ends[:len(starts)] {
		from, to := int(starts[i]), int(end)
		starts[i] = uint32(n)
		if from+16 <= len(text) {
			// Most tokens are short: move 16 bytes whatever the length, what is too much is overwritten next.
			a, b := binary.LittleEndian.Uint64(text[from:]), binary.LittleEndian.Uint64(text[from+8:])
			binary.LittleEndian.PutUint64(buf[n:], a)
			binary.LittleEndian.PutUint64(buf[n+8:], b)
			if to-from > 16 {
				copy(buf[n+16:], text[from+16:to])
			}
		} else {
			copy(buf[n:], text[from:to])
		}
		n += to - from
		buf[n] = ' '
		n++
	}
	t.text = buf[:n]
}

// classTable says of each code point beyond ASCII whether it is in the class and whether it stands alone, in blocks of 64.
type classTable struct {
	block     [(unicode.MaxRune + 1) / 64]uint16
	in, alone []uint64
}

// at returns two bits.
func (c *classTable) at(r rune) (in, alone uint64) {
	b := c.block[r>>6]
	return c.in[b] >> (r & 63) & 1, c.alone[b] >> (r & 63) & 1
}

var loadWordClass = sync.OnceValue(func() *classTable {
	c := &classTable{in: make([]uint64, 1), alone: make([]uint64, 1)}
	for _, t := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.N} {
		eachRune(t, func(r rune) { c.in[c.own(r)] |= 1 << (r & 63) })
	}
	alone := func(r rune) {
		if in, _ := c.at(r); in != 0 {
			c.alone[c.own(r)] |= 1 << (r & 63)
		}
	}
	for _, t := range unspaced {
		eachRune(t, alone)
	}
	alone(0x3006) // ideographic closing mark
	alone(0x30fc) // prolonged sound mark of Hiragana and Katakana
	return c
})

// unspaced are the scripts written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Ahom, unicode.Bopomofo, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Khitan_Small_Script,
	unicode.Khmer, unicode.Lao, unicode.Myanmar, unicode.New_Tai_Lue, unicode.Nushu, unicode.Tai_Le, unicode.Tai_Tham,
	unicode.Tai_Viet, unicode.Tangut, unicode.Thai,
}

var loadSpaceClass = sync.OnceValue(func() *classTable {
	c := &classTable{in: []uint64{^uint64(0)}, alone: make([]uint64, 1)}
	eachRune(unicode.White_Space, func(r rune) { c.in[c.own(r)] &^= 1 << (r & 63) })
	return c
})

// own returns the block of r, which it makes a copy of block 0 if it still is block 0.
func (c *classTable) own(r rune) uint16 {
	if c.block[r>>6] == 0 {
		c.block[r>>6] = uint16(len(c.in))
		c.in = append(c.in, c.in[0])
		c.alone = append(c.alone, c.alone[0])
	}
	return c.block[r>>6]
}

func eachRune(t *unicode.RangeTable, f func(rune)) {
	for _, span := range t.R16 {
		for r := rune(span.Lo); r <= rune(span.Hi); r += rune(span.Stride) {
			f(r)
		}
	}
	for _, span := range t.R32 {
		for r := rune(span.Lo); r <= rune(span.Hi); r += rune(span.Stride) {
			f(r)
		}
	}
}
