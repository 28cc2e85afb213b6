package overlap

import (
	"bytes"
	"math"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A Sketcher makes the keys of the parts of a text. It owns scratch memory, so each goroutine needs
// its own. It is a stream.Sketcher.
//
// The sketch of a text is: two words for the key of each part, the high one first; two words for
// each piece that has parts, its place in the text as start<<32|end and the number of its parts;
// and the number of these pieces. In the sketch of a sample the last word is again<<32|pieces, with
// the share of the n-grams that occur earlier in the text, as in shareOf; and the number of parts
// is next<<32|parts, where the first next parts are looked up at the next level.
type Sketcher struct {
	unit    unit
	parts   appendParts
	grams   *grams   // make the parts, where these are n-grams of words
	sampler *sampler // nil: all parts are kept
	pieces  []uint64 // two words each, as in the sketch

	hashes []uint64 // of the words of all lines
	ends   []int    // where those of each line end
}

// A piece is a part of a text that is seen or not as a whole.
type piece struct {
	start, end int // in bytes of the text
	parts      int
	next       int // how many of its parts, the first ones, belong to the next level
}

// append appends the two words of a piece.
func (p piece) append(words []uint64) []uint64 {
	return append(words, uint64(p.start)<<32|uint64(p.end), uint64(p.next)<<32|uint64(p.parts))
}

// An appendParts appends the keys of the parts of a piece, two words each.
type appendParts func(keys []uint64, piece []byte) []uint64

// NewSketcher returns a Sketcher for parameters that Complete has returned.
func NewSketcher(p Params) *Sketcher {
	m := methods[p.Method]
	s := &Sketcher{unit: m.unit}
	if m.newGrams != nil {
		s.grams = m.newGrams(p)
		s.parts = s.grams.append
	} else {
		s.parts = m.newParts(p)
	}
	if p.Scale > 1 {
		s.sampler = newSampler(p, s.grams)
	}
	return s
}

// maxScratch bounds the memory kept from one text to the next, in words.
const maxScratch = 1 << 19

// Append appends the sketch of a text. ok is false if it consists of white space, or exceeds the
// maximum length of a record.
func (s *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if isBlank(text) || len(text) > math.MaxInt32 {
		return dst, false
	}
	s.pieces = s.pieces[:0]
	again := uint64(0)
	switch {
	case s.unit == ofText:
		dst = s.add(dst, text, 0, len(text))
	case s.grams != nil:
		dst, again = s.addLines(dst, text)
	default:
		dst = reserve(dst, 4*(bytes.Count(text, newline)+1)+1)
		for start := 0; start < len(text); {
			end := lineEnd(text, start)
			dst = s.add(dst, text, start, end)
			start = end + 1
		}
	}
	dst = append(reserve(dst, len(s.pieces)+1), s.pieces...)
	dst = append(dst, again<<32|uint64(len(s.pieces)/2))
	if cap(s.pieces) > maxScratch {
		s.pieces = nil
	}
	return dst, true
}

var newline = []byte{'\n'}

// reserve makes space for the given number of words in one step if they are many. The slices that a
// long sketch outgrows would be garbage.
func reserve(dst []uint64, words int) []uint64 {
	if words < maxScratch {
		return dst
	}
	return slices.Grow(dst, words)
}

// lineEnd returns the end of the line that starts there.
func lineEnd(text []byte, start int) int {
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		return start + n
	}
	return len(text)
}

// add appends the keys of a piece, and adds it, unless it has no parts.
func (s *Sketcher) add(dst []uint64, text []byte, start, end int) []uint64 {
	before := len(dst)
	dst = s.parts(dst, text[start:end])
	s.addPiece(len(dst)-before, start, end)
	return dst
}

