package signatures

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/dedup/union"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Groups finds all pairs of records that resemble each other, by sorting the keys of one band after
// the other, and joins them: records are in one group if a chain of such pairs leads from one to
// the other. It is not safe for concurrent use.
type Groups struct {
	params   Params
	agreeing int // slots that must agree
	padding  int // slots of a signature after its last one
	slotBits int
	masks    [][]bandMask // of the bands

	signatures column       // packed
	hashes     column       // 32 bits of each signature
	keys       []column     // 32 bits of the key of each entry, for each band
	blocks     [][]uint64   // the memory of a block of each column, while they are not in files
	spilled    bool         // they are
	leastRoom  uint64       // bytes for sorting, however little memory is allowed
	leastKept  uint64       // bytes for what is never in files, likewise
	joining    atomic.Int64 // the band at hand, from 1, for others to read

	joined  union.Groups // the records
	copies  []uint64     // a bit for each entry that has the signature of an earlier one
	earlier earlier      // of these
	packed  []uint64     // scratch
	read    recent       // signatures of the entries at hand
	sorters pairSorters
	sets    groupSets // of shingles, if they are compared
	stats   memory.Stats
	err     error // of Similarity
}

// NewGroups returns groups of no record.
func NewGroups(p Params) (*Groups, error) {
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	inMemory := p
	inMemory.MaxMemory = 0 // what an index needs at least is another matter
	if err := inMemory.Validate(); err != nil {
		return nil, err
	}
	if p.MaxMemory > 0 && p.MaxMemory < leastGroupsMemory {
		return nil, fmt.Errorf("max-memory must be at least %d bytes for groups, not %d", leastGroupsMemory,
			p.MaxMemory)
	}
	g := &Groups{
		params: p, agreeing: p.agreeing(), padding: p.padding(), slotBits: p.slotBits(), masks: p.masks(),
		signatures: column{size: wordBytes * p.signatureWords()}, hashes: column{size: keyBytes},
		keys: make([]column, p.Bands), leastRoom: 1 << 20,
		read: newRecent(mostCompared), sets: newGroupSets(),
	}
	for i := range g.keys {
		g.keys[i].size = keyBytes
	}
	return g, nil
}

const (
	keyBytes = 4

	// leastGroupsMemory is for buffers of files, and some room for sorting.
	leastGroupsMemory = 8 << 20

	// keptBytes is what a record takes that is never in a file: its entry, its parent, a bit, its
	// place in All; and what the caller is to keep of it, some eight bytes.
	keptBytes = 24
)

// ErrRoom says that the memory has no room for so many records, even if all that can be is in
// files.
var ErrRoom = errors.New("there is no room for so many records")

// CheckRoom returns ErrRoom if the memory that is allowed is too little for so many records.
func (g *Groups) CheckRoom(records uint64) error {
	room := max(g.leastKept, g.params.MaxMemory/2)
	if g.params.MaxMemory == 0 || keptBytes*records <= room {
		return nil
	}
	return fmt.Errorf("%w: max-memory must be at least %d bytes for %d", ErrRoom, 2*keptBytes*records, records)
}

// Add adds a record by its sketch, as sketch.Signed makes it, or with Params.Sets
// sketch.SignedSet.
func (g *Groups) Add(words []uint64) error {
	if err := g.params.check(words, 1); err != nil {
		return err
	}
	g.packed = g.Pack(g.packed[:0], words)
	return g.add(g.packed)
}

// add adds a record by what is kept of its sketch.
func (g *Groups) add(packed []uint64) error {
	if err := g.checkMore(); err != nil {
		return err
	}
	if err := g.grow(); err != nil {
		return err
	}
	keys, rest := packed[:g.params.packedKeys()], packed[g.params.packedKeys():]
	signature := bytesOf(rest[:g.params.signatureWords()])
	if err := g.signatures.add(signature); err != nil {
		return err
	}
	if err := g.hashes.addKey(hashOf(signature)); err != nil {
		return err
	}
	for i := range g.keys {
		if err := g.keys[i].addKey(uint32(keys[i/2] >> (i % 2 * 32))); err != nil { // of 128 bits, as good as any
			return err
		}
	}
	if g.params.Sets {
		if err := g.sets.add(rest[g.params.signatureWords()+1:], g.params.SpillDir); err != nil {
			return err
		}
	}
	g.joined.Add()
	return g.makeRoom()
}

