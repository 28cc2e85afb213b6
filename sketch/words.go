package sketch

import (
	"slices"
	"sync"
	"unicode"
)

// runs makes maximal runs of code points of one class tokens; code points of a second class are
// tokens by themselves.
type runs struct {
	classes *classTable
	ascii   func(dst []block, flat, text []byte)
	blocks  []block
	// the text with a space for each ASCII character not in a token, and spaces after it
	flat []byte
	end  [blockSize]byte // the last, short block
}

// newWord returns the tokenizer for runs of letters, marks and numbers; each code point of a script
// without spaces is a token.
func newWord() *runs { return &runs{classes: loadWordClasses(), ascii: alnumBlocks} }

// newWhitespace returns the tokenizer for runs of anything but white space.
func newWhitespace() *runs { return &runs{classes: loadNonSpaceClasses(), ascii: nonSpaceBlocks} }

func (t *runs) Append(dst *Tokens, text []byte) {
	whole, rest := len(text)/blockSize, len(text)%blockSize
	n := whole
	t.blocks = slices.Grow(t.blocks[:0], whole+1)[:whole+1]
	t.flat = slices.Grow(t.flat[:0], len(text)+3*blockSize)[:(whole+3)*blockSize]
	t.ascii(t.blocks[:whole], t.flat, text)
	if rest > 0 {
		copy(t.end[copy(t.end[:], text[whole*blockSize:]):], spaces)
		t.ascii(t.blocks[whole:], t.flat[whole*blockSize:], t.end[:])
		n++
	}

	blocks := t.blocks[:n]
	var over overhang
	for i := range blocks {
		if b := &blocks[i]; b.high != 0 || over.cut != 0 {
			t.classes.complete(b, &over, (*[2 * blockSize]byte)(t.flat[i*blockSize:]))
		}
	}
	w := newTokenWriter(dst, len(text))
	w.write(blocks, t.flat)
	w.close()
	if cap(t.flat) > maxScratch {
		t.blocks, t.flat = nil, nil
	}
}

// spaces fill up a block.
const spaces = "                                                                "

var loadWordClasses = sync.OnceValue(func() *classTable {
	c := loadClass(nil, unicode.L, unicode.M, unicode.N)()
	for _, t := range unspaced {
		c.change(t, classIn, classAlone)
	}
	c.set(0x3006, classAlone) // ideographic closing mark
	c.set(0x30fc, classAlone) // prolonged sound mark of Hiragana and Katakana
	return c
})

// unspaced are the scripts written without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Ahom, unicode.Bopomofo, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Khitan_Small_Script,
	unicode.Khmer, unicode.Lao, unicode.Myanmar, unicode.New_Tai_Lue, unicode.Nushu, unicode.Tai_Le, unicode.Tai_Tham,
	unicode.Tai_Viet, unicode.Tangut, unicode.Thai,
}

// loadNonSpaceClasses returns the complement of white space.
var loadNonSpaceClasses = sync.OnceValue(func() *classTable {
	c := newClassTable(classIn)
	c.change(unicode.White_Space, classIn, classOut)
	return c
})
