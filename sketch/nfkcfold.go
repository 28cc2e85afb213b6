package sketch

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// nfkcFold is the normaliser NFKC(fold(NFKC(strip(repair(x))))) of docs/sketch.md. Text that it finds to be in normal
// form already is copied and folded as it goes; what is not is cut out, from the last starter before it to the next
// one after it, and done by the definition. Both edges are places that no composition or reordering crosses.
type nfkcFold struct {
	table     *foldTable
	span, tmp []byte // a slow span, and the same on its way through
}

func newNFKCFold() *nfkcFold { return &nfkcFold{table: loadFoldTable()} }

// maxMarks is how many non-starters may follow each other on the fast way: together with the three that a starter may
// hold they stay well below the Stream-Safe limit of 30.
const maxMarks = 16

func (n *nfkcFold) Append(dst, text []byte) []byte {
	// Folding lengthens a code point by a byte at most (U+023A, two bytes, folds to U+2C65, three); what NFKC
	// expands is appended with care of its own.
	dst = slices.Grow(dst, len(text)+len(text)/2+8)
	var (
		starter, starterOut = 0, len(dst) // the last starter, in text and in dst
		class               = uint32(0)   // combining class of the last code point
		marks               = 0           // non-starters since the last starter
	)
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			var run int
			dst, run = appendFoldedASCII(dst, text[i:])
			i += run
			starter, starterOut, class, marks = i-1, len(dst)-1, 0, 0
			continue
		}
		r, size := decodeRune(text[i:])
		entry := n.table.at(r)
		switch entry & (1<<kindBits - 1) {
		case kindSame:
			starter, starterOut, class, marks = i, len(dst), 0, 0
			dst = appendRune(dst, r)
			i += size
			continue
		case kindFold:
			starter, starterOut, class, marks = i, len(dst), 0, 0
			dst = appendRune(dst, rune(entry>>kindBits))
			i += size
			continue
		case kindStrip:
			i += size
			continue
		case kindMark:
			if c := entry >> kindBits; c >= class && marks < maxMarks {
				class, marks = c, marks+1
				dst = appendRune(dst, r)
				i += size
				continue
			}
		}
		end := n.slowEnd(text, i+size)
		dst = n.appendSlow(dst[:starterOut], text[starter:end])
		i = end
	}
	return dst
}

// slowEnd returns where the next starter is that nothing before it can change.
func (n *nfkcFold) slowEnd(text []byte, i int) int {
	for i < len(text) {
		r, size := decodeRune(text[i:])
		if kind := n.table.at(r) & (1<<kindBits - 1); kind == kindSame || kind == kindFold {
			return i
		}
		i += size
	}
	return i
}

// appendSlow is the definition.
func (n *nfkcFold) appendSlow(dst, text []byte) []byte {
	n.span = n.span[:0]
	for i := 0; i < len(text); {
		r, size := decodeRune(text[i:])
		if !unicode.Is(unicode.Cf, r) {
			n.span = appendRune(n.span, r)
		}
		i += size
	}
	n.tmp = norm.NFKC.Append(n.tmp[:0], n.span...)
	n.span = n.span[:0]
	for i := 0; i < len(n.tmp); {
		r, size := decodeRune(n.tmp[i:])
		n.span = appendRune(n.span, foldRune(r))
		i += size
	}
	n.tmp = norm.NFKC.Append(n.tmp[:0], n.span...)
	dst = append(dst, n.tmp...)
	if cap(n.span) > maxScratch || cap(n.tmp) > maxScratch {
		n.span, n.tmp = nil, nil
	}
	return dst
}

// Masks with one bit in each byte of a word.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// appendFoldedASCII appends the ASCII bytes at the start of text, capitals made small, and returns how many they are.
func appendFoldedASCII(dst, text []byte) ([]byte, int) {
	out := len(dst)
	dst = slices.Grow(dst, len(text)+8)
	buf := dst[out:cap(dst)]
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		low := x &^ highs
		capital := (low + (0x80-'A')*ones) &^ (low + (0x7f-'Z')*ones) & highs
		binary.LittleEndian.PutUint64(buf[i:], x|capital>>2)
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
