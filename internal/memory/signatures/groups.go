package signatures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/dedup/union"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// Groups finds all pairs of similar records by sorting the keys of one band after the other, and
// joins them: two records are in one group if a chain of similar pairs connects them. It is not
// safe for concurrent use.
type Groups struct {
	groupEntries
	leastKept uint64       // minimum bytes for what never moves to files
	joining   atomic.Int64 // the current band, from 1; read by other goroutines

	joined  union.Groups // groups of records
	copies  []uint64     // bit i is set if entry i has the signature of an earlier one
	cut     []uint64     // bit i is set if entry i was not compared with all that share a key; nil if no bit is set
	packed  []uint64     // scratch buffer
	sorters pairSorters
	stats   memory.Stats
	err     error // first error of Similarity
}

// groupEntries stores the entries of groups in columns, which may move to files, and compares them.
type groupEntries struct {
	rule
	signatures column     // packed signatures
	hashes     column     // 32 bits of the hash of each signature
	keys       []column   // for each band, 32 bits of the key of each entry
	blocks     [][]uint64 // memory of the columns while they are not in files
	spilled    bool       // columns are in files
	leastRoom  uint64     // minimum bytes for sorting, whatever MaxMemory is

	sets    groupSets // sets of shingles, if these are compared
	earlier earlier   // records of earlier days
	read    recent    // signatures of the entries being compared
}

func newGroupEntries(p Params) groupEntries {
	e := groupEntries{
		rule: newRule(p), signatures: column{size: wordBytes * p.signatureWords()}, hashes: column{size: keyBytes},
		keys: make([]column, p.Bands), read: newRecent(mostCompared), sets: newGroupSets(), leastRoom: 1 << 20,
	}
	for i := range e.keys {
		e.keys[i].size = keyBytes
	}
	return e
}

// NewGroups returns empty groups.
func NewGroups(p Params) (*Groups, error) {
	if p.UnseenOnly {
		return nil, memory.ErrUnseenOnly
	}
	inMemory := p
	inMemory.MaxMemory = 0 // an index has a minimum of its own
	if err := inMemory.Validate(); err != nil {
		return nil, err
	}
	if p.MaxMemory > 0 && p.MaxMemory < leastGroupsMemory {
		return nil, fmt.Errorf("max-memory must be at least %d bytes for groups, not %d", leastGroupsMemory,
			p.MaxMemory)
	}
	return &Groups{groupEntries: newGroupEntries(p)}, nil
}

const (
	keyBytes = 4

	// leastGroupsMemory covers file buffers and a minimum of space for sorting.
	leastGroupsMemory = 8 << 20

	// keptBytes is the memory of a record that never moves to a file: its entry, its parent, one
	// bit, its place in All, and some eight bytes that the caller keeps.
	keptBytes = 24
)

// PlanGroups estimates groups of that many records, all with different signatures. Without
// MaxMemory they take Memory; with LeastMemory as MaxMemory, Disk bytes are in files.
func PlanGroups(p Params, records uint64) (Plan, error) {
	p.MaxMemory = 0
	g, err := NewGroups(p)
	if err != nil {
		return Plan{}, err
	}
	sorting := uint64(len(g.sorters)) * 2 * pairBytes * records / partsOf(records, 0)
	row := uint64(g.entrySize())
	memory := (row+keptBytes)*records + sorting
	return Plan{
		BytesPerRecord: float64(memory) / float64(max(1, records)), Memory: memory, Peak: memory,
		LeastMemory: max(leastGroupsMemory, 2*keptBytes*records), Disk: row * records,
	}, g.Close()
}

// ErrRoom is returned if the memory is too small for that many records, even with everything
// possible in files.
var ErrRoom = errors.New("there is no room for so many records")

// CheckRoom returns ErrRoom if MaxMemory is too small for that many records.
func (g *Groups) CheckRoom(records uint64) error {
	room := max(g.leastKept, g.params.MaxMemory/2)
	if g.params.MaxMemory == 0 || keptBytes*records <= room {
		return nil
	}
	return fmt.Errorf("%w: max-memory must be at least %d bytes for %d", ErrRoom, 2*keptBytes*records, records)
}

// Add adds a record by its sketch, as returned by sketch.Signed, and with Params.Sets by
// sketch.SignedSet and PackSet.
func (g *Groups) Add(words []uint64) error {
	if err := g.checkSize(words, 1); err != nil {
		return err
	}
	g.packed = g.Pack(g.packed[:0], words)
	return g.add(g.packed)
}

