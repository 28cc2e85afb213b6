package samples

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// mostCompared is the number of entries that a record is compared with exactly: those with the
// largest shares by the samples.
const mostCompared = 16

// confirmed returns the entries that make the current record a duplicate by the samples, which
// ignore common hashes, and by the sets. It reuses alike.
func (x *Index) confirmed(alike []found) (confirmed []found, err error) {
	slices.SortFunc(alike, found.before)
	confirmed = alike[:0]
	for _, f := range alike[:min(len(alike), mostCompared)] {
		exact, known, err := x.compare(f.entry)
		if err != nil {
			return nil, err
		}
		least := x.params.Threshold
		if f.near {
			least = x.params.leastNear()
		}
		if known && f.contains {
			f.share = exact.of
		} else if known {
			f.share = exact.in
		}
		if f.share >= least && !(known && f.near && exact.of < least) {
			confirmed = append(confirmed, f)
		}
	}
	return confirmed, nil
}

// compare returns the exact shares of an entry. known is false if one of the texts has no set.
func (x *Index) compare(entry uint32) (exact shares, known bool, err error) {
	both, size, err := x.compareSets(entry)
	if err != nil || size == 0 {
		return exact, false, err
	}
	return shares{in: float64(both) / float64(len(x.own.Hashes)), of: float64(both) / float64(size)}, true, nil
}

// compareSets returns the number of hashes that the current record and an entry have in common, and
// that of the entry: 0 if one of the texts has no set.
func (x *Index) compareSets(entry uint32) (both, size int, err error) {
	at := x.entries.setAt(entry)
	if !x.own.IsSet || at.Len() == 0 {
		return 0, 0, nil
	}
	set, err := x.sets.Of(at, at.Len())
	if err != nil {
		return 0, 0, err
	}
	return fracminhash.CommonOfSets(x.own.Hashes, set), len(set), nil
}

// setLog returns the log that sets are written to: log, or a temporary one that ends with the
// index.
func (x *Index) setLog(log *memory.Log) *memory.Log {
	if log != nil || !x.params.hasSets() {
		return log
	}
	return x.sets.TemporaryLog(x.params.SpillDir)
}
