package signatures

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/mithril-stream/mithril-stream/dedup/union"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Records that were grouped before are joined again as recorded then. All pairs with a later record
// are compared, and the order of comparisons does not change the groups. So the groups equal those
// of one Find over all records.

// earlier holds the records that precede the added ones. Most of them are only counted. A pair is
// kept for each key that an added record may share, and the rest of a record is read again when it
// is needed.
type earlier struct {
	of      memory.Packed
	entries uint32   // number of those with a sketch
	pairs   []column // for the hashes of signatures, and for each band
	spilled bool     // pairs are in files
	packed  []uint64 // scratch buffer

	joins   []memory.Join // of earlier records
	isAsked bool          // whether Joins has to return what Find joins
	found   []memory.Join // joins since Settle
}

// Pack implements memory.Groups.
func (g *groupEntries) Pack(dst, sketch []uint64) []uint64 { return g.params.Pack(dst, sketch) }

// AddPacked implements memory.Groups.
func (g *Groups) AddPacked(packed []uint64) error {
	if len(packed) == 0 {
		g.Pass()
		return nil
	}
	if err := g.checkPacked(packed); err != nil {
		return err
	}
	return g.add(packed)
}

func (g *groupEntries) checkPacked(packed []uint64) error {
	size := g.params.PackedWords()
	switch {
	case !g.params.Sets:
	case len(packed) <= size || packed[size] > sketch.MaxSet:
		return memory.ErrSize
	default:
		size += 1 + g.params.SetForm().Words(int(packed[size]))
	}
	if len(packed) != size {
		return memory.ErrSize
	}
	return nil
}

// Follow implements memory.Groups.
func (g *Groups) Follow(earlier memory.Packed, _ func(do func(packed []uint64) error) error) error {
	e := &g.earlier
	e.of, e.isAsked, e.pairs = earlier, true, make([]column, 1+len(g.keys))
	for i := range e.pairs {
		e.pairs[i].size = pairBytes
	}
	fresh, err := g.fresh()
	if err != nil {
		return err
	}
	added := g.joined
	g.joined = union.Groups{}
	g.joined.Grow(earlier.Records() + added.Records())
	err = earlier.Each(func(packed []uint64) error {
		if len(packed) == 0 {
			g.joined.Pass()
			return nil
		}
		return g.addEarlier(packed, fresh)
	})
	if err != nil {
		return err
	}
	e.entries = uint32(g.joined.Entries())
	return g.addAgain(&added)
}

