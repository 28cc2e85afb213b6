package sketch

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// segments finds the segments of UAX #29 that are not white space. Plain texts, ASCII and the
// punctuation that English has beyond it, are done by blocks; others by the library, with what
// stands around them in the line.
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

// isApart reports whether a segment ends before text[i], whatever the others are, and what comes
// then does not depend on what was before: after a newline, and after a space that an ASCII
// character other than white space follows.
func isApart(text []byte, i int) bool {
	before := text[i-1]
	return before == '\n' || before == ' ' && text[i] < utf8.RuneSelf && !isASCIISpace[text[i]]
}

// isASCIISpace are the ASCII characters of the property White_Space.
var isASCIISpace = [256]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, ' ': true}

// plainPrefix is the length of the plain text that a text starts with.
func plainPrefix(text []byte) (n int) {
	for {
		n += asciiPrefix(text[n:])
		if n == len(text) || !isPlain(text[n:]) {
			return n
		}
		n += plainSize
	}
}

// asciiPrefix is how many ASCII characters a text starts with.
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
// the like. UAX #29 calls U+2018, U+2019 and U+2024 MidNumLet, and the others nothing, as it does
// ASCII punctuation.
const plainSize = 3

// isPlain reports whether a text starts with one of them.
func isPlain(text []byte) bool {
	return len(text) >= plainSize && text[0] == 0xe2 && text[1] == 0x80 && 0x90 <= text[2] && text[2] <= 0xa6
}

// anySegments finds the segments of text[from:to], a part of a line. The library sees a few bytes
// more, if the line has them: where a text ends in the first bytes of a code point, it takes them
// to be one with what is before.
func (h *WordHasher) anySegments(from, to int) {
	seen := min(to+utf8.UTFMax, len(h.text))
	seen = min(seen, newlineIn(h.text[:seen], to))
	at := from
	for h.iter.SetText(h.text[from:seen]); at < to && h.iter.Next(); {
		segment := h.iter.Value()
		if !isBlank(segment) {
			h.makeRoom()
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

// What UAX #29 says of the ASCII characters that stand in words: its classes ALetter, Numeric and
// ExtendNumLet, of which none is followed by a boundary within ASCII. All other segments are single
// characters, or white space.
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
	var over overhang // what the last code point of a block says of the next one
	for at := from; at < to; at += hasherWindow {
		h.makeRoom()
		part := text[at:min(at+hasherWindow, to)]
		n := h.window(part, true)
		for i := range n {
			base := at + i*blockSize
			word, all := h.alnum[i].in, h.blocks[i].in
			if hasJoin {
				word |= joinMask((*[blockSize]byte)(h.flat[i*blockSize:]))
			}
			// the bytes that stand between two of words
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

// joinMask is the mask of the underscores of a block.
func joinMask(text *[blockSize]byte) (mask uint64) {
	for p, c := range text {
		if c == '_' {
			mask |= 1 << p
		}
	}
	return mask
}

// beyondASCII returns masks of a block of a plain text: the bytes beyond ASCII that are in words,
// and where the segments start and end that are such a code point. leads are the first bytes of
// these.
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

// joins reports whether the character of that size at text[i], between two others, belongs to their
// word: letter × (MidLetter | MidNumLet) × letter by WB6 and WB7; the same of digits by WB11 and
// WB12.
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
