package tlsh

import (
	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Sketcher makes digests of normalized texts. It owns scratch memory and is not safe for
// concurrent use.
type Sketcher struct {
	normalizer sketch.Normalizer
	text       []byte
}

// NewSketcher returns a Sketcher for texts normalized by a name that sketch.NewNormalizer accepts.
func NewSketcher(normalize string) (*Sketcher, error) {
	normalizer, err := sketch.NewNormalizer(normalize)
	return &Sketcher{normalizer: normalizer}, err
}

// maxText bounds the memory kept from one text to the next: enough for a book.
const maxText = 4 << 20

// Append appends the words of the digest of a text. ok is false if it has none, see Sum.
func (s *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	s.text = s.normalizer.Append(s.text[:0], text)
	digest, ok := Sum(s.text)
	if ok {
		dst = digest.AppendWords(dst)
	}
	if cap(s.text) > maxText {
		s.text = nil
	}
	return dst, ok
}

// A BySymbols is a Sketcher that compares texts whose normal form is empty by their bytes: in place
// of a digest it makes one that depends only on the bytes. Those of different texts are practically
// always farther apart than Unrelated.
type BySymbols struct {
	*Sketcher
	symbols *sketch.Symbols
}

// NewBySymbols returns a BySymbols for texts normalized in that way.
func NewBySymbols(normalize string) (*BySymbols, error) {
	s, err := NewSketcher(normalize)
	if err != nil {
		return nil, err
	}
	symbols, err := sketch.NewSymbols(normalize, "")
	return &BySymbols{s, symbols}, err
}

// Append appends the words of the digest of a text, or of its substitute.
func (s *BySymbols) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if words, ok = s.Sketcher.Append(dst, text); ok {
		return words, true
	}
	if !s.symbols.Hides(text) || s.symbols.Substitute(text) == nil {
		return dst, false
	}
	one, two := xxh3.Hash128(text), xxh3.Hash128Seed(text, 1)
	return Digest{
		Checksum: byte(one.Lo), Length: byte(one.Hi), Ratios: byte(two.Lo),
		Code: [codeBytes / 8]uint64{one.Lo, one.Hi, two.Lo, two.Hi},
	}.AppendWords(dst), true
}

// Unrelated is a distance of unrelated texts.
const Unrelated = 300

// Similarity converts a distance: from 1 for equal digests to 0 for unrelated texts.
func Similarity(distance int) float64 { return max(0, 1-float64(distance)/Unrelated) }
