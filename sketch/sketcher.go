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
	shared
	normalizer Normalizer
	tokenizer  Tokenizer
	bandKey    bandKey
	normal     []byte // the normalized window, after what an incremental tokenizer has left
	shingles   shingles
	// the tokenizer, if it is incremental: asserting the type each time may allocate
	incremental  incremental
	canBeDivided bool
	letters      *foldTable // what windowEnd uses to check letters; nil if mapsLetters, and before a long text
	slots        []uint64   // the current signature
	set          shingleSet // the set of a SignedSet
	memo         memo       // sketches of earlier texts
}

// shared is what all clones of a Sketcher share. It does not change.
type shared struct {
	params       Params
	newTokenizer func() Tokenizer
	sketch       sketch
	blank        []uint64 // the signature of no shingles
	mapsLetters  bool     // the normalizer changes letters in ways that affect boundaries
	joinsRuns    bool     // the normalizer considers runs of any length, which must not be divided
	keepsLines   bool     // the normalizer considers lines, which must not be divided
	window       int      // windowSize; smaller in tests
}

// maxScratch is the maximum size, in bytes, of a scratch buffer kept from one text to the next.
// Texts are processed in windows of windowSize, so that only malicious texts (a word of a megabyte,
// 64 KB of ligatures that NFKC expands) need more.
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

// NewWith returns a Sketcher for valid Params whose tokenizer comes from newTokenizer, which is
// called for the Sketcher and for each Clone. It is for tokenizers in other packages.
func NewWith(p Params, newTokenizer func() Tokenizer) (*Sketcher, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	steps, err := stepsOf(p.Normalize)
	if err != nil {
		return nil, err
	}
	constants, _ := p.seeds()
	s := &Sketcher{shared: shared{
		params: p, newTokenizer: newTokenizer,
		sketch:      sketches[p.Sketch](p.NumPerm, constants),
		blank:       slices.Repeat([]uint64{untouched}, p.NumPerm),
		mapsLetters: slices.Contains(steps, "confusables"), joinsRuns: slices.ContainsFunc(steps, masksVariables),
		keepsLines: slices.Contains(steps, "log-variables"),
		window:     windowSize,
	}}
	return s.Clone(), nil
}

// Clone returns a Sketcher with the same Params that may be used concurrently with s. They share
// constant tables.
func (s *Sketcher) Clone() *Sketcher {
	c := &Sketcher{shared: s.shared}
	c.normalizer, _ = NewNormalizer(s.params.Normalize) // Validate has checked the name
	c.tokenizer = s.newTokenizer()
	c.incremental, _ = c.tokenizer.(incremental)
	c.canBeDivided = canBeDivided(c.tokenizer) && !s.joinsRuns
	c.bandKey = bandKeys[s.params.BandKey]()
	c.slots, c.memo.seed = make([]uint64, 0, s.params.NumPerm), rand.Uint64()
	_, c.shingles.seed = s.params.seeds()
	return c
}

// Params returns the Params of the Sketcher.
func (s *Sketcher) Params() Params { return s.params }

// BandKeys appends the Bands keys of the text to dst. If the text is empty, that is, has no tokens,
// nothing is appended and ok is false: such a text resembles no other.
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
// If the text is empty nothing is appended and ok is false. It makes a Sketcher usable in a
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

// appendKeys appends the band keys of the current signature as words.
func (s *Sketcher) appendKeys(dst []uint64) []uint64 {
	n, bands := len(dst), s.params.Bands
	dst = slices.Grow(dst, 2*bands)[:n+2*bands]
	keys := unsafe.Slice((*xxh3.Uint128)(unsafe.Pointer(&dst[n])), bands)
	s.bandKey(keys[:0], s.slots, bands, s.params.Rows)
	return dst
}

// Signature appends the NumPerm slots of the text's signature to dst, or nothing and false if the
// text is empty.
func (s *Sketcher) Signature(dst []uint64, text []byte) ([]uint64, bool) {
	return s.signature(dst, text, nil)
}

// signature is Signature, and adds the hashes of shingles to set if it is not nil.
func (s *Sketcher) signature(dst []uint64, text []byte, set *shingleSet) ([]uint64, bool) {
	n := len(dst)
	dst = slices.Grow(dst, s.params.NumPerm)[:n+s.params.NumPerm]
	slots := dst[n:]
	copy(slots, s.blank)
	empty := true
	for w := s.windows(text); w.next(); {
		if s.shingles.len() == 0 {
			continue
		}
		empty = false
		if set != nil {
			set.add(&s.shingles)
		}
		s.sketch.add(slots, &s.shingles) // which may change the hashes
	}
	s.release()
	if empty {
		return dst[:n], false
	}
	return dst, true
}

// Shingles appends the hash of each shingle of the text to dst, in text order, including repeats. A
// signature represents the set of these hashes.
func (s *Sketcher) Shingles(dst []uint64, text []byte) []uint64 {
	for w := s.windows(text); w.next(); {
		dst = s.shingles.appendHashes(dst)
	}
	s.release()
	return dst
}

// EachShingle calls do with the hashes of the text's shingles, some at a time, including repeats,
// in any order. So memory does not grow with the text. do may change the slice but must not keep
// it.
func (s *Sketcher) EachShingle(text []byte, do func(hashes []uint64)) {
	for w := s.windows(text); w.next(); {
		if s.shingles.len() > 0 {
			do(s.shingles.hashes())
		}
	}
	s.release()
}

// release frees the scratch memory of a huge text.
func (s *Sketcher) release() {
	if cap(s.normal) > maxScratch {
		s.normal = nil
	}
	s.shingles.release()
}
