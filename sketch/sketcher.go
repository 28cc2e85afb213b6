package sketch

import (
	"math/rand/v2"
	"slices"
	"unsafe"

	"github.com/zeebo/xxh3"
)

// A Sketcher computes signatures and band keys under one set of Params. It owns scratch memory and
// is not safe for concurrent use: give each goroutine its own Clone.
type Sketcher struct {
	params       Params
	newTokenizer func() Tokenizer
	sketch       sketch
	blank        []uint64 // a signature of no shingle
	mapsLetters  bool     // the normaliser makes letters what they are not
	joinsRuns    bool     // the normaliser looks at runs of any length, so that none may be divided
	window       int      // windowSize; a test makes it small

	// From here on all is the Sketcher's own.
	normalizer   Normalizer
	tokenizer    Tokenizer
	bandKey      bandKey
	normal       []byte // the normalised window of a text, after what an incremental tokenizer has left
	shingles     shingles
	incremental  incremental // the tokenizer, if it is one: asking each time would now and then allocate
	canBeDivided bool
	letters      *foldTable // what windowEnd asks about letters; nil if the normaliser mapsLetters
	slots        []uint64   // the signature that band keys are made of
	set          shingleSet // that of a SignedSet
	memo         memo       // sketches of texts that came before
}

// maxScratch is the most memory, in bytes, that a scratch buffer keeps from one text to the next.
// Texts are worked on in windows of windowSize, so that only texts made to break the rules (a word
// of a megabyte, 64 KB of ligatures that NFKC expands) ever need more.
const maxScratch = 1 << 20

// New returns a Sketcher for valid Params.
func New(p Params) (*Sketcher, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if _, err := NewTokenizer(p.Tokenize); err != nil {
		return nil, err
	}
	return NewWith(p, tokenizers[p.Tokenize].make)
}

// NewWith returns a Sketcher for valid Params whose tokeniser comes from newTokenizer, which is
// called for the Sketcher and for each Clone. It is for a tokeniser that has a package of its own.
func NewWith(p Params, newTokenizer func() Tokenizer) (*Sketcher, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	steps, err := stepsOf(p.Normalize)
	if err != nil {
		return nil, err
	}
	constants, _ := p.seeds()
	s := &Sketcher{
		params: p, newTokenizer: newTokenizer,
		sketch:      sketches[p.Sketch](p.NumPerm, constants),
		blank:       slices.Repeat([]uint64{untouched}, p.NumPerm),
		mapsLetters: slices.Contains(steps, "confusables"), joinsRuns: slices.Contains(steps, "variables"),
		window: windowSize,
	}
	return s.Clone(), nil
}

// Clone returns a Sketcher with the same Params that may be used at the same time as s. They share
// the constant tables.
func (s *Sketcher) Clone() *Sketcher {
	c := &Sketcher{params: s.params, newTokenizer: s.newTokenizer, sketch: s.sketch, blank: s.blank,
		mapsLetters: s.mapsLetters, joinsRuns: s.joinsRuns, window: s.window}
	c.normalizer, _ = NewNormalizer(s.params.Normalize) // Validate has seen that the name is right
	c.tokenizer = s.newTokenizer()
	c.incremental, _ = c.tokenizer.(incremental)
	c.canBeDivided = canBeDivided(c.tokenizer) && !s.joinsRuns
	c.bandKey = bandKeys[s.params.BandKey]()
	if !s.mapsLetters {
		c.letters = newFoldTable()
	}
	c.slots, c.memo.seed = make([]uint64, 0, s.params.NumPerm), rand.Uint64()
	_, c.shingles.seed = s.params.seeds()
	return c
}

// Params returns what the Sketcher was made with.
func (s *Sketcher) Params() Params { return s.params }

// BandKeys appends the Bands keys of the text to dst. If the text is empty, that is, has no token,
// ok is false and nothing is appended: such a text resembles no other.
func (s *Sketcher) BandKeys(dst []xxh3.Uint128, text []byte) (keys []xxh3.Uint128, ok bool) {
	n, bands := len(dst), s.params.Bands
	keys = slices.Grow(dst, bands)[:n+bands]
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&keys[n])), 2*bands)
	if _, ok = s.Append(words[:0], text); !ok {
		return dst, false
	}
	return keys, true
}

// Append appends the band keys of the text to dst as words, two for each key, the high one first.
// If the text is empty nothing is appended and ok is false. So a Sketcher can be that of a
// stream.Method.
func (s *Sketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	return s.appendWords(dst, text, 2*s.params.Bands)
}

// appendWords appends the first words of the sketch that Signed makes: band keys, and then the
// packed signature.
func (s *Sketcher) appendWords(dst []uint64, text []byte, words int) ([]uint64, bool) {
	if 0 < len(text) && len(text) <= s.window && s.memo.forms.pays() {
		return s.recall(dst, text, words)
	}
	var ok bool
	if s.slots, ok = s.Signature(s.slots[:0], text); !ok {
		return dst, false
	}
	return s.appendMade(dst, words), true
}

// appendKeys appends the band keys of the signature at hand as words.
func (s *Sketcher) appendKeys(dst []uint64) []uint64 {
	n, bands := len(dst), s.params.Bands
	dst = slices.Grow(dst, 2*bands)[:n+2*bands]
	keys := unsafe.Slice((*xxh3.Uint128)(unsafe.Pointer(&dst[n])), bands)
	s.bandKey.appendKeys(keys[:0], s.slots, bands, s.params.Rows)
	return dst
}

// Signature appends the NumPerm slots of the text's signature to dst, or nothing and false if the
// text is empty.
func (s *Sketcher) Signature(dst []uint64, text []byte) ([]uint64, bool) {
	return s.signature(dst, text, nil)
}

// signature is Signature, and has the hashes of shingles taken into a set, unless that is nil.
func (s *Sketcher) signature(dst []uint64, text []byte, set *shingleSet) ([]uint64, bool) {
	n := len(dst)
	dst = slices.Grow(dst, s.params.NumPerm)[:n+s.params.NumPerm]
	slots := dst[n:]
	copy(slots, s.blank)
	empty := true
	for w := s.windows(text); w.next(); {
		if s.shingles.len() > 0 {
			s.sketch.add(slots, &s.shingles)
			empty = false
		}
		if set != nil {
			set.add(&s.shingles)
		}
	}
	s.release()
	if empty {
		return dst[:n], false
	}
	return dst, true
}

// Shingles appends the hash of each shingle of the text to dst, in the order of the text, repeats
// kept. The set of these hashes is what a signature stands for.
func (s *Sketcher) Shingles(dst []uint64, text []byte) []uint64 {
	for w := s.windows(text); w.next(); {
		dst = s.shingles.appendHashes(dst)
	}
	s.release()
	return dst
}

// EachShingle calls do with the hashes of the text's shingles, some at a time, each as often as its
// shingle occurs, in any order. So what is made of them needs no memory that grows with the text.
// do may change the slice, and does not keep it.
func (s *Sketcher) EachShingle(text []byte, do func(hashes []uint64)) {
	for w := s.windows(text); w.next(); {
		if s.shingles.len() > 0 {
			do(s.shingles.hashes())
		}
	}
	s.release()
}

// release lets go of scratch memory that a huge text needed.
func (s *Sketcher) release() {
	if cap(s.normal) > maxScratch {
		s.normal = nil
	}
	s.shingles.release()
}
