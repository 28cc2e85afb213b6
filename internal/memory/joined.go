package memory

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/mithril-stream/mithril-stream/dedup/union"
	_ "github.com/mithril-stream/mithril-stream/internal/needsunix64"
	"github.com/mithril-stream/mithril-stream/internal/offheap"
)

// Neighbours finds the entries near a sketch. Joined uses it.
type Neighbours interface {
	// FindIdentical makes sketch the current one and returns the entry that is identical to it, if
	// any.
	FindIdentical(sketch []uint64) (entry uint32, found bool, err error)
	// EachNear calls do for every entry that resembles the current sketch, in any order. It may
	// leave out entries that isKnown says are already in the record's group.
	EachNear(do func(entry uint32), isKnown func(entry uint32) bool)
	// Add adds the current sketch as an entry.
	Add(entry uint32) error
	// Cut returns for how many sketches EachNear did not compare all candidates.
	Cut() uint64

	// Similarity returns the similarity of two sketches, and whether they resemble each other.
	Similarity(earlier, later []uint64) (similarity float64, resemble bool)
	Close() error
}

// Joined implements Groups by joining each record, as it is added, with the earlier records near
// it. It uses the memory of an index of these records, 8 bytes for each record, and a second copy
// of each distinct sketch. Adding a record takes time in proportion to its near but not identical
// neighbours. It is not safe for concurrent use.
type Joined struct {
	near     Neighbours
	words    int // words of a sketch; 0 if sketches differ in size
	joined   union.Groups
	sketches []uint64 // sketches of the entries, outside the Go heap, with spare capacity
	used     int      // words of sketches in use
	ends     []int    // where each sketch ends, if sketches differ in size
}

var _ Groups = (*Joined)(nil)

// NewJoined returns empty groups of sketches with the given number of words; 0 if it varies.
func NewJoined(near Neighbours, words int) *Joined { return &Joined{near: near, words: words} }

// Add adds a record and joins it with its neighbours among the earlier ones.
func (g *Joined) Add(sketch []uint64) error {
	if g.joined.Records() >= math.MaxUint32-1 {
		return fmt.Errorf("%w: groups can have 4,294,967,294 records", ErrFull)
	}
	same, found, err := g.near.FindIdentical(sketch)
	if err != nil {
		return err
	}
	if found {
		g.joined.AddTo(same)
		return nil
	}
	entry := g.joined.Add()
	g.near.EachNear(
		func(earlier uint32) { g.joined.Join(entry, earlier) },
		func(earlier uint32) bool { return g.joined.Root(entry) == g.joined.Root(earlier) })
	if err := g.keep(sketch); err != nil {
		return err
	}
	return g.near.Add(entry)
}

// keep stores the sketch of the newest entry. Memory that is allocated in advance costs nothing
// until it is written.
func (g *Joined) keep(sketch []uint64) error {
	if needed := g.used + len(sketch); needed > len(g.sketches) {
		larger, err := grown(g.sketches, uint64(needed))
		if err != nil {
			return err
		}
		g.sketches = larger
	}
	g.used += copy(g.sketches[g.used:], sketch)
	if g.words == 0 {
		g.ends = append(g.ends, g.used)
	}
	return nil
}

// grown returns words with capacity for at least needed words. If it fails, words is still valid.
func grown(words []uint64, needed uint64) ([]uint64, error) {
	if words == nil {
		return offheap.Allocate(max(firstSketches, needed))
	}
	return offheap.Grow(words, offheap.RoundToPages(2*needed))
}

// firstSketches is the initial capacity for sketches, in words.
const firstSketches = 1 << 12

// Pass implements Groups.
func (g *Joined) Pass() { g.joined.Pass() }

// Find implements Groups. All joins were made by Add.
func (g *Joined) Find(ctx context.Context) error { return ctx.Err() }

// Joining implements Groups. There are no bands.
func (g *Joined) Joining() (band, bands int) { return 0, 0 }

// Cut implements Groups.
func (g *Joined) Cut() uint64 { return g.near.Cut() }

// All implements Groups.
func (g *Joined) All() iter.Seq[[]uint64] { return g.joined.All() }

// Similarity implements Groups.
func (g *Joined) Similarity(a, b uint64) float32 {
	similarity, _ := g.compare(a, b)
	return float32(max(0, similarity))
}

// Resemble implements Groups.
func (g *Joined) Resemble(a, b uint64) bool {
	_, resemble := g.compare(a, b)
	return resemble
}

func (g *Joined) compare(a, b uint64) (similarity float64, resemble bool) {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	if i == union.None || j == union.None {
		return 0, false
	}
	return g.near.Similarity(g.sketch(min(i, j)), g.sketch(max(i, j)))
}

func (g *Joined) sketch(entry uint32) []uint64 {
	if g.words > 0 {
		return g.sketches[int(entry)*g.words:][:g.words]
	}
	start := 0
	if entry > 0 {
		start = g.ends[entry-1]
	}
	return g.sketches[start:g.ends[entry]]
}

// Split implements Groups.
func (g *Joined) Split(records []uint64) ([][]uint64, error) {
	return union.Split(records, func(leader, record uint64) bool {
		_, resemble := g.compare(leader, record)
		return resemble
	}), nil
}

// Close implements Groups.
func (g *Joined) Close() error {
	err := g.near.Close()
	if g.sketches != nil {
		err = errors.Join(err, offheap.Release(g.sketches))
	}
	*g = Joined{near: g.near}
	return err
}
