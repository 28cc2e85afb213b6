package overlap

import (
	"bytes"
	"math"
	"unsafe"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Sketcher makes the keys of the parts of a text. It owns scratch memory, so each goroutine needs
// its own. It is a stream.Sketcher.
//
// The sketch of a text with n pieces that have parts is: the word n; two words for each piece, its
// place in the text as start<<32|end and the number of its parts; and two words for the key of each
// part, the high one first. In the sketch of a sample the first word is again<<32|n, with the share
// of the n-grams that occur earlier in the text, as in shareOf; and the number of parts is
// next<<32|parts, where the first next parts are looked up at the next level.
type Sketcher struct {
	unit    unit
	parter  parter
	grams   *grams   // the parter, if it makes n-grams of words
	sampler *sampler // nil: all parts are kept
	pieces  []piece
	keys    []uint64

	hashes []uint64 // of the words of all lines
	ends   []int    // where those of each line end
}

// A piece is a part of a text that is seen or not as a whole.
type piece struct {
	start, end int // in bytes of the text
	parts      int
	next       int // how many of its parts, the first ones, belong to the next level
}

// A parter appends the keys of the parts of a piece, two words each.
type parter interface {
	append(keys []uint64, piece []byte) []uint64
}

// NewSketcher returns a Sketcher for parameters that Complete has returned.
func NewSketcher(p Params) *Sketcher {
	m := methods[p.Method]
	s := &Sketcher{unit: m.unit, parter: m.newParts(p)}
	s.grams, _ = s.parter.(*grams)
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
	s.pieces, s.keys = s.pieces[:0], s.keys[:0]
	switch {
	case s.unit == ofText:
		s.add(text, 0, len(text))
	case s.grams != nil:
		s.hashes, s.ends = s.grams.words.AppendLines(s.hashes[:0], s.ends[:0], text)
		for line, from, start := 0, 0, 0; line < len(s.ends); line++ {
			end, to := lineEnd(text, start), s.ends[line]
			s.addGrams(s.hashes[from:to], start, end)
			from, start = to, end+1
		}
	default:
		for start := 0; start < len(text); {
			end := lineEnd(text, start)
			s.add(text, start, end)
			start = end + 1
		}
	}
	again := uint64(0)
	if s.sampler != nil {
		s.pieces, s.keys, again = s.sampler.appendTo(s.pieces, s.keys)
	}
	dst = append(dst, again<<32|uint64(len(s.pieces)))
	for _, p := range s.pieces {
		dst = append(dst, uint64(p.start)<<32|uint64(p.end), uint64(p.next)<<32|uint64(p.parts))
	}
	dst = append(dst, s.keys...)
	if cap(s.keys) > maxScratch {
		s.keys = nil
	}
	if cap(s.hashes) > maxScratch {
		s.hashes, s.ends = nil, nil
	}
	return dst, true
}

// lineEnd returns the end of the line that starts there.
func lineEnd(text []byte, start int) int {
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		return start + n
	}
	return len(text)
}

// add adds a piece, unless it has no parts.
func (s *Sketcher) add(text []byte, start, end int) {
	before := len(s.keys)
	s.keys = s.parter.append(s.keys, text[start:end])
	s.addPiece(before, start, end)
}

// addGrams adds a piece with these words, unless it has no n-grams.
func (s *Sketcher) addGrams(words []uint64, start, end int) {
	if s.sampler != nil {
		s.sampler.add(words, start, end)
		return
	}
	before := len(s.keys)
	s.keys = s.grams.appendKeys(s.keys, words)
	s.addPiece(before, start, end)
}

// addPiece adds a piece whose keys begin there, unless it has no keys.
func (s *Sketcher) addPiece(keys, start, end int) {
	if parts := (len(s.keys) - keys) / 2; parts > 0 {
		s.pieces = append(s.pieces, piece{start: start, end: end, parts: parts})
	}
}

// piecesIn returns the number of pieces of a sketch, or 0 if it is empty.
func piecesIn(sketch []uint64) int {
	if len(sketch) == 0 {
		return 0
	}
	return int(uint32(sketch[0]))
}

// shareOf returns a share in units of 2^-31, rounded down.
func shareOf(part, all int) uint64 { return uint64(part) << 31 / uint64(all) }

// repeatedShare returns the share of the n-grams that occur earlier in the text.
func repeatedShare(sketch []uint64) float64 {
	if len(sketch) == 0 {
		return 0
	}
	return float64(sketch[0]>>32) / (1 << 31)
}

// pieceOf returns the i-th piece of a sketch.
func pieceOf(sketch []uint64, i int) piece {
	place, parts := sketch[1+2*i], sketch[2+2*i]
	return piece{int(place >> 32), int(uint32(place)), int(uint32(parts)), int(parts >> 32)}
}

// KeysIn returns the keys of a sketch, two words each, the high one first.
func KeysIn(sketch []uint64) []uint64 { return sketch[1+2*piecesIn(sketch):] }

// keyOf appends the xxh3-128 of the bytes.
func keyOf(keys []uint64, what []byte) []uint64 {
	key := xxh3.Hash128(what)
	return append(keys, key.Hi, key.Lo)
}

// paragraph makes each piece that is not blank one part.
type paragraph struct{}

func (paragraph) append(keys []uint64, piece []byte) []uint64 {
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
	g.hashes = g.words.Append(g.hashes[:0], piece)
	keys = g.appendKeys(keys, g.hashes)
	if cap(g.hashes) > maxScratch {
		g.hashes = nil
	}
	return keys
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
