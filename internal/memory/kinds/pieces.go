package kinds

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// A piece is a word of a text.
type piece struct {
	text     []byte
	isJoined bool // no white space precedes it
}

// pieces holds the words of a text, separated by white space. In scripts written without spaces
// each character is a piece.
type pieces struct {
	words     []piece
	areJoined bool // any piece is joined
}

// split sets the pieces to those of a text, and reports whether there were too many.
func (p *pieces) split(text []byte) (isCut bool) {
	p.words, p.areJoined = p.words[:0], false
	for field := range bytes.FieldsSeq(text) {
		if len(p.words) >= mostWords {
			return true
		}
		p.divide(field)
	}
	if len(p.words) > mostWords {
		p.words, isCut = p.words[:mostWords], true
	}
	return isCut
}

// divide adds the pieces of a field between white space.
func (p *pieces) divide(field []byte) {
	start, isFirst := 0, true
	add := func(end int) {
		if start < end {
			p.words = append(p.words, piece{field[start:end], !isFirst})
			p.areJoined = p.areJoined || !isFirst
			start, isFirst = end, false
		}
	}
	wasSpaceless := false
	for i := 0; i < len(field); {
		if field[i] < utf8.RuneSelf {
			if wasSpaceless {
				add(i)
				wasSpaceless = false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(field[i:])
		switch {
		case unicode.Is(unicode.M, r): // belongs to the preceding character
		case isSpaceless(r):
			add(i)
			wasSpaceless = true
		case wasSpaceless:
			add(i)
			wasSpaceless = false
		}
		i += size
	}
	add(len(field))
}

// isSpaceless reports whether a character belongs to a script written without spaces.
func isSpaceless(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai,
		unicode.Lao, unicode.Khmer, unicode.Myanmar))
}
