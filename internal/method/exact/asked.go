package exact

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Query returns the verdict about a record without remembering it.
func (m *Memory) Query(words []uint64) (stream.Verdict, error) {
	if m.HasTurned() {
		return m.after.query(words)
	}
	var match [1]memory.Match
	err := m.Against.Query(words, match[:])
	if err == nil && !m.ReadOnly {
		err = m.Index.Query(words, match[:])
	}
	return VerdictOf(match[0]), err
}

// query returns the verdict of the filters.
func (a *afterLimit) query(words []uint64) (stream.Verdict, error) {
	packed := words[len(words)-sketch.PackedWords(a.rule.NumPerm, 8):]
	a.keys = sketch.AppendPackedKeys(a.keys[:0], packed, a.rule.Bands, a.rule.Rows)
	votes, err := a.filters.VotesOf(a.keys)
	a.keys = a.keys[:0]
	return stream.Verdict{Duplicate: votes >= a.rule.Votes, Votes: uint16(votes)}, err
}

// AppendDuplicates appends to dst all records, of all memories, that make the record of a sketch a
// duplicate, the most similar first. If tables list only some of the records, it scans all of them.
// It works for signatures and samples only.
func (m *Memory) AppendDuplicates(dst []memory.Match, words []uint64) ([]memory.Match, error) {
	m.compareAll(true)
	defer m.compareAll(false)
	return m.appendOfAll(dst, func(dst []memory.Match, of memory.Searcher) ([]memory.Match, error) {
		return memory.AppendDuplicates(of, dst, words)
	})
}

// appendOfAll appends to dst what find appends for each memory, the most similar first.
func (m *Memory) appendOfAll(
	dst []memory.Match, find func(dst []memory.Match, of memory.Searcher) ([]memory.Match, error),
) (_ []memory.Match, err error) {
	first := len(dst)
	for i, other := range m.Against {
		start := len(dst)
		if dst, err = find(dst, other.Searcher); err != nil {
			return dst, err
		}
		for j := range dst[start:] {
			dst[start+j].Memory = uint8(i + 1)
		}
	}
	if !m.ReadOnly {
		dst, err = find(dst, m.Index)
	}
	slices.SortStableFunc(dst[first:], func(a, b memory.Match) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return dst, err
}

// NearestOfAll appends to dst the k records most similar to a sketch, of all memories. It also
// looks at records whose keys are so common that a verdict would skip them.
func (m *Memory) NearestOfAll(dst []memory.Match, words []uint64, k int) ([]memory.Match, error) {
	m.compareAll(true)
	defer m.compareAll(false)
	first := len(dst)
	dst, err := m.appendOfAll(dst, func(dst []memory.Match, of memory.Searcher) ([]memory.Match, error) {
		return of.Near(dst, words, k)
	})
	return dst[:min(len(dst), first+max(k, 0))], err
}

func (m *Memory) compareAll(all bool) {
	for _, other := range m.Against {
		memory.CompareAll(other.Searcher, all)
	}
	memory.CompareAll(m.Index, all)
}

// KnowsOriginals returns an error if the originals of duplicates are unknown: for a nil memory, and
// for one that has reached its limit and forgotten its names.
func (m *Memory) KnowsOriginals() error {
	switch {
	case m == nil:
		return errors.New("originals are not known to Bloom filters: use --memory exact")
	case m.HasTurned():
		return fmt.Errorf("originals are not known any more: --max-memory was reached, and Bloom filters judge from "+
			"record %d on", m.TurnedAt())
	}
	return nil
}
