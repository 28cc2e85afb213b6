package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// runs takes maximal runs of code points of a class as tokens; code points of a second class are tokens of their own.
// It works on bit masks of 64 bytes of text, so that in ASCII no branch depends on where words end: it would be
// mispredicted for each word.
type runs struct {
	classes *classTable
	ascii   func(block *[64]byte) uint64 // the bytes that are ASCII characters of the class
	padded  [64 + utf8.UTFMax]byte       // the last, short block
}

// word is runs of letters, marks and numbers; each code point of a script written without spaces is alone.
func newWord() *runs { return &runs{classes: loadWordClasses(), ascii: alnumMask} }

// whitespace is runs of anything but white space.
func newWhitespace() *runs { return &runs{classes: loadNonSpaceClasses(), ascii: nonSpaceMask} }

func (t *runs) Append(dst *Tokens, text []byte) {
	first := len(dst.starts)
	dst.starts = slices.Grow(dst.starts, len(text)/3+64)
	dst.ends = slices.Grow(dst.ends[:0], len(text)/3+64)
	var m masks
	inToken := uint64(0) // whether the byte before the block is in a token
	for base := 0; base < len(text); base += 64 {
		if base+64 <= len(text) {
			t.mask(&m, text[base:])
		} else {
			n := copy(t.padded[:], text[base:])
			clear(t.padded[n:])
			t.mask(&m, t.padded[:])
			m.in &= 1<<n - 1
		}
		before := m.in<<1 | inToken
		inToken = m.in >> 63
		dst.starts = appendBits(dst.starts, m.in&(^before|m.cut), base)
		dst.ends = appendBits(dst.ends, before&(^m.in|m.cut), base)
	}
	if len(dst.starts)-first > len(dst.ends) {
		dst.ends = append(dst.ends, uint32(len(text)))
	}
	dst.gather(text, first)
}

// masks say of 64 bytes of text which are in tokens, and before which a token is cut off from one that it touches. The
// other fields are the beginning of the next masks, due to a code point that straddles the edge.
type masks struct {
	in, cut         uint64
	nextIn, nextCut uint64
	nextFrom        int // the first byte that starts a code point
}

// mask sets m to the masks of the 64 bytes that text starts with.
func (t *runs) mask(m *masks, text []byte) {
	block := (*[64]byte)(text)
	from := m.nextFrom
	m.in, m.cut = m.nextIn|t.ascii(block), m.nextCut
	m.nextIn, m.nextCut, m.nextFrom = 0, 0, 0
	high := highMask(block)
	for p := from + bits.TrailingZeros64(high>>from); p < 64; {
		class, n := t.classes.run(text[p:], 64-p)
		end := p + n
		if class != classOut {
			m.set(block, p, end, class == classAlone)
		}
		if end >= 64 {
			m.nextFrom = end - 64
			return
		}
		p = end + bits.TrailingZeros64(high>>end)
	}
}

// set marks the bytes from … end-1, of which those up to 63 are in the block, as being in tokens, alone or not.
func (m *masks) set(block *[64]byte, from, end int, alone bool) {
	span := ^uint64(0) << from
	if end < 64 {
		span &= 1<<end - 1
	} else {
		m.nextIn = 1<<(end-64) - 1
	}
	m.in |= span
	if !alone {
		return
	}
	m.cut |= leadMask(block) & span
	if end < 64 {
		m.cut |= 1 << end
	} else {
		m.nextCut = 1 << (end - 64)
	}
}

// appendBits appends base plus the number of each bit of mask.
func appendBits(dst []uint32, mask uint64, base int) []uint32 {
	for ; mask != 0; mask &= mask - 1 {
		dst = append(dst, uint32(base+bits.TrailingZeros64(mask)))
	}
	return dst
}

// alnumMask sets the bit of each byte that is an ASCII letter or digit.
func alnumMask(b *[64]byte) (mask uint64) {
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low := x &^ highs
		small := low | 0x20*ones
		letter := (small + (0x80-'a')*ones) &^ (small + (0x7f-'z')*ones)
		digit := (low + (0x80-'0')*ones) &^ (low + (0x7f-'9')*ones)
		mask |= gatherHighBits((letter|digit)&^x&highs) << i
	}
	return mask
}

// nonSpaceMask sets the bit of each byte that is an ASCII character other than white space.
func nonSpaceMask(b *[64]byte) (mask uint64) {
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low := x &^ highs
		control := (low + (0x80-'\t')*ones) &^ (low + (0x7f-'\r')*ones)
		notBlank := low ^ ' '*ones + 0x7f*ones
		mask |= gatherHighBits(notBlank&^control&^x&highs) << i
	}
	return mask
}

// highMask sets the bit of each byte that is not ASCII.
func highMask(b *[64]byte) (mask uint64) {
	for i := 0; i < 64; i += 8 {
		mask |= gatherHighBits(binary.LittleEndian.Uint64(b[i:])&highs) << i
	}
	return mask
}

// leadMask sets the bit of each byte that starts a code point beyond ASCII.
func leadMask(b *[64]byte) (mask uint64) {
	for i := 0; i < 64; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		mask |= gatherHighBits(x&(x<<1)&highs) << i
	}
	return mask
}

// gatherHighBits moves the high bit of byte i to bit i. All other bits must be 0.
func gatherHighBits(x uint64) uint64 { return x >> 7 * 0x0102040810204080 >> 56 }

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

var loadWordClasses = sync.OnceValue(func() *classTable {
	c := loadClass(nil, unicode.L, unicode.M, unicode.N)()
	alone := func(r rune) {
		if c.at(r) == classIn {
			c.set(r, classAlone)
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

// loadNonSpaceClasses is the complement of white space.
var loadNonSpaceClasses = sync.OnceValue(func() *classTable {
	c := loadClass(nil, unicode.White_Space)()
	for i, class := range c.low {
		c.low[i] = classIn - class
	}
	for b := range c.classes {
		for i, class := range c.classes[b] {
			c.classes[b][i] = classIn - class
		}
	}
	return c
})
