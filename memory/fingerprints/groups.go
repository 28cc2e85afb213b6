package fingerprints

import (
	"errors"
	"iter"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/union"
)

// Groups joins records whose fingerprints are near each other: records are in one group if a chain
// of pairs, each within the distance, leads from one to the other. It finds all such pairs. It
// takes the memory of an Index, 8 bytes for each record, and those of each different fingerprint
// once more. It is not safe for concurrent use.
type Groups struct {
	params Params
	finder finder
	joined union.Groups
	items  []uint64 // the fingerprints of the entries
}

// NewGroups returns groups of no record.
func NewGroups(p Params) (*Groups, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if p.UnseenOnly {
		return nil, errors.New("groups need all records: leave UnseenOnly out")
	}
	return &Groups{params: p, finder: newFinder(p)}, nil
}

// Add adds a record, and joins it with those before it. The time grows with the number of those
// that are near it and have other fingerprints.
func (g *Groups) Add(fingerprint []uint64) error {
	if len(fingerprint) != g.params.Words() {
		return errSize
	}
	if g.joined.Records() >= math.MaxUint32-1 {
		return ErrFull
	}
	if same := g.finder.nearest(fingerprint, 0); same.Record > 0 {
		g.joined.AddTo(uint32(same.Record - 1))
		return nil
	}
	entry := g.joined.Add()
	g.finder.each(fingerprint, g.params.Distance, func(m Match) { g.joined.Join(entry, uint32(m.Record-1)) })
	g.items = append(g.items, fingerprint...)
	return g.finder.add(fingerprint, entry+1)
}

// Pass adds a record that has no fingerprint. It is in no group.
func (g *Groups) Pass() { g.joined.Pass() }

// All iterates over the groups of at least two records, in the order of their first records.
// Records of a group are numbers from 1, in their order. The slice is good until the next group.
func (g *Groups) All() iter.Seq[[]uint64] { return g.joined.All() }

// Distance is that of two records, numbered from 1. ok is false if one of them has no fingerprint.
func (g *Groups) Distance(a, b uint64) (distance int, ok bool) {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	if i == union.None || j == union.None {
		return 0, false
	}
	return g.params.distance(g.item(i), g.item(j)), true
}

func (g *Groups) item(entry uint32) []uint64 {
	words := g.params.Words()
	return g.items[int(entry)*words:][:words]
}

// Split cuts a group into smaller ones whose records are all near their first one, as union.Split
// does.
func (g *Groups) Split(records []uint64) [][]uint64 {
	return union.Split(records, func(leader, record uint64) bool {
		distance, ok := g.Distance(leader, record)
		return ok && distance <= g.params.Distance
	})
}

// Bytes is what the groups take.
func (g *Groups) Bytes() uint64 { return g.finder.bytes() + g.joined.Bytes() + 8*uint64(cap(g.items)) }

// Close gives the memory back. The groups cannot be used after it.
func (g *Groups) Close() error { return g.finder.release() }