// hashOf is what is compared first of signatures.
func hashOf(signature []byte) uint32 { return uint32(xxh3.Hash(signature) >> 32) }

// checkMore refuses one record more if that is too many.
func (g *Groups) checkMore() error {
	if g.joined.Records() >= math.MaxUint32-1 {
		return memory.ErrFull
	}
	return g.CheckRoom(uint64(g.joined.Records()) + 1)
}

// Pass adds a record that has no sketch. It is in no group.
func (g *Groups) Pass() { g.joined.Pass() }

// Find joins the records that were added. Only then All and Similarity say anything. It ends soon
// after ctx is done.
func (g *Groups) Find(ctx context.Context) error {
	for _, c := range append(g.columns(), g.earlier.columns()...) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if err := g.joinAll(ctx); err != nil {
		return err
	}
	return g.sorters.release()
}

func (g *Groups) joinAll(ctx context.Context) error {
	if err := g.joinCopies(ctx); err != nil {
		return err
	}
	g.joinSettled(false)
	return g.joinBands(ctx)
}

// Joining is the band whose records Find is joining, from 1; 0 before it begins. It may be called
// meanwhile.
func (g *Groups) Joining() (band, bands int) { return int(g.joining.Load()), len(g.keys) }

// All iterates over the groups of at least two records, in the order of their first records.
// Records of a group are numbers from 1, in their order. The slice is good until the next group.
func (g *Groups) All() iter.Seq[[]uint64] { return g.joined.All() }

// Similarity is how similar two records are, numbered from 1: their Jaccard similarity, estimated,
// or what their sets say. It is 0 if one of them has no sketch, or something cannot be read back;
// Close says so.
func (g *Groups) Similarity(a, b uint64) float32 {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	agree, ok := g.agreement(i, j)
	if !ok {
		return 0
	}
	similarity, err := g.similarityOf(i, j, agree)
	if err != nil {
		g.err = err
		return 0
	}
	return float32(similarity)
}

// Resemble reports whether two records are as similar as those that are joined.
func (g *Groups) Resemble(a, b uint64) bool {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	agree, ok := g.agreement(i, j)
	if !ok || !g.params.Sets {
		return ok && agree >= g.agreeing
	}
	alike, err := g.alikeBySets(i, j, agree)
	if err != nil {
		g.err = err
	}
	return alike
}

// agreement is in how many slots two entries agree; ok is false if one of them is none.
func (g *Groups) agreement(i, j uint32) (slots int, ok bool) {
	if i == union.None || j == union.None {
		return 0, false
	}
	g.read.forget(0)
	g.read.forget(1)
	x, err := g.signature(0, i)
	if err != nil {
		g.err = err
		return 0, false
	}
	y, err := g.signature(1, j)
	if err != nil {
		g.err = err
		return 0, false
	}
	return sketch.PackedAgreement(x, y, g.slotBits) - g.padding, true
}

// Stats says how many records there are, how many of them are copies, how many pairs were not
// compared for keys that too many records have, and what all of it takes.
func (g *Groups) Stats() memory.Stats {
	s := g.stats
	s.Records, s.Entries = uint64(g.joined.Records()), uint64(g.joined.Entries())-s.Copies
	for _, c := range append(g.columns(), g.earlier.columns()...) {
		bytes := uint64(c.count) * uint64(c.size)
		if c.file == nil {
			s.Bytes += bytes
		} else {
			s.FileBytes += bytes
		}
	}
	s.Bytes += g.joined.Bytes()
	s.FileBytes += g.sets.sets.LogBytes()
	return s
}

// Close gives the memory back. The groups cannot be used after it.
func (g *Groups) Close() error {
	errs := []error{g.err, g.sets.sets.Close(), g.release(), g.sorters.release()}
	for _, c := range append(g.columns(), g.earlier.columns()...) {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}
