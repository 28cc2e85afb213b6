package tlsh

import (
	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Sketcher makes digests of normalised texts. It owns scratch memory and is not safe for
// concurrent use.
type Sketcher struct {
	normalizer sketch.Normalizer
	text       []byte
}

// NewSketcher returns a Sketcher of texts that are normalised in that way, a name that
// sketch.NewNormalizer knows.
func NewSketcher(normalize string) (*Sketcher, error) {
	normalizer, err := sketch.NewNormalizer(normalize)
	return &Sketcher{normalizer: normalizer}, err
}

// maxText bounds the memory that is kept from one text to the next: enough for a book.
const maxText = 4 << 20

// Append appends the words of the digest of a text. ok is false if it has none, as Sum says.
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

// A BySymbols is a Sketcher that compares texts whose normal form is empty by their bytes: in the
// place of a digest, which they have none of, it makes one that says nothing but which bytes a text
// has. Those of different texts are farther apart than Unrelated, as good as always.
type BySymbols struct {
	*Sketcher
	symbols *sketch.Symbols
}

// NewBySymbols returns a Sketcher of texts that are normalised in that way.
func NewBySymbols(normalize string) (*BySymbols, error) {
	s, err := NewSketcher(normalize)
	if err != nil {
		return nil, err
	}
	symbols, err := sketch.NewSymbols(normalize, "")
	return &BySymbols{s, symbols}, err
}

// Append appends the words of the digest of a text, or those in its place.
func (s *BySymbols) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if words, ok = s.Sketcher.Append(dst, text); ok {
		return words, true
	}
	if !s.symbols.Hides(text) || s.symbols.Stead(text) == nil {
		return dst, false
	}
	one, two := xxh3.Hash128(text), xxh3.Hash128Seed(text, 1)
	return Digest{
		Checksum: byte(one.Lo), Length: byte(one.Hi), Ratios: byte(two.Lo),
		Code: [codeBytes / 8]uint64{one.Lo, one.Hi, two.Lo, two.Hi},
	}.AppendWords(dst), true
}

// Unrelated is a distance at which texts have nothing to do with each other.
const Unrelated = 300

// Similarity is how alike texts at a distance are: how much of the way from an unrelated one there
// is, from 1 down to 0.
func Similarity(distance int) float64 { return max(0, 1-float64(distance)/Unrelated) }
