package samples

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// mostCompared is how many entries a record is compared with exactly: those of which the samples
// say the most.
const mostCompared = 16

// confirmed returns those of some entries that make the record at hand a duplicate both by the
// samples, which leave out what is common, and by the sets. They take the place of all.
func (x *Index) confirmed(alike []found) (confirmed []found, err error) {
	slices.SortFunc(alike, found.before)
	confirmed = alike[:0]
	for _, f := range alike[:min(len(alike), mostCompared)] {
		exact, known, err := x.compare(f.entry)
		if err != nil {
			return nil, err
		}
		if known && f.contains {
			f.share = exact.of
		} else if known {
			f.share = exact.in
		}
		if f.share >= x.params.Threshold {
			confirmed = append(confirmed, f)
		}
	}
	return confirmed, nil
}

// compare is what the sets say of an entry. It is not known if one of the texts has no set.
func (x *Index) compare(entry uint32) (exact shares, known bool, err error) {
	at := x.entries.setAt(entry)
	if !x.own.IsSet || at.Len() == 0 {
		return exact, false, nil
	}
	set, err := x.sets.Of(at)
	if err != nil {
		return exact, false, err
	}
	both := float64(fracminhash.CommonOfSets(x.own.Hashes, set))
	return shares{in: both / float64(len(x.own.Hashes)), of: both / float64(len(set))}, true, nil
}

// setLog is where sets are written down: in the log, or in one that ends with the index.
func (x *Index) setLog(log *memory.Log) (*memory.Log, error) {
	if log != nil || !x.params.hasSets() {
		return log, nil
	}
	return x.sets.TemporaryLog(x.params.SpillDir)
}
