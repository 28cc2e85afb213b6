package sketch

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// Symbols compares texts whose normal form is empty, such as a row of asterisks, an emoji, or a
// formula that the normalizer removes entirely: they are equal if their bytes are, and resemble
// nothing else. It owns scratch memory, so each goroutine needs its own.
type Symbols struct {
	normalizer Normalizer
	keepsSpace bool // white space is a token
	stead      []byte
	normal     []byte
}

// NewSymbols returns Symbols for texts normalized and tokenized in that way.
func NewSymbols(normalize, tokenize string) (*Symbols, error) {
	n, err := NewNormalizer(normalize)
	return &Symbols{normalizer: n, keepsSpace: keepsSpace(tokenize)}, err
}

// Append appends the sketch of a text, or of its substitute. ok is false if there is nothing to
// compare.
func (s *Symbols) Append(
	dst []uint64, text []byte, sketcher func(dst []uint64, text []byte) ([]uint64, bool),
) (words []uint64, ok bool) {
	if !s.keepsSpace || !s.Hides(text) {
		if words, ok = sketcher(dst, text); ok {
			return words, true
		}
	}
	stead := s.Substitute(text)
	if stead == nil {
		return dst, false
	}
	return sketcher(dst, stead)
}

// BySymbols is a sketcher of any kind that sketches a substitute for a text whose normal form is
// empty.
type BySymbols struct {
	Of interface {
		Append(dst []uint64, text []byte) (words []uint64, ok bool)
	}
	Symbols *Symbols
}

// Append appends the sketch of a text. ok is false if there is nothing to compare.
func (b BySymbols) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return b.Symbols.Append(dst, text, b.Of.Append)
}

// Hides reports whether the normal form of a text is empty, or white space, which tokenizers of
// characters would treat as text. It is fast for texts with a letter or a number.
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

// Substitute returns the substitute of a text without a normal form: letters that depend only on
// its bytes. It returns nil for a text of white space, which has nothing to compare. The slice is
// valid until the next call.
func (s *Symbols) Substitute(text []byte) []byte {
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

// A substitute is ten of 2^13 Han letters, which encode 128 bits: tokenizers of words and of
// characters make each a token, so that two substitutes hardly overlap, and no normalizer changes
// them.
const (
	steadLetters   = 10
	lettersInStead = 1 << 13
	firstLetter    = '\u4e00'
)

// keepsSpace reports whether a tokenizer makes tokens of white space too.
func keepsSpace(tokenize string) bool { return tokenize == "char" || tokenize == "grapheme" }
