package sketch

import (
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/words"
)

// uax29 makes the words of UAX #29 tokens, that is, the segments with a letter, mark or number.
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

// AppendSome leaves two segments: the last may continue, and then the one before may too, as "a."
// does if "b" follows. A certain boundary does not depend on what precedes it.
func (u uax29) AppendSome(dst *Tokens, text []byte) int {
	waiting, at := [2]int{}, 0 // where the last two segments start
	for u.iter.SetText(text); u.iter.Next(); at += len(u.iter.Value()) {
		if segment := text[waiting[0]:waiting[1]]; u.isWord(segment) {
			dst.Add(segment)
		}
		waiting = [2]int{waiting[1], at}
	}
	return waiting[0]
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

// grapheme makes each extended grapheme cluster of UAX #29 a token: what a reader calls a
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

// AppendSome leaves the last cluster, which may continue.
func (g grapheme) AppendSome(dst *Tokens, text []byte) int {
	dst.joined = true
	last, at := 0, 0
	for g.iter.SetText(text); g.iter.Next(); at += len(g.iter.Value()) {
		if last < at {
			dst.Add(text[last:at])
		}
		last = at
	}
	return last
}
