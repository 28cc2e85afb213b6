package sketch

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Symbols says what is compared of texts whose normal form is empty, such as a row of asterisks, an
// emoji, or a formula of which the normaliser leaves nothing: they are equal if their bytes are,
// and resemble nothing else. It owns scratch memory: one for each goroutine.
type Symbols struct {
	normalizer Normalizer
	takesSpace bool // white space is a token
	stead      []byte
	normal     []byte
}

// NewSymbols is for texts that are normalised and tokenised so.
func NewSymbols(normalize, tokenize string) (*Symbols, error) {
	n, err := NewNormalizer(normalize)
	return &Symbols{normalizer: n, takesSpace: takesSpace(tokenize)}, err
}

// Append appends what a sketcher makes of a text, or of what is sketched in its place. ok is false
// if there is nothing to compare in it.
func (s *Symbols) Append(
	dst []uint64, text []byte, sketcher func(dst []uint64, text []byte) ([]uint64, bool),
) (words []uint64, ok bool) {
	if !s.takesSpace || !s.Hides(text) {
		if words, ok = sketcher(dst, text); ok {
			return words, true
		}
	}
	stead := s.Stead(text)
	if stead == nil {
		return dst, false
	}
	return sketcher(dst, stead)
}

// BySymbols is a sketcher of any kind that sketches something else in the place of a text whose
// normal form is empty.
type BySymbols struct {
	Of interface {
		Append(dst []uint64, text []byte) (words []uint64, ok bool)
	}
	Symbols *Symbols
}

// Append appends the sketch of a text. ok is false if there is nothing to compare in it.
func (b BySymbols) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return b.Symbols.Append(dst, text, b.Of.Append)
}

// Hides reports whether the normal form of a text is empty, or white space, which tokenisers of
// characters would take for a text. A text with a letter or a number in it is never asked.
func (s *Symbols) Hides(text []byte) bool {
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return false
		}
		i += size
	}
	s.normal = s.normalizer.Append(s.normal[:0], text)
	isBlank := len(bytes.TrimFunc(s.normal, unicode.IsSpace)) == 0
	if cap(s.normal) > maxScratch {
		s.normal = nil
	}
	return isBlank
}

// Stead returns a text of letters that is sketched in the place of one that has no normal form; it
// says nothing but which bytes that has. It is nil for a text of nothing but white space, which has
// nothing to compare. It is valid until the next call.
func (s *Symbols) Stead(text []byte) []byte {
	if len(bytes.TrimFunc(text, unicode.IsSpace)) == 0 {
		return nil
	}
	key := xxh3.Hash128(text)
	s.stead = s.stead[:0]
	for range steadLetters {
		s.stead = utf8.AppendRune(s.stead, firstLetter+rune(key.Lo%lettersInStead))
		key.Lo = key.Lo/lettersInStead | key.Hi<<51
		key.Hi /= lettersInStead
	}
	return s.stead
}

// What stands in for a text is ten of 2^13 Han letters, which say 128 bits: tokenisers of words and
// of characters make tokens of each, so that two of them have next to none in common, and no
// normaliser changes them.
const (
	steadLetters   = 10
	lettersInStead = 1 << 13
	firstLetter    = '\u4e00'
)

// takesSpace reports whether a tokeniser makes tokens of white space too.
func takesSpace(tokenize string) bool { return tokenize == "char" || tokenize == "grapheme" }
