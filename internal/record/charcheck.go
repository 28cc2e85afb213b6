package record

import (
	"bytes"
	"unicode/utf8"
)

// A CharCheck says which bytes of records have no place in what is written. The zero CharCheck lets
// all pass.
type CharCheck struct {
	UTF8    bool // all must be UTF-8
	Escapes bool // strings of JSON leave without escapes, so that half a surrogate pair has no form
	// Replaced is called with the number of lone surrogates in a record that become U+FFFD. If it
	// is nil such a record has a problem. It may be called from several goroutines.
	Replaced func(halves int)
}

// Check finds the problem of a record that is whole.
func (c CharCheck) Check(record []byte) Problem {
	if c.UTF8 && !utf8.Valid(record) {
		return NotUTF8(invalidAt(record))
	}
	if !c.Escapes {
		return Problem{}
	}
	halves, first := halfPairs(record)
	switch {
	case halves == 0:
		return Problem{}
	case c.Replaced == nil:
		return NotUTF8(first)
	}
	c.Replaced(halves)
	return Problem{}
}

// invalidAt is where the first byte stands that is in no character.
func invalidAt(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// halfPairs counts escapes of a surrogate without its partner.
func halfPairs(record []byte) (count, first int) {
	first = -1
	for at := 0; ; {
		n := bytes.IndexByte(record[at:], '\\')
		if n < 0 {
			return count, first
		}
		at += n
		switch r := escaped(record[at:]); {
		case r >= 0xd800 && r < 0xdc00 && isLow(escaped(record[min(at+6, len(record)):])):
			at += 12
		case r >= 0xd800 && r < 0xe000:
			if count++; count == 1 {
				first = at
			}
			at += 6
		default:
			at = min(at+2, len(record))
		}
	}
}

func isLow(r rune) bool { return r >= 0xdc00 && r < 0xe000 }

// escaped is what text begins with as \uXXXX, or -1.
func escaped(text []byte) (r rune) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	for _, c := range text[2:6] {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if digit < 0 {
			return -1
		}
		r = r<<4 | rune(digit)
	}
	return r
}