// addLines appends the keys of the n-grams of all lines, and adds the lines. again is the share of
// the text that is known to be seen without them.
func (s *Sketcher) addLines(dst []uint64, text []byte) (_ []uint64, again uint64) {
	s.hashes, s.ends = s.grams.words.AppendLines(s.hashes[:0], s.ends[:0], text)
	if s.sampler == nil {
		dst = reserve(dst, 2*(len(s.hashes)+len(s.ends))+1)
	}
	for line, from, start := 0, 0, 0; line < len(s.ends); line++ {
		end, words := lineEnd(text, start), s.hashes[from:s.ends[line]]
		if s.sampler != nil {
			s.sampler.add(words, start, end)
		} else {
			before := len(dst)
			dst = s.grams.appendKeys(dst, words)
			s.addPiece(len(dst)-before, start, end)
		}
		from, start = s.ends[line], end+1
	}
	if s.sampler != nil {
		s.pieces, dst, again = s.sampler.appendTo(s.pieces, dst)
	}
	if cap(s.hashes) > maxScratch {
		s.hashes, s.ends = nil, nil
	}
	return dst, again
}

// addPiece adds a piece with that many words of keys, unless it has none.
func (s *Sketcher) addPiece(words, start, end int) {
	if words > 0 {
		s.pieces = piece{start: start, end: end, parts: words / 2}.append(s.pieces)
	}
}

// piecesIn returns the number of pieces of a sketch, or 0 if it is empty.
func piecesIn(sketch []uint64) int {
	if len(sketch) == 0 {
		return 0
	}
	return int(uint32(sketch[len(sketch)-1]))
}

// shareOf returns a share in units of 2^-31, rounded down.
func shareOf(part, all int) uint64 { return uint64(part) << 31 / uint64(all) }

// repeatedShare returns the share of the n-grams that occur earlier in the text.
func repeatedShare(sketch []uint64) float64 {
	if len(sketch) == 0 {
		return 0
	}
	return float64(sketch[len(sketch)-1]>>32) / (1 << 31)
}

// pieceOf returns the i-th piece of a sketch.
func pieceOf(sketch []uint64, i int) piece {
	words := sketch[len(sketch)-1-2*(piecesIn(sketch)-i):]
	place, parts := words[0], words[1]
	return piece{int(place >> 32), int(uint32(place)), int(uint32(parts)), int(parts >> 32)}
}

// KeysIn returns the keys of a sketch, two words each, the high one first.
func KeysIn(sketch []uint64) []uint64 { return sketch[:len(sketch)-1-2*piecesIn(sketch)] }

// keyOf appends the xxh3-128 of the bytes.
func keyOf(keys []uint64, what []byte) []uint64 {
	key := xxh3.Hash128(what)
	return append(keys, key.Hi, key.Lo)
}

// keyOfGram returns the key of an n-gram of words.
func keyOfGram(words []uint64) stream.Key {
	return xxh3.Hash128(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words)))
}

// appendParagraph makes each piece that is not blank one part.
func appendParagraph(keys []uint64, piece []byte) []uint64 {
	if isBlank(piece) {
		return keys
	}
	return keyOf(keys, piece)
}

// grams makes each n adjacent tokens a part, keyed by their xxh3-64 hashes.
type grams struct {
	n      int
	words  *sketch.WordHasher
	whole  bool // fewer tokens than n form one part
	hashes []uint64
}

// lengthOf returns the length of the n-grams of a piece with that many tokens.
func (g *grams) lengthOf(tokens int) int {
	if g.whole {
		return min(g.n, tokens)
	}
	return g.n
}

func (g *grams) append(keys []uint64, piece []byte) []uint64 {
	g.each(piece, func(key stream.Key) { keys = append(keys, key.Hi, key.Lo) })
	return keys
}

// each calls do for the key of each n-gram.
func (g *grams) each(piece []byte, do func(stream.Key)) {
	g.hashes = g.words.Append(g.hashes[:0], piece)
	if n := g.lengthOf(len(g.hashes)); n > 0 {
		for start := 0; start+n <= len(g.hashes); start++ {
			do(keyOfGram(g.hashes[start : start+n]))
		}
	}
	if cap(g.hashes) > maxScratch {
		g.hashes = nil
	}
}

// appendKeys appends the keys of the n-grams of words.
func (g *grams) appendKeys(keys []uint64, words []uint64) []uint64 {
	n := g.lengthOf(len(words))
	if n == 0 {
		return keys
	}
	for start := 0; start+n <= len(words); start++ {
		keys = keyOf(keys, unsafe.Slice((*byte)(unsafe.Pointer(&words[start])), 8*n))
	}
	return keys
}
