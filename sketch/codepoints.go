package sketch

import (
	"encoding/binary"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What nfkc-fold does with a code point. The low bits of an entry of foldTable hold one of these
// kinds; the other bits hold a value.
const (
	kindInert = iota // a starter that stays as it is and composes with nothing
	kindSame         // a starter that stays as it is, but may compose with what follows
	// the same, but it becomes the code point in the value: its lower case or compatibility form
	kindFold
	// composes with nothing before it, but is reordered among other marks; value: combining class
	kindMark
	kindMaybe   // composes with some starters before it; value: combining class
	kindStrip   // is removed
	kindSlow    // must be processed by golang.org/x/text/unicode/norm, together with its neighbours
	kindUnknown // not computed yet
	kindBits    = 3
	kindMask    = 1<<kindBits - 1
)

// foldTable maps each code point to its entry, in blocks of 64 code points; those of two bytes also
// in a flat table. A block is computed on first use: the whole table would take longer than the
// rest of a program start, and a text uses few blocks. Not safe for concurrent use.
type foldTable struct {
	low     [0x800]uint32
	block   [(unicode.MaxRune + 1) / 64]uint16
	entries [][64]uint32
	maker   foldMaker
}

// The shared blocks.
const (
	blockInert   = iota // ideographs, private use, planes without characters: the zero value
	blockSame           // Hangul syllables, which compose with a final consonant
	blockUnknown        // not computed yet
	sharedBlocks
)

// newFoldTable returns a table that has the blocks of ASCII.
func newFoldTable() *foldTable {
	t := *firstFoldTable()
	t.entries = slices.Clone(t.entries)
	return &t
}

// firstFoldTable is the initial state of a table.
var firstFoldTable = sync.OnceValue(func() *foldTable {
	t := &foldTable{entries: make([][64]uint32, sharedBlocks, 32)}
	for i := range 64 {
		t.entries[blockSame][i] = kindSame
		t.entries[blockUnknown][i] = kindUnknown
	}
	for b := 0xac00 / 64; b < 0xd780/64; b++ {
		t.block[b] = blockSame
	}
	for _, span := range foldSpans {
		for b := span.from / 64; b <= span.to/64; b++ {
			t.block[b] = blockUnknown
		}
	}
	for r := range t.low {
		t.low[r] = kindUnknown
	}
	t.learn(0)
	t.learn(utf8.RuneSelf - 1)
	return t
})

// at returns the entry of r.
func (t *foldTable) at(r rune) uint32 {
	if t.block[r>>6] == blockUnknown {
		t.learn(r)
	}
	return t.known(r)
}

// known is like at, but computes nothing: a code point of an unknown block has the kind
// kindUnknown.
func (t *foldTable) known(r rune) uint32 { return t.entries[t.block[r>>6]][r&63] }

// learn computes the block of r from the tables of unicode and norm, so that it agrees with them.
func (t *foldTable) learn(r rune) {
	var entries [64]uint32
	first := r &^ 63
	for i := range entries {
		entries[i] = t.maker.entry(first + rune(i))
	}
	if int(first) < len(t.low) {
		copy(t.low[first:], entries[:])
	}
	t.block[r>>6] = uint16(len(t.entries))
	t.entries = append(t.entries, entries)
}

// skip goes from text[i] over code points known to stay as they are, until another one or eight
// bytes of ASCII follow. It returns where it stopped, and the position and kind of the last code
// point that it skipped, if any.
func (t *foldTable) skip(text []byte, i int) (end, last int, kind uint32) {
	for i < len(text) {
		c := text[i]
		var entry uint32
		size := 1
		switch {
		case c < utf8.RuneSelf:
			if i+8 <= len(text) && binary.LittleEndian.Uint64(text[i:])&highs == 0 {
				return i, last, kind
			}
			entry = t.low[c]
		case c < 0xe0 && i+2 <= len(text) && isTwo(c, text[i+1]):
			entry, size = t.low[rune(c&0x1f)<<6|rune(text[i+1]&0x3f)], 2
		case c < 0xf0 && i+3 <= len(text) && isThree(c, text[i+1], text[i+2]):
			entry, size = t.known(rune(c&0x0f)<<12|rune(text[i+1]&0x3f)<<6|rune(text[i+2]&0x3f)), 3
		default:
			return i, last, kind
		}
		if entry > kindSame {
			return i, last, kind
		}
		last, kind = i, entry
		i += size
	}
	return i, last, kind
}

// foldSpans covers, in whole blocks, every code point that is not kindInert, except Hangul
// syllables. TestFoldTableComplete checks all code points.
var foldSpans = []struct{ from, to rune }{
	{0, 0x33ff}, {0xa000, 0xabff}, {0xd780, 0xd7ff}, {0xf900, 0xffff},
	{0x10000, 0x11fff}, {0x13000, 0x134ff}, {0x16000, 0x16fff}, {0x1b000, 0x1bfff}, {0x1c000, 0x1ffff}, {0x2f800,
		0x2fa3f},
	{0xe0000, 0xe0fff},
}

// foldMaker computes entries. It is scratch memory for a letter and a code point, which the
// functions of norm would otherwise allocate for each.
type foldMaker [1 + utf8.UTFMax]byte

// entry returns what nfkc-fold does with r. A fast entry must be right whatever surrounds r, as
// long as that is fast too: no composition or reordering may begin before r and reach it, or what r
// becomes.
func (m *foldMaker) entry(r rune) uint32 {
	if unicode.Is(unicode.Cf, r) {
		return kindStrip
	}
	c := m.encode(r)
	p := norm.NFKC.Properties(c)
	folded := foldRune(r)
	if p.BoundaryBefore() && p.BoundaryAfter() && folded == r {
		return kindInert
	}
	if !p.BoundaryBefore() {
		switch {
		case p.Decomposition() != nil || folded != r:
			return kindSlow
		case m.composesBackward(r):
			return kindMaybe | uint32(p.CCC())<<kindBits
		}
		return kindMark | uint32(p.CCC())<<kindBits
	}
	to := r
	if norm.NFKC.QuickSpan(c) < len(c) {
		var size int
		if to, size = utf8.DecodeRune(p.Decomposition()); size < len(p.Decomposition()) {
			return kindSlow
		}
	}
	to = foldRune(to)
	f := m.encode(to)
	switch {
	case norm.NFKC.QuickSpan(f) < len(f) || !norm.NFKC.Properties(f).BoundaryBefore():
		return kindSlow
	case to != r:
		return kindFold | uint32(to)<<kindBits
	}
	return kindSame
}

func (m *foldMaker) encode(r rune) []byte { return m[:utf8.EncodeRune(m[:], r)] }

// composesBackward reports whether r can be the second half of a canonical composition, by placing
// it after a base and checking whether the quick check stops before that.
func (m *foldMaker) composesBackward(r rune) bool {
	m[0] = 'a'
	s := m[:1+utf8.EncodeRune(m[1:], r)]
	return norm.NFKC.QuickSpan(s) < len(s)
}

// foldRune is simple case folding, status C and S of CaseFolding.txt. Go knows which code points
// fold together, but not which one represents them: it is the lower-case one, except for Cherokee
// the capital.
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
