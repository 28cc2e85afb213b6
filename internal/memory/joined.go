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

// Neighbours finds the entries that are near a sketch, for Joined.
type Neighbours interface {
	// Same makes a sketch the one at hand, and returns the entry that is the same, if there is one.
	Same(sketch []uint64) (entry uint32, found bool, err error)
	// EachNear hands over all entries that the sketch at hand resembles, in any order.
	EachNear(do func(entry uint32))
	// Add makes an entry of the sketch at hand.
	Add(entry uint32) error

	// Similarity is how similar the sketches of two entries are, and whether they resemble each
	// other.
	Similarity(earlier, later []uint64) (similarity float64, resemble bool)
	// Bytes is what the entries take.
	Bytes() uint64
	Close() error
}

// Joined joins records when they are added, with those before them that are near. It takes the
// memory of an index of these, 8 bytes for each record, and each different sketch once more. The
// time to add a record grows with the number of those near it that are not the same. It is not safe
// for concurrent use.
type Joined struct {
	near     Neighbours
	words    int // of a sketch, or 0 if they differ in that
	joined   union.Groups
	sketches []uint64 // of the entries, and room for more, outside of the Go heap
	used     int      // words of these
	ends     []int    // of sketches, if they differ in length
}

var _ Groups = (*Joined)(nil)

// NewJoined returns groups of no record, whose sketches have so many words; 0 if some have more
// than others.
func NewJoined(near Neighbours, words int) *Joined { return &Joined{near: near, words: words} }

// Add adds a record, and joins it with those before it.
func (g *Joined) Add(sketch []uint64) error {
	if g.joined.Records() >= math.MaxUint32-1 {
		return fmt.Errorf("%w: groups can have 4,294,967,294 records", ErrFull)
	}
	same, found, err := g.near.Same(sketch)
	if err != nil {
		return err
	}
	if found {
		g.joined.AddTo(same)
		return nil
	}
	entry := g.joined.Add()
	g.near.EachNear(func(earlier uint32) { g.joined.Join(entry, earlier) })
	if err := g.keep(sketch); err != nil {
		return err
	}
	return g.near.Add(entry)
}

// keep keeps the sketch of the last entry. What is made room for is no memory before it is used.
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

// grown has room for so many words. After an error the words are there as before.
func grown(words []uint64, needed uint64) ([]uint64, error) {
	if words == nil {
		return offheap.Allocate(max(firstSketches, needed))
	}
	return offheap.Grow(words, offheap.Whole(2*needed))
}

// firstSketches is how many words there is room for at first.
const firstSketches = 1 << 12

// Pass implements Groups.
func (g *Joined) Pass() { g.joined.Pass() }

// Find has nothing to do.
func (g *Joined) Find(ctx context.Context) error { return ctx.Err() }

// Joining is none.
func (g *Joined) Joining() (band, bands int) { return 0, 0 }

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

// Bytes is what the groups take.
func (g *Joined) Bytes() uint64 {
	return g.near.Bytes() + g.joined.Bytes() + 8*uint64(g.used+cap(g.ends))
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
