package sketch

import (
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
)

// uax29 takes the words of UAX #29 as tokens, that is, those of its segments that have a letter,
// mark or number.
type uax29 struct {
	iter    *words.Iterator[[]byte]
	classes *classTable
}

func newUAX29() uax29 { return uax29{iter: words.FromBytes(nil), classes: loadWordClasses()} }

func (u uax29) Append(dst *Tokens, text []byte) {
	for u.iter.SetText(text); u.iter.Next(); {
		if segment := u.iter.Value(); u.isWord(segment) {
			dst.Add(segment)
		}
	}
}

func (u uax29) isWord(segment []byte) bool {
	for i := 0; i < len(segment); {
		r, size := decodeRune(segment[i:])
		if u.classes.at(r) != classOut {
			return true
		}
		i += size
	}
	return false
}

// grapheme takes each extended grapheme cluster of UAX #29 as a token: what a reader calls a
// character.
type grapheme struct {
	iter *graphemes.Iterator[[]byte]
}

func newGrapheme() grapheme { return grapheme{iter: graphemes.FromBytes(nil)} }

func (g grapheme) Append(dst *Tokens, text []byte) {
	dst.joined = true
	for g.iter.SetText(text); g.iter.Next(); {
		dst.Add(g.iter.Value())
	}
}
