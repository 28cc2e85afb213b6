package samples

import (
	"math"
	"slices"

	"github.com/mithril-stream/mithril-stream/memory"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
)

// mostCompared is how many entries a record is compared with exactly: those of which the samples
// say the most.
const mostCompared = 16

// plausible is the least share of n hashes that may well be a sample of a share that is at least
// the threshold: two standard deviations below it.
func (p Params) plausible(n int) float64 {
	return p.Threshold - 2*math.Sqrt(p.Threshold*(1-p.Threshold)/float64(n))
}

// A candidate is an entry with what the samples say, as far as that may be enough.
type candidate struct {
	found // with the larger share
	shares
}

// bestOfSets is best of an index with sets.
func (x *Index) bestOfSets() (best found, isOne bool, err error) {
	x.alike = x.alike[:0]
	for _, s := range x.tally.list {
		if of := x.plausible(s); of != (shares{}) {
			x.alike = append(x.alike, candidate{larger(s.entry, of), of})
		}
	}
	slices.SortFunc(x.alike, func(a, b candidate) int { return a.before(b.found) })
	for _, c := range x.alike[:min(len(x.alike), mostCompared)] {
		exact, err := x.compare(c.entry, c.shares)
		if err != nil {
			return best, false, err
		}
		if c.in == 0 {
			exact.in = 0
		}
		if c.of == 0 {
			exact.of = 0
		}
		if f, is := x.judge(c.entry, exact); is && (!isOne || f.before(best) < 0) {
			best, isOne = f, true
		}
	}
	return best, isOne, nil
}

// plausible is the estimate of the shares of an entry, 0 where it is far from enough.
func (x *Index) plausible(s shared) shares {
	of, level := x.estimate(s, 1), max(x.own.Level, x.entries.level(s.entry))
	if of.in < x.params.plausible(x.rare[level]) {
		of.in = 0
	}
	if !x.params.Either || of.of < x.params.plausible(x.entries.rare(s.entry, level)) {
		of.of = 0
	}
	return of
}

// compare is what the sets say of an entry; what the samples say, if one of the texts has no set.
func (x *Index) compare(entry uint32, estimated shares) (shares, error) {
	at := x.entries.setAt(entry)
	if !x.own.IsSet || at.Len() == 0 {
		return estimated, nil
	}
	set, err := x.sets.Of(at)
	if err != nil {
		return estimated, err
	}
	both := float64(fracminhash.CommonOfSets(x.own.Hashes, set))
	return shares{in: both / float64(len(x.own.Hashes)), of: both / float64(len(set))}, nil
}

// setLog is where sets are written down: in the log, or in one that ends with the index.
func (x *Index) setLog(log *memory.Log) (*memory.Log, error) {
	if log != nil || !x.params.Sets {
		return log, nil
	}
	return x.sets.TemporaryLog(x.params.SpillDir)
}