// addEarlier adds an earlier record.
func (g *Groups) addEarlier(packed []uint64, fresh *freshKeys) error {
	if err := g.checkPacked(packed); err != nil {
		return fmt.Errorf("%w: %w", memory.ErrCorrupt, err)
	}
	if err := g.checkMore(); err != nil {
		return err
	}
	entry := g.joined.Add()
	keys, rest := packed[:g.params.packedKeys()], packed[g.params.packedKeys():]
	if hash := hashOf(bytesOf(rest[:g.params.signatureWords()])); fresh.mayHave(0, hash) {
		if err := g.addPair(0, hash, entry); err != nil {
			return err
		}
	}
	for i := range g.keys {
		if key := uint32(keys[i/2] >> (i % 2 * 32)); fresh.mayHave(i+1, key) {
			if err := g.addPair(i+1, key, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// addPair stores a key of an earlier record that an added record may share.
func (g *groupEntries) addPair(column int, key, entry uint32) error {
	c := &g.earlier.pairs[column]
	if c.file == nil && c.count == len(c.blocks)*itemsPerBlock {
		if g.params.MaxMemory > 0 && !g.earlier.spilled && !g.hasRoom(g.signatures.count) {
			g.earlier.spilled = true
			for i := range g.earlier.pairs {
				if err := g.earlier.pairs[i].spill(g.params.SpillDir); err != nil {
					return err
				}
			}
		} else {
			c.blocks = append(c.blocks, make([]byte, itemsPerBlock*pairBytes))
		}
	}
	var item [pairBytes]byte
	binary.LittleEndian.PutUint64(item[:], pairOf(key, entry))
	return c.add(item[:])
}

// addAgain adds the added records again, after the earlier ones.
func (g *Groups) addAgain(added *union.Groups) error {
	for record := range uint64(added.Records()) {
		if err := g.checkMore(); err != nil {
			return err
		}
		if added.EntryOf(record+1) == union.None {
			g.joined.Pass()
		} else {
			g.joined.Add()
		}
	}
	return nil
}

// earlierAt returns the packed form of an earlier record. The slice is valid until the next call.
func (g *groupEntries) earlierAt(entry uint32) (packed []uint64, err error) {
	e := &g.earlier
	if e.packed, err = e.of.At(e.packed[:0], entry); err != nil {
		return nil, err
	}
	if err := g.checkPacked(e.packed); err != nil {
		return nil, fmt.Errorf("%w: %w", memory.ErrCorrupt, err)
	}
	return e.packed, nil
}

func (e *earlier) hashes() []column {
	if e.pairs == nil {
		return nil
	}
	return e.pairs[:1]
}

func (e *earlier) keys() []column {
	if e.pairs == nil {
		return nil
	}
	return e.pairs[1:]
}

func (e *earlier) columns() (all []*column) {
	for i := range e.pairs {
		all = append(all, &e.pairs[i])
	}
	return all
}

// Settle implements memory.Groups.
func (g *Groups) Settle(joins []memory.Join) error {
	for _, j := range joins {
		if j.Earlier >= j.Later || j.Later >= g.earlier.entries {
			return fmt.Errorf("%w: record %d is joined with record %d, of %d", memory.ErrCorrupt, j.Later, j.Earlier,
				g.earlier.entries)
		}
	}
	g.earlier.joins = joins
	return nil
}

// Joins implements memory.Groups.
func (g *Groups) Joins() []memory.Join {
	slices.SortFunc(g.earlier.found, func(a, b memory.Join) int {
		return cmp.Or(cmp.Compare(a.Later, b.Later), cmp.Compare(a.Earlier, b.Earlier))
	})
	return g.earlier.found
}

// join joins the groups of two entries.
func (g *Groups) join(earlier, later uint32, isCopy bool) {
	g.joined.Join(earlier, later)
	if g.earlier.isAsked {
		g.earlier.found = append(g.earlier.found, memory.Join{Later: later, Earlier: earlier, IsCopy: isCopy})
	}
}

// joinSettled joins the earlier records that were found to be copies before, or those that were
// found to be similar.
func (g *Groups) joinSettled(areCopies bool) {
	for _, j := range g.earlier.joins {
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

// freshKeys is a filter over the hashes and keys of the added entries: a bit for each value of
// their upper bits, with enough bits that few other keys match. Earlier entries whose keys do not
// match need not be sorted.
type freshKeys struct {
	bits  []uint64
	size  int // words of each filter
	shift int
}

// fresh builds the filter from the columns of the added entries.
func (g *groupEntries) fresh() (*freshKeys, error) {
	const perKey, fewest = 8, 12
	size := min(32, max(fewest, bits.Len(uint(perKey*g.hashes.count))))
	f := &freshKeys{size: 1 << size / 64, shift: 32 - size}
	f.bits = make([]uint64, f.size*(1+len(g.keys)))
	if err := f.read(&g.hashes, 0); err != nil {
		return nil, err
	}
	for i := range g.keys {
		if err := f.read(&g.keys[i], i+1); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *freshKeys) read(keys *column, number int) error {
	if err := keys.flush(); err != nil {
		return err
	}
	own := f.bits[number*f.size : (number+1)*f.size]
	return keys.scan(context.Background(), func(_ int, items []byte) {
		for i := 0; i < len(items); i += keyBytes {
			at := binary.LittleEndian.Uint32(items[i:]) >> f.shift
			own[at/64] |= 1 << (at % 64)
		}
	})
}

// mayHave reports whether an added entry may have the key.
func (f *freshKeys) mayHave(number int, key uint32) bool {
	at := key >> (f.shift & 31)
	return f.bits[number*f.size+int(at/64)]>>(at%64)&1 == 1
}
