package signatures

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/memory"
)

// Records that were grouped before are joined by what was found then. Of pairs with a later record
// none is left out, and the order in which pairs are compared changes no group: so the groups are
// the ones of a Find over all records.

var _ memory.Regrouping = (*Groups)(nil)

// settled is what was found of records before.
type settled struct {
	entries uint32
	joins   []memory.Join
	isAsked bool          // Joins is to say what is found
	found   []memory.Join // since
}

// packedKeys is how many words the keys of a sketch take, of 32 bits each.
func (p Params) packedKeys() int { return (p.Bands + 1) / 2 }

// Pack appends the halves of the keys that are compared, two in a word, and the rest of a sketch:
// the signature, and with Params.Sets the set.
func (g *Groups) Pack(dst, sketch []uint64) []uint64 {
	for i := 0; i < g.params.Bands; i += 2 {
		word := sketch[2*i+1] >> 32
		if i+1 < g.params.Bands {
			word |= sketch[2*i+3] >> 32 << 32
		}
		dst = append(dst, word)
	}
	return append(dst, sketch[2*g.params.Bands:]...)
}

// AddPacked implements memory.Regrouping.
func (g *Groups) AddPacked(packed []uint64) error {
	size := g.params.packedKeys() + g.params.signatureWords()
	if g.params.Sets && len(packed) > size {
		size += 1 + int(min(packed[size], uint64(len(packed))))
	} else if g.params.Sets {
		size++
	}
	if len(packed) != size {
		return memory.ErrSize
	}
	return g.add(packed)
}

// Settle implements memory.Regrouping.
func (g *Groups) Settle(joins []memory.Join) error {
	for _, j := range joins {
		if j.Earlier >= j.Later || int(j.Later) >= g.joined.Entries() {
			return fmt.Errorf("%w: record %d is joined with record %d, of %d", memory.ErrCorrupt, j.Later, j.Earlier,
				g.joined.Entries())
		}
	}
	g.settled = settled{entries: uint32(g.joined.Entries()), joins: joins, isAsked: true}
	return nil
}

// Joins implements memory.Regrouping.
func (g *Groups) Joins() []memory.Join {
	slices.SortFunc(g.settled.found, func(a, b memory.Join) int {
		return cmp.Or(cmp.Compare(a.Later, b.Later), cmp.Compare(a.Earlier, b.Earlier))
	})
	return g.settled.found
}

// join makes one group of two entries.
func (g *Groups) join(earlier, later uint32, isCopy bool) {
	g.joined.Join(earlier, later)
	if g.settled.isAsked {
		g.settled.found = append(g.settled.found, memory.Join{Later: later, Earlier: earlier, IsCopy: isCopy})
	}
}

// joinSettled joins what was found to be copies before, or else what was found to be similar.
func (g *Groups) joinSettled(areCopies bool) {
	for _, j := range g.settled.joins {
		if j.IsCopy != areCopies {
			continue
		}
		g.joined.Join(j.Earlier, j.Later)
		if areCopies {
			g.markCopy(j.Later)
		}
	}
}

func (g *Groups) markCopy(entry uint32) {
	g.copies[entry/64] |= 1 << (entry % 64)
	g.stats.Copies++
}

// freshKeys are the keys of the entries that are not settled: a bit for each value of their upper
// bits, so many that few other keys have one. Entries of other keys need not be sorted.
type freshKeys struct {
	bits  []uint64 // none if all entries are fresh
	shift int
}

// freshIn reads a column of keys.
func freshIn(ctx context.Context, keys *column, from int) (f freshKeys, err error) {
	if from == 0 {
		return f, nil
	}
	const perKey, fewest = 16, 12
	size := min(32, max(fewest, bits.Len(uint(perKey*(keys.count-from)))))
	f = freshKeys{bits: make([]uint64, 1<<size/64), shift: 32 - size}
	err = keys.scan(ctx, from, func(first int, items []byte) {
		for i := max(0, (from-first)*keyBytes); i < len(items); i += keyBytes {
			at := binary.LittleEndian.Uint32(items[i:]) >> f.shift
			f.bits[at/64] |= 1 << (at % 64)
		}
	})
	return f, err
}

// mayHave reports whether a fresh entry may have the key.
func (f *freshKeys) mayHave(key uint32) bool {
	at := key >> f.shift
	return f.bits == nil || f.bits[at/64]>>(at%64)&1 == 1
}
