package signatures

import (
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Linear compares a handful of records one by one, and decides as an Index without sets does. Its
// memory does not grow with the records it has forgotten. It is not safe for concurrent use.
type Linear struct {
	rule
	signatures []uint64 // concatenated
}

// NewLinear returns an empty Linear. p must be valid, and without Sets.
func NewLinear(p Params) *Linear { return &Linear{rule: newRule(p)} }

// Add remembers the record of sketch.
func (f *Linear) Add(sketch []uint64) {
	f.signatures = append(f.signatures, sketch[2*f.params.Bands:f.words]...)
}

// Best returns the index of the record most similar to a sketch, the first if several are equal. ok
// is false if none resembles it.
func (f *Linear) Best(words []uint64) (number int, ok bool) {
	own, size, most := words[2*f.params.Bands:f.words], f.params.signatureWords(), -1
	for at := 0; at < len(f.signatures); at += size {
		other := f.signatures[at : at+size]
		agree := sketch.PackedAgreement(other, own, f.slotBits) - f.padding
		if agree > most && agree >= f.agreeing && f.haveVotes(other, own) {
			most, number = agree, at/size
		}
	}
	return number, most >= 0
}

// Clear forgets all records.
func (f *Linear) Clear() { f.signatures = f.signatures[:0] }

// Pack appends to dst the part of sketch that is compared: half of each key, two to a word, the
// signature, and with Sets the set.
func (p Params) Pack(dst, sketch []uint64) []uint64 {
	for band := 0; band < p.Bands; band += 2 {
		pair := memory.LowHalf(sketch[2*band], sketch[2*band+1]) >> 32
		if band+1 < p.Bands {
			pair |= memory.LowHalf(sketch[2*band+2], sketch[2*band+3]) >> 32 << 32
		}
		dst = append(dst, pair)
	}
	return append(dst, sketch[2*p.Bands:]...)
}

// packedKeys returns the number of words of the packed keys.
func (p Params) packedKeys() int { return (p.Bands + 1) / 2 }

// PackedWords returns the number of words that Pack appends, without a set.
func (p Params) PackedWords() int { return p.packedKeys() + p.signatureWords() }

// Unpack appends to dst a sketch that an Index treats like the one that was packed.
func (p Params) Unpack(dst, packed []uint64) []uint64 {
	for band := range p.Bands {
		key := packed[band/2] << 32
		if band%2 == 1 {
			key = packed[band/2] >> 32 << 32
		}
		dst = append(dst, 1, key) // not 0, which marks sums
	}
	return append(dst, packed[p.packedKeys():]...)
}
