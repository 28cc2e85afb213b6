package vectors

import (
	"errors"
	"iter"
	"math"

	"github.com/mithril-stream/mithril-stream/internal/union"
)

// Groups joins records whose vectors are near each other: records are in one group if a chain of
// pairs, each with a cosine of at least the threshold, leads from one to the other. Pairs are
// looked for as in an Index. It takes the memory of an Index, 8 bytes for each record, and the rows
// once more. It is not safe for concurrent use.
type Groups struct {
	index  *Index // of the entries
	joined union.Groups
	rows   []uint64 // of the entries
}

// NewGroups returns groups of no record.
func NewGroups(p Params) (*Groups, error) {
	if p.UnseenOnly {
		return nil, errors.New("groups need all records: leave UnseenOnly out")
	}
	x, err := New(p)
	if err != nil {
		return nil, err
	}
	return &Groups{index: x}, nil
}

var errFull = errors.New("groups are full: they can have 4,294,967,294 records")

// Add adds a record, and joins it with those before it.
func (g *Groups) Add(row []uint64) error {
	if g.joined.Records() >= math.MaxUint32-1 {
		return errFull
	}
	best, err := g.index.ask(row, 0, 1)
	if err != nil {
		return err
	}
	if best.cosine == 1 {
		g.joined.AddTo(uint32(best.record - 1))
		return nil
	}
	entry := g.joined.Add()
	if best.record > 0 {
		g.index.each(g.index.params.Threshold, func(f found) { g.joined.Join(entry, uint32(f.record-1)) })
	}
	g.rows = append(g.rows, row...)
	return g.index.remember(uint64(entry)+1, int(g.index.nearest[0].list))
}

// Pass adds a record that has no vector. It is in no group.
func (g *Groups) Pass() { g.joined.Pass() }

// All iterates over the groups of at least two records, in the order of their first records.
// Records of a group are numbers from 1, in their order. The slice is good until the next group.
func (g *Groups) All() iter.Seq[[]uint64] { return g.joined.All() }

// Similarity is the cosine of the vectors of two records, numbered from 1. It is 0 if one of them
// has none.
func (g *Groups) Similarity(a, b uint64) float32 {
	i, j := g.joined.EntryOf(a), g.joined.EntryOf(b)
	if i == union.None || j == union.None {
		return 0
	}
	return float32(g.cosine(i, j))
}

func (g *Groups) cosine(i, j uint32) float64 { return Cosine(g.row(i), g.row(j)) }

func (g *Groups) row(entry uint32) []uint64 {
	size := g.index.bytes / 8
	return g.rows[int(entry)*size:][:size]
}

// Split cuts a group into smaller ones whose records are all near their first one, as union.Split
// does.
func (g *Groups) Split(records []uint64) [][]uint64 {
	return union.Split(records, func(leader, record uint64) bool {
		return g.cosine(g.joined.EntryOf(leader), g.joined.EntryOf(record)) >= g.index.params.Threshold
	})
}

// Bytes is what the groups take.
func (g *Groups) Bytes() uint64 {
	return g.index.Stats().Bytes + g.joined.Bytes() + 8*uint64(cap(g.rows))
}
