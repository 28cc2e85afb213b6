package sketch

import (
	"encoding/binary"
	"unicode/utf8"
)

// gramLength is the number of code points of a script without spaces in a token of word-grams:
// about as many letters as in a short word.
const gramLength = 3

// wordGrams makes tokens of words as word does. In scripts without spaces, each gramLength adjacent
// code points form a token, overlapping the next one; fewer between two words form one token. A
// single code point of such a script says as little about a text as a letter does, so this replaces
// words if shingles have only one or two tokens.
type wordGrams struct {
	words *runs
	ends  []int // of the code points of a run
}

func newWordGrams() *wordGrams { return &wordGrams{words: newWord()} }

func (t *wordGrams) Append(dst *Tokens, text []byte) {
	if !hasUnspaced(text) {
		t.words.Append(dst, text)
		return
	}
	start := 0 // start of the part not copied to dst yet
	for i := 0; i < len(text); {
		n := t.run(text[i:])
		if n == 0 {
			_, size := utf8.DecodeRune(text[i:])
			i += size
			continue
		}
		if start < i {
			t.words.Append(dst, text[start:i])
		}
		t.grams(dst, text[i:i+n])
		i += n
		start = i
	}
	if start < len(text) {
		t.words.Append(dst, text[start:])
	}
}

// run returns the length of the run of code points of scripts without spaces that text begins with,
// and stores their ends.
func (t *wordGrams) run(text []byte) (length int) {
	t.ends = t.ends[:0]
	for length < len(text) {
		r, size := utf8.DecodeRune(text[length:])
		if r < utf8.RuneSelf || t.words.classes.at(r) != classAlone {
			break
		}
		length += size
		t.ends = append(t.ends, length)
	}
	return length
}

// grams appends the tokens of a run, whose ends are stored.
func (t *wordGrams) grams(dst *Tokens, run []byte) {
	start := 0
	for i := gramLength - 1; i < len(t.ends); i++ {
		dst.Add(run[start:t.ends[i]])
		start = t.ends[i-gramLength+1]
	}
	if len(t.ends) < gramLength {
		dst.Add(run)
	}
}

// hasUnspaced reports whether there may be a code point of a script without spaces. All of them are
// above U+0800, where encodings begin with at least three set bits.
func hasUnspaced(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if x := binary.LittleEndian.Uint64(text); x&(x<<1)&(x<<2)&highs != 0 {
			return true
		}
	}
	for _, c := range text {
		if c >= 0xe0 {
			return true
		}
	}
	return false
}
