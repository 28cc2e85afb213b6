package embedding

import "unicode/utf8"

// joins records which characters may be adjacent in a token. Between two characters that never are,
// a text can be divided without affecting its tokens, and the tokens of repeated parts can be
// cached.
type joins [otherKind + 1][otherKind + 1]bool

// The kinds of characters: each ASCII character, the one that represents a space, and all others,
// which may join with anything.
const (
	spaceKind = utf8.RuneSelf + iota
	otherKind
)

// space represents a space in a text normalized for Llama.
const space = '▁'

func kindOf(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return int(r)
	case r == space:
		return spaceKind
	}
	return otherKind
}

// add records that two tokens are joined.
func (j *joins) add(left, right string) {
	last, _ := utf8.DecodeLastRuneInString(left)
	first, _ := utf8.DecodeRuneInString(right)
	j[kindOf(last)][kindOf(first)] = true
}

// divide calls part with the parts of a text that no token crosses.
func (j *joins) divide(text []byte, part func([]byte)) {
	start, before := 0, otherKind
	for i := 0; i < len(text); {
		kind, size := int(text[i]), 1
		if kind >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRune(text[i:])
			kind = kindOf(r)
		}
		if i > start && before != otherKind && kind != otherKind && !j[before][kind] {
			part(text[start:i])
			start = i
		}
		before, i = kind, i+size
	}
	if start < len(text) {
		part(text[start:])
	}
}
