package sketch

import (
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What nfkc-fold has to do with a code point. The low bits of an entry of foldTable say which; the other bits hold
// a value.
const (
	kindSame  = iota // a starter that nothing to its right or left changes unless it is slow: goes through as it is
	kindFold         // the same, but it becomes the code point in the value
	kindMark         // a non-starter that composes with nothing; the value is its combining class
	kindStrip        // is removed
	kindSlow         // must go through golang.org/x/text/unicode/norm, together with its neighbours
	kindBits  = 3
)

// foldTable maps each code point to its entry, in blocks of 64 code points: an ill-formed block number cannot occur,
// and most blocks are the shared block 0, which has only kindSame.
type foldTable struct {
	block   [(unicode.MaxRune + 1) / 64]uint16
	entries [][64]uint32
}

func (t *foldTable) at(r rune) uint32 {
	return t.entries[t.block[r>>6]][r&63]
}

// loadFoldTable builds the table from the tables of unicode and norm, at first use: it cannot disagree with them.
var loadFoldTable = sync.OnceValue(func() *foldTable {
	t := &foldTable{entries: make([][64]uint32, 1, 400)}
	for _, span := range foldSpans {
		for r := span.from; r <= span.to; r++ {
			if e := foldEntry(r); e != kindSame {
				if t.block[r>>6] == 0 {
					t.block[r>>6] = uint16(len(t.entries))
					t.entries = append(t.entries, [64]uint32{})
				}
				t.entries[t.block[r>>6]][r&63] = e
			}
		}
	}
	return t
})

// foldSpans covers every code point that is not kindSame. Left out, to keep the start short, are ideographs, Hangul
// syllables, private use and planes without characters; TestFoldTableComplete looks at all of them.
var foldSpans = []struct{ from, to rune }{
	{0x80, 0x33ff}, {0xa000, 0xabff}, {0xd7b0, 0xd7ff}, {0xf900, 0xffff},
	{0x10000, 0x11fff}, {0x13000, 0x134ff}, {0x16000, 0x16fff}, {0x1b000, 0x1bfff}, {0x1c000, 0x1ffff}, {0x2f800, 0x2fa1f}, {0xe0000, 0xe0fff},
}

func foldEntry(r rune) uint32 {
	if unicode.Is(unicode.Cf, r) {
		return kindStrip
	}
	var buf [utf8.UTFMax]byte
	c := utf8.AppendRune(buf[:0], r)
	p := norm.NFKC.Properties(c)
	folded := foldRune(r)
	switch {
	case !norm.NFKC.IsNormal(c):
		return kindSlow
	case p.CCC() != 0:
		if folded != r || composesBackward(c) {
			return kindSlow
		}
		return kindMark | uint32(p.CCC())<<kindBits
	case !p.BoundaryBefore():
		return kindSlow
	case folded == r:
		return kindSame
	}
	f := utf8.AppendRune(buf[:0], folded)
	if !norm.NFKC.IsNormal(f) || !norm.NFKC.Properties(f).BoundaryBefore() {
		return kindSlow
	}
	return kindFold | uint32(folded)<<kindBits
}

// composesBackward reports whether the non-starter c is the second half of any canonical composition: the quick check
// then stops before the base it is put after.
func composesBackward(c []byte) bool {
	var buf [1 + utf8.UTFMax]byte
	s := append(append(buf[:0], 'a'), c...)
	return norm.NFKC.QuickSpan(s) < len(s)
}

// foldRune is simple case folding, status C and S of CaseFolding.txt. Go has the classes of code points that fold
// together, not which member stands for the class: it is the lower-case one, but for Cherokee the capital.
func foldRune(r rune) rune {
	if unicode.SimpleFold(r) == r {
		return r
	}
	upper := unicode.ToUpper(r)
	if unicode.Is(unicode.Cherokee, r) {
		return upper
	}
	return unicode.ToLower(upper)
}
