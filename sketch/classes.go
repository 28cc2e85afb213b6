package sketch

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// The classes of code points for a tokenizer or a step of a normalizer.
const (
	classOut   = iota // not in a token; kept
	classIn           // in a token, together with its neighbours; replaced
	classAlone        // a token by itself
)

// classTable maps each code point to its class, in blocks of 64 code points; those of two bytes
// also in a flat table. Blocks of a single class, the majority, are shared: the number of such a
// block is its class.
type classTable struct {
	low     [0x800]uint8
	block   [(unicode.MaxRune + 1) / 64]uint16
	classes [][64]uint8
}

// newClassTable returns a table in which every code point is of the given class.
func newClassTable(class uint8) *classTable {
	c := &classTable{classes: make([][64]uint8, classAlone+1, 64)}
	for k := range c.classes {
		for i := range c.classes[k] {
			c.classes[k][i] = uint8(k)
		}
	}
	for i := range c.low {
		c.low[i] = class
	}
	for i := range c.block {
		c.block[i] = uint16(class)
	}
	return c
}

func (c *classTable) at(r rune) uint8 { return c.classes[c.block[r>>6]][r&63] }

// run returns the class of the non-ASCII code point that text starts with, and the length of the
// run of such code points of the same class that start before limit.
func (c *classTable) run(text []byte, limit int) (class uint8, n int) {
	for n < limit {
		var k uint8
		size := 2
		switch lead := rune(text[n]); {
		case lead < utf8.RuneSelf:
			return class, n
		case lead < 0xe0:
			k = c.low[lead&0x1f<<6|rune(text[n+1]&0x3f)]
		case lead < 0xf0:
			k, size = c.at(lead&0x0f<<12|rune(text[n+1]&0x3f)<<6|rune(text[n+2]&0x3f)), 3
		default:
			k, size = c.at(lead&0x07<<18|rune(text[n+1]&0x3f)<<12|rune(text[n+2]&0x3f)<<6|rune(text[n+3]&0x3f)), 4
		}
		if k != class {
			if n > 0 {
				break
			}
			class = k
		}
		n += size
	}
	return class, n
}

// Classes that correspond to Unicode tables.
var (
	loadFormat      = loadClass(nil, unicode.Cf)
	loadControls    = loadClass(unicode.White_Space, unicode.Cc)
	loadMarks       = loadClass(nil, unicode.Mn)
	loadDigits      = loadClass(nil, unicode.Nd)
	loadPunctuation = loadClass(nil, unicode.P, unicode.S)
	loadSpaces      = loadClass(nil, unicode.White_Space)
)

// loadClass returns a function that builds the class of the code points in some tables but not in
// except, once.
func loadClass(except *unicode.RangeTable, tables ...*unicode.RangeTable) func() *classTable {
	return sync.OnceValue(func() *classTable {
		c := newClassTable(classOut)
		for _, t := range tables {
			c.change(t, classOut, classIn)
		}
		if except != nil {
			c.change(except, classIn, classOut)
		}
		return c
	})
}

// change moves the code points of t from one class to another.
func (c *classTable) change(t *unicode.RangeTable, from, to uint8) {
	for _, span := range t.R16 {
		c.changeSpan(rune(span.Lo), rune(span.Hi), rune(span.Stride), from, to)
	}
	for _, span := range t.R32 {
		c.changeSpan(rune(span.Lo), rune(span.Hi), rune(span.Stride), from, to)
	}
}

func (c *classTable) changeSpan(r, last, stride rune, from, to uint8) {
	for r <= last {
		// the large scripts: whole blocks of a single class change to another class
		if block := &c.block[r>>6]; stride == 1 && r&63 == 0 && r+63 <= last && *block <= classAlone &&
			int(r) >= len(c.low) {
			if *block == uint16(from) {
				*block = uint16(to)
			}
			r += 64
			continue
		}
		if c.at(r) == from {
			c.set(r, to)
		}
		r += stride
	}
}

// set gives r a class, in a block of its own.
func (c *classTable) set(r rune, class uint8) {
	if shared := c.block[r>>6]; shared <= classAlone {
		c.block[r>>6] = uint16(len(c.classes))
		c.classes = append(c.classes, c.classes[shared])
	}
	c.classes[c.block[r>>6]][r&63] = class
	if int(r) < len(c.low) {
		c.low[r] = class
	}
}
