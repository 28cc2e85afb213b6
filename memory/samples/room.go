package samples

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/postings"
	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// PeakBytes is what an index takes, while it grows, for so many entries of texts that are not long:
// of fewer than 2·fracminhash.Least·Scale shingles.
func (p Params) PeakBytes(entries uint64) uint64 {
	row := float64(wordBytes * p.rowWords())
	growing := postings.Dense.PeakOf() - postings.Dense.BytesOf()     // of a posting, in one table at a time
	arena := float64(wordBytes * ((p.sampling().MaxLevel() + 1) / 2)) // at most, of the weights of lower levels
	if p.Beside == fracminhash.Finer {
		arena += wordBytes * usualFinerWords
	}
	all := usual*postings.Dense.MeanOf() + postings.Dense.BytesOf()
	return uint64(float64(entries) * (all + growing*usual/tables + row + arena))
}

// hasRoom is ErrFull if the index would take more than Params.MaxMemory with the record at hand,
// also while tables grow for it.
func (x *Index) hasRoom() error {
	if x.params.MaxMemory == 0 {
		return nil
	}
	var more [tables]int
	for _, h := range x.sample {
		more[tableNumber(h)]++
	}
	all, beside := x.whole.With(1)
	for i := range x.tables {
		after, growing := x.tables[i].With(more[i])
		all, beside = all+after, max(beside, growing)
	}
	if all += beside + x.entries.bytesWithOneMore(x.own.Level, x.finer); all <= x.params.MaxMemory {
		return nil
	}
	return fmt.Errorf("%w: the samples of %d records take the %d bytes that they may take: give more memory, or take "+
		"smaller samples (a larger scale)", memory.ErrFull, x.entries.count, x.params.MaxMemory)
}
