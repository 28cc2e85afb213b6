package sketch

import (
	"encoding/binary"
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// nfkcFold is the normalizer NFKC(fold(NFKC(strip(repair(x))))) of docs/design/sketch.md. Text that
// is in normal form already is copied and folded directly. Other text is cut out, from the last
// starter before it to the next one after it, and processed by the definition. No composition or
// reordering crosses these boundaries.
type nfkcFold struct {
	table     *foldTable
	span, tmp []byte // scratch buffers for a slow span
	iter      norm.Iter
	ends      map[rune][2]int // see nonStarters
}

func newNFKCFold() *nfkcFold { return &nfkcFold{table: newFoldTable()} }

// maxMarks is the number of consecutive non-starters on the fast path: together with the three that
// a starter may contain they stay well below the Stream-Safe limit of 30.
const maxMarks = 16

func (n *nfkcFold) Append(dst, text []byte) []byte {
	dst = slices.Grow(dst, len(text)+len(text)/8+8)
	i := 0
	for i < len(text) {
		var run int
		dst, run = appendFoldedASCII(dst, text[i:])
		i += run
		if i < len(text) {
			dst, i = n.appendOther(dst, text, i, run > 0)
		}
	}
	return dst
}

// appendOther continues at text[i], which is not ASCII, until eight bytes of ASCII follow. If after
// is true, the byte before is ASCII and the last of dst.
func (n *nfkcFold) appendOther(dst, text []byte, i int, after bool) ([]byte, int) {
	var (
		starter    = i         // the last starter in text,
		starterOut = len(dst)  // where it is in dst,
		open       = true      // and whether it may compose with what follows
		class      = uint32(0) // combining class of the last code point
		marks      = 0         // code points since the starter
	)
	if after {
		starter, starterOut = i-1, len(dst)-1
	}
	for {
		if end, last, kind := n.table.skip(text, i); end > i {
			starter, starterOut, open = last, len(dst)+last-i, kind != kindInert
			class, marks = 0, 0
			dst = append(dst, text[i:end]...)
			i = end
		}
		if i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&highs == 0 || i == len(text) {
			return dst, i
		}
		r, size := decodeRune(text[i:])
		entry := n.table.at(r)
		switch kind := entry & kindMask; kind {
		case kindInert, kindSame, kindFold:
			if kind == kindFold {
				r = rune(entry >> kindBits)
			}
			starter, starterOut, open = i, len(dst), kind != kindInert
			class, marks = 0, 0
			dst = appendRune(dst, r)
			i += size
			continue
		case kindMark, kindMaybe:
			c := entry >> kindBits
			if (c >= class || c == 0) && marks < maxMarks && (kind == kindMark || !open) {
				class = c
				marks++
				dst = appendRune(dst, r)
				i += size
				continue
			}
		case kindStrip:
			i += size
			continue
		}
		i = n.slowEnd(text, i+size)
		dst = n.appendSlow(dst[:starterOut], text[starter:i])
		starter, starterOut, open = i, len(dst), true
	}
}

// slowEnd returns the position of the next starter that nothing before it can change.
func (n *nfkcFold) slowEnd(text []byte, i int) int {
	for i < len(text) {
		r, size := decodeRune(text[i:])
		if n.table.at(r)&kindMask <= kindFold {
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
	n.tmp = n.appendNFKC(n.tmp[:0], n.span)
	n.span = n.span[:0]
	for i := 0; i < len(n.tmp); {
		r, size := decodeRune(n.tmp[i:])
		n.span = appendRune(n.span, foldRune(r))
		i += size
	}
	dst = n.appendNFKC(dst, n.span)
	if cap(n.span) > maxScratch || cap(n.tmp) > maxScratch {
		n.span, n.tmp = nil, nil
	}
	return dst
}

// appendNFKC appends the NFKC of span. Unlike other functions of norm, its iterator does not
// allocate.
func (n *nfkcFold) appendNFKC(dst, span []byte) []byte {
	for n.iter.Init(norm.NFKC, span); !n.iter.Done(); {
		dst = append(dst, n.iter.Next()...)
	}
	return dst
}