// add adds a record by its packed sketch.
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
		if err := g.keys[i].addKey(uint32(keys[i/2] >> (i % 2 * 32))); err != nil {
			return err
		}
	}
	if g.params.Sets {
		if err := g.sets.add(rest[g.params.signatureWords():], g.params.SpillDir); err != nil {
			return err
		}
	}
	g.joined.Add()
	return g.spillFull()
}

// hashOf returns the hash by which signatures are compared first.
func hashOf(signature []byte) uint32 { return uint32(xxh3.Hash(signature) >> 32) }

// checkMore returns an error if the groups cannot take another record.
func (g *Groups) checkMore() error {
	if g.joined.Records() >= math.MaxUint32-1 {
		return memory.ErrFull
	}
	return g.CheckRoom(uint64(g.joined.Records()) + 1)
}

// Pass adds a record without a sketch, which is in no group.
func (g *Groups) Pass() { g.joined.Pass() }

// Find joins the records added so far. Call it before All and Similarity. It returns soon after ctx
// is done.
func (g *Groups) Find(ctx context.Context) error {
	for _, c := range append(g.columns(), g.earlier.columns()...) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	if err := g.joinCopies(ctx); err != nil {
		return err
	}
	g.joinSettled(false)
	if err := g.joinBands(ctx); err != nil {
		return err
	}
	return g.sorters.release()
}

// Joining returns the band that Find is working on, from 1, or 0 if it has not begun. It may be
// called while Find runs.
func (g *Groups) Joining() (band, bands int) { return int(g.joining.Load()), len(g.keys) }

// Cut returns the number of records that were compared only with the last mostCompared of those
// that share a key.
func (g *Groups) Cut() (records uint64) {
	for _, word := range g.cut {
		records += uint64(bits.OnesCount64(word))
	}
	return records
}

// noteCut notes that an entry was not compared with that many others.
func (g *Groups) noteCut(entry uint32, others int) {
	if others == 0 {
		return
	}
	if g.cut == nil {
		g.cut = make([]uint64, (g.joined.Entries()+63)/64)
	}
	g.cut[entry/64] |= 1 << (entry % 64)
	g.stats.Forgotten += uint64(others)
}

// All iterates over the groups of two or more records, ordered by their first record. A group lists
// record numbers, from 1, in ascending order. The slice is valid until the next iteration.
func (g *Groups) All() iter.Seq[[]uint64] { return g.joined.All() }

// Similarity returns the similarity of two records, numbered from 1: the estimated Jaccard
// similarity, or the exact one if sets are compared. It returns 0 if one of them has no sketch, or
// cannot be read back; in that case Close returns the error.
func (g *Groups) Similarity(a, b uint64) float32 {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	agree, ok, err := g.agreement(i, j)
	if !ok {
		g.err = cmp.Or(err, g.err)
		return 0
	}
	similarity, err := g.similarityOf(i, j, agree)
	if err != nil {
		g.err = err
		return 0
	}
	return float32(similarity)
}

// Resemble reports whether two records are similar enough to be joined directly.
func (g *Groups) Resemble(a, b uint64) bool {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	agree, ok, err := g.agreement(i, j)
	if !ok || !g.params.Sets {
		g.err = cmp.Or(err, g.err)
		return ok && agree >= g.agreeing
	}
	alike, err := g.similarBySets(i, j, agree)
	g.err = cmp.Or(err, g.err)
	return alike
}

// agreement returns the number of slots in which two entries agree. ok is false if one of them does
// not exist, or cannot be read.
func (g *groupEntries) agreement(i, j uint32) (slots int, ok bool, err error) {
	if i == union.None || j == union.None {
		return 0, false, nil
	}
	g.read.forget(0)
	g.read.forget(1)
	x, err := g.signature(0, i)
	if err != nil {
		return 0, false, err
	}
	y, err := g.signature(1, j)
	if err != nil {
		return 0, false, err
	}
	return sketch.PackedAgreement(x, y, g.slotBits) - g.padding, true, nil
}

// Stats returns the numbers of records, of copies and of pairs that were not compared because too
// many records share a key, and the memory in use.
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

// Close frees the memory. The groups must not be used afterwards.
func (g *Groups) Close() error {
	errs := []error{g.err, g.sets.sets.Close(), g.release(), g.sorters.release()}
	for _, c := range append(g.columns(), g.earlier.columns()...) {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}
