package prefixes

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/packedset"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// A sketch consists of the number of elements, the words of the packed set, and, if IsBanded
// returns true for that number, band keys of 32 bits, two to a word.

// sizeOf returns the number of words of the first sketch according to its first word. There may be
// fewer. It returns 0 if there is no valid sketch.
func (p Params) sizeOf(sketches []uint64) int {
	if len(sketches) == 0 || sketches[0] > sketch.MaxSet {
		return 0
	}
	return 1 + p.wordsOf(int(sketches[0]))
}

// AppendSketch appends a sketch of a set: its hashes in ascending order, and the band keys if it is
// banded.
func (p Params) AppendSketch(dst, hashes []uint64, keys []uint32) []uint64 {
	dst = Form.Append(append(dst, uint64(len(hashes))), hashes)
	if !IsBanded(len(hashes)) {
		return dst
	}
	for i := 0; i < p.Bands; i += 2 {
		word := uint64(keys[i])
		if i+1 < p.Bands {
			word |= uint64(keys[i+1]) << 32
		}
		dst = append(dst, word)
	}
	return dst
}

// Confine combines the hashes and band keys of a sketch with a mask, which is a hash, so that the
// sketch resembles only sketches confined by the same mask. It replaces the contents of hashes, and
// returns the slice for reuse.
func (p Params) Confine(words, hashes []uint64, mask uint64) []uint64 {
	size := int(words[0])
	packed, bands := words[1:1+Form.Words(size)], words[1+Form.Words(size):]
	hashes, _ = unpack(hashes[:0], size, packed) // fails only for an invalid sketch
	for i := range hashes {
		hashes[i] ^= mask
	}
	slices.Sort(hashes)
	Form.Append(packed[:0], hashes)
	for i := range bands {
		own := mask&math.MaxUint32<<32 | mask&math.MaxUint32
		if i == len(bands)-1 && p.Bands%2 != 0 {
			own >>= 32 // the last word holds one key
		}
		bands[i] ^= own
	}
	return hashes
}

// current is the current record: a set, and what follows from it.
type current struct {
	size   int
	words  []uint64 // of its sketch, except the first
	packed []uint64 // the part of words that is the set
	hashes []uint64
	row    row
	mark   mark

	first   []element // of its prefix, and the next one
	keys    []key     // the first singles of them are single elements
	singles int
}

// unpack appends the hashes of a packed set.
func unpack(dst []uint64, size int, words []uint64) ([]uint64, error) {
	hashes, ok := Form.AppendHashes(dst, size, words[:Form.LeadingWords(size)])
	if !ok {
		return dst, fmt.Errorf("%w: a set cannot have %d elements", memory.ErrCorrupt, size)
	}
	Form.AddFurther(hashes[len(dst):], words[Form.LeadingWords(size):])
	return hashes, nil
}

// rangesOrder is the binary logarithm of the number of ranges of a row.
const rangesOrder = 7

// set makes the record of a sketch the current one.
func (c *current) set(words []uint64) (err error) {
	c.size = int(words[0])
	c.words = words[1:]
	c.packed = c.words[:Form.Words(c.size)]
	if c.hashes, err = unpack(c.hashes[:0], c.size, c.packed); err != nil {
		return err
	}
	c.row, c.mark = row{}, markOf(c.hashes)
	for _, h := range c.hashes {
		at := h >> (64 - rangesOrder)
		c.row.parities[at/64] ^= 1 << (at % 64)
	}
	return nil
}

// putKeys sets the keys of the current record, and reads where the search for each begins.
func (x *Index) putKeys() {
	c := &x.own
	c.keys, c.singles = c.keys[:0], 0
	if 0 < c.size && c.size <= mostShort {
		prefix := x.needs.prefix(c.size)
		c.first = x.order.sorted(c.first, c.hashes, prefix+1)
		c.keys, c.singles = x.order.appendKeys(c.keys, c.first, prefix, x.needs.tags[c.size])
	}
	if IsBanded(c.size) {
		bands := c.words[len(c.packed):]
		for i := range x.params.Bands {
			band := bands[i/2] >> (i % 2 * 32) & (1<<32 - 1)
			c.keys = append(c.keys, keyOf(band|uint64(i+1)<<32, anyTag))
		}
	}
	runtime.KeepAlive(x.tables.touch(c.keys))
}

// needs caches what follows from the sizes of sets.
type needs struct {
	params   Params
	prefixes [mostShort + 1]int
	tags     [mostShort + 1][]tag // by the place of an element in the prefix
	differ   [mostShort + 1]*differing
}

// A differing holds the maximum number of elements that are in only one of two similar sets, by the
// number of elements of the other set. It is -1 if their sizes are too different, and more than
// marks can differ if the maximum is unknown.
type differing [mostSize + 1]int8

// anyDiffering admits all sets as similar.
var anyDiffering = func() (d differing) {
	for size := range d {
		d[size] = math.MaxInt8
	}
	return d
}()

func newNeeds(p Params) (n needs) {
	n.params = p
	for size := 1; size <= mostShort; size++ {
		n.prefixes[size] = p.prefix(size)
		for place := range n.prefixes[size] {
			n.tags[size] = append(n.tags[size], tagOf(size, p.reach(size, place)))
		}
	}
	return n
}

// prefix returns the number of elements in the prefix of a short set.
func (n *needs) prefix(size int) int { return n.prefixes[size] }

// differing returns how many elements may differ between a set of the given size and another short
// one.
func (n *needs) differing(size int) *differing {
	if size == 0 || size > mostShort {
		return &anyDiffering
	}
	if n.differ[size] == nil {
		made := anyDiffering
		for m := range mostShort + 1 {
			made[m] = int8(n.compute(size, max(1, m)))
		}
		n.differ[size] = &made
	}
	return n.differ[size]
}

func (n *needs) compute(size, other int) int {
	common := n.params.commonOf(size, other)
	if common > min(size, other) {
		return -1
	}
	return min(math.MaxInt8, size+other-2*common)
}

// similarity returns the Jaccard similarity of the current set and that of an entry.
func (x *Index) similarity(entry uint32) (float64, error) {
	at := x.entries.placeOf(entry)
	size := at.Len()
	if size == 0 || x.own.size == 0 {
		return 0, nil
	}
	words, err := x.sets.Of(at, Form.Words(size))
	if err != nil {
		return 0, err
	}
	if size == x.own.size && slices.Equal(words, x.own.packed) {
		return 1, nil
	}
	if x.other, err = unpack(x.other[:0], size, words); err != nil {
		return 0, err
	}
	return packedset.Jaccard(x.own.size, size, Form.CommonExactly(x.own.hashes, x.other)), nil
}
