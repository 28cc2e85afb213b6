package substr

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Unit is what the length of a passage is counted in.
type Unit uint8

const (
	Bytes Unit = iota
	Chars      // Unicode code points; a byte that is not part of well-formed UTF-8 counts as one
	Words      // maximal runs of code points that are not white space; a passage begins and ends with a whole word
)

var unitNames = [...]string{Bytes: "bytes", Chars: "chars", Words: "words"}

func (u Unit) String() string { return unitNames[u] }

// ParseUnit returns the unit of a name: bytes, chars or words.
func ParseUnit(name string) (Unit, error) {
	for u, n := range unitNames {
		if n == name {
			return Unit(u), nil
		}
	}
	return 0, fmt.Errorf("unit %q is unknown; use bytes, chars or words", name)
}

// next returns where the first unit at or after position p begins and ends. It returns false after
// the last unit. What is between units (white space, for words) is skipped.
func (u Unit) next(text []byte, p int) (start, end int, ok bool) {
	if u == Words {
		p = skip(text, p, true)
		return p, skip(text, p, false), p < len(text)
	}
	if p >= len(text) {
		return p, p, false
	}
	if u == Bytes || text[p] < utf8.RuneSelf {
		return p, p + 1, true
	}
	_, size := utf8.DecodeRune(text[p:])
	return p, p + size, true
}

// count is the number of units of a text.
func (u Unit) count(text []byte) int {
	switch u {
	case Bytes:
		return len(text)
	case Chars:
		return utf8.RuneCount(text)
	}
	n := 0
	for p := skip(text, 0, true); p < len(text); p = skip(text, p, true) {
		p = skip(text, p, false)
		n++
	}
	return n
}

// skip returns the first position from p on where a code point is no white space (space) or is
// white space (!space).
func skip(text []byte, p int, space bool) int {
	for p < len(text) {
		c := text[p]
		if c < utf8.RuneSelf {
			if (c == ' ' || c-'\t' < 5) != space {
				return p
			}
			p++
			continue
		}
		r, size := utf8.DecodeRune(text[p:])
		if unicode.IsSpace(r) != space {
			return p
		}
		p += size
	}
	return p
}

// lookahead is how many bytes after a unit's end decide that it ends there.
func (u Unit) lookahead() int {
	if u == Bytes {
		return 0
	}
	return utf8.UTFMax
}

// previous returns where the last unit before position p begins, where a unit begins or the text
// ends. There must be one.
func (u Unit) previous(text []byte, p int) int {
	if u == Words {
		p = skipBack(text, p, true)
		return skipBack(text, p, false)
	}
	return p - u.lastSize(text[:p])
}

// lastSize is the size of the last character of a text; of the last byte, if the unit is bytes.
func (u Unit) lastSize(text []byte) int {
	if u == Bytes {
		return 1
	}
	_, size := utf8.DecodeLastRune(text)
	return size
}

// skipBack is skip from right to left.
func skipBack(text []byte, p int, space bool) int {
	for p > 0 {
		r, size := utf8.DecodeLastRune(text[:p])
		if unicode.IsSpace(r) != space {
			return p
		}
		p -= size
	}
	return 0
}

// begins tells if a unit begins at position p of a text. It looks no further than lookahead bytes
// to either side.
func (u Unit) begins(text []byte, p int) bool {
	switch {
	case u == Bytes || p == len(text):
		return p < len(text)
	case !charBegins(text, p):
		return false
	case u == Chars:
		return true
	}
	return (p == 0 || skipBack(text[:p], p, true) < p) && skip(text, p, true) == p
}

// ends tells if a unit ends at position p > 0 of a text. It looks no further than lookahead bytes
// to either side.
func (u Unit) ends(text []byte, p int) bool {
	if u == Bytes || p == len(text) {
		return true
	}
	return charBegins(text, p) && (u == Chars || skip(text, p, true) > p)
}

// charBegins tells if position p is not inside a well-formed character.
func charBegins(text []byte, p int) bool {
	for back := 1; back < utf8.UTFMax && back <= p; back++ {
		if _, size := utf8.DecodeRune(text[p-back:]); size > back {
			return false
		}
	}
	return true
}
