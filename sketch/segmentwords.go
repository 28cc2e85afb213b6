package sketch

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// segments finds the segments of UAX #29 that are not white space. Plain text, that is, ASCII and
// the English punctuation beyond it, is processed by blocks. Other text is processed by the
// library, together with its context in the line.
func (h *WordHasher) segments() {
	text := h.text
	for from := 0; from < len(text); {
		first := from + plainPrefix(text[from:])
		if first == len(text) {
			h.plainSegments(from, first)
			return
		}
		start, end := first, first+1
		for start > from && !isApart(text, start) {
			start--
		}
		for end < len(text) && !isApart(text, end) && text[end] != '\n' {
			end++
		}
		h.plainSegments(from, start)
		h.anySegments(start, end)
		from = end
	}
}

// isApart reports whether a segment certainly ends before text[i], and what follows does not depend
// on what precedes: after a newline, and after a space followed by an ASCII character other than
// white space.
func isApart(text []byte, i int) bool {
	before := text[i-1]
	return before == '\n' || before == ' ' && text[i] < utf8.RuneSelf && !isASCIISpace[text[i]]
}

// isASCIISpace marks the ASCII characters with the property White_Space.
var isASCIISpace = [256]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, ' ': true}

// plainPrefix returns the length of the plain text at the start of text.
func plainPrefix(text []byte) (n int) {
	for {
		n += asciiPrefix(text[n:])
		if n == len(text) || !isPlain(text[n:]) {
			return n
		}
		n += plainSize
	}
}

// asciiPrefix returns the number of leading ASCII characters.
func asciiPrefix(text []byte) (n int) {
	for n+32 <= len(text) && isASCII((*[32]byte)(text[n:])) {
		n += 32
	}
	if len(text) >= 32 && n+32 > len(text) && isASCII((*[32]byte)(text[len(text)-32:])) {
		return len(text)
	}
	for ; n+8 <= len(text); n += 8 {
		if high := binary.LittleEndian.Uint64(text[n:]) & highs; high != 0 {
			return n + bits.TrailingZeros64(high)/8
		}
	}
	for n < len(text) && text[n] < utf8.RuneSelf {
		n++
	}
	return n
}

func isASCII(text *[32]byte) bool {
	return (word(text, 0)|word(text, 8)|word(text, 16)|word(text, 24))&highs == 0
}

// plainSize is the size of the code points U+2010 to U+2026, which are dashes, quotation marks and
// the like. In UAX #29, U+2018, U+2019 and U+2024 are MidNumLet, and the others have no class, as
// ASCII punctuation.
const plainSize = 3

// isPlain reports whether a text starts with one of these code points.
func isPlain(text []byte) bool {
	return len(text) >= plainSize && text[0] == 0xe2 && text[1] == 0x80 && 0x90 <= text[2] && text[2] <= 0xa6
}

// anySegments finds the segments of text[from:to], a part of a line. The library gets a few more
// bytes if the line has them, because it combines an incomplete code point at the end of a text
// with what precedes it.
func (h *WordHasher) anySegments(from, to int) {
	seen := min(to+utf8.UTFMax, len(h.text))
	seen = min(seen, newlineIn(h.text[:seen], to))
	at := from
	for h.iter.SetText(h.text[from:seen]); at < to && h.iter.Next(); {
		segment := h.iter.Value()
		if !isBlank(segment) {
			h.reserve()
			h.starts[h.opened], h.ends[h.closed] = uint32(at), uint32(at+len(segment))
			h.opened, h.closed = h.opened+1, h.closed+1
		}
		at += len(segment)
	}
}

func isBlank(text []byte) bool {
	c := text[0]
	return (c >= utf8.RuneSelf || isASCIISpace[c]) && len(bytes.TrimSpace(text)) == 0
}

// The classes of ASCII characters in words according to UAX #29: ALetter, Numeric and ExtendNumLet,
// which no boundary follows within ASCII. All other segments are single characters,
// or white space.
const (
	asciiOther = iota
	asciiLetter
	asciiDigit
	asciiJoin // the underscore
)

var asciiClass = func() (table [256]uint8) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			table[c] = asciiLetter
		case '0' <= c && c <= '9':
			table[c] = asciiDigit
		case c == '_':
			table[c] = asciiJoin
		}
	}
	return table
}()

// plainSegments finds the segments of text[from:to], which is plain.
func (h *WordHasher) plainSegments(from, to int) {
	text := h.text[:to]
	hasJoin := bytes.IndexByte(text[from:], '_') >= 0
	inWord, inOther := uint64(0), uint64(0)
	var over overhang // overhang from the previous block
	for at := from; at < to; at += hasherWindow {
		h.reserve()
		part := text[at:min(at+hasherWindow, to)]
		n := h.window(part, true)
		for i := range n {
			base := at + i*blockSize
			word, all := h.alnum[i].in, h.blocks[i].in
			if hasJoin {
				word |= joinMask((*[blockSize]byte)(h.flat[i*blockSize:]))
			}
			// single bytes between two word bytes
			between := all &^ word & (word<<1 | inWord) & (word>>1 | 1<<63)
			for ; between != 0; between &= between - 1 {
				p := bits.TrailingZeros64(between)
				if joins(text, base+p, 1) {
					word |= 1 << p
				}
			}
			other := all &^ word
			starts, ends := other, other<<1|inOther
			if high := h.blocks[i].high; high != 0 || over.cut != 0 {
				leads := leadMask((*[2 * blockSize]byte)(h.flat[i*blockSize:]), high)
				w, s, e := beyondASCII(text, base, leads, &over)
				word, starts, ends = word|w, starts|s, ends|e
			}
			before := word<<1 | inWord
			inWord, inOther = word>>63, other>>63
			h.add(word&^before|starts, before&^word|ends, base, to)
		}
	}
	h.close(to)
}

// joinMask returns the mask of the underscores in a block.
func joinMask(text *[blockSize]byte) (mask uint64) {
	for p, c := range text {
		if c == '_' {
			mask |= 1 << p
		}
	}
	return mask
}

// beyondASCII returns masks for a block of plain text: the non-ASCII bytes in words, and the starts
// and ends of segments that are single such code points. leads marks their lead bytes.
func beyondASCII(text []byte, base int, leads uint64, over *overhang) (word, starts, ends uint64) {
	word, ends = over.in, over.cut
	*over = overhang{}
	for ; leads != 0; leads &= leads - 1 {
		p := bits.TrailingZeros64(leads)
		if joins(text, base+p, plainSize) {
			all := uint64(1)<<plainSize - 1
			word |= all << p
			over.in |= all >> (blockSize - p)
			continue
		}
		end := uint64(1) << plainSize
		starts |= 1 << p
		ends |= end << p
		over.cut |= end >> (blockSize - p)
	}
	return word, starts, ends
}

// joins reports whether the character at text[i], between two others, belongs to their word: letter
// × (MidLetter | MidNumLet) × letter by WB6 and WB7; likewise digits by WB11 and WB12.
func joins(text []byte, i, size int) bool {
	if i == 0 || i+size == len(text) {
		return false
	}
	class, middle := asciiClass[text[i-1]], "'.:"
	switch {
	case class != asciiClass[text[i+size]] || class != asciiLetter && class != asciiDigit:
		return false
	case size == plainSize:
		middle = "\x98\x99\xa4"
	case class == asciiDigit:
		middle = "'.,;"
	}
	return strings.IndexByte(middle, text[i+size-1]) >= 0
}
