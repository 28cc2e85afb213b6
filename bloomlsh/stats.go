package bloomlsh

import (
	"slices"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// sampleLines is the number of lines of a generation that Stats samples: enough for an estimate
// within 1 %, and few enough to call Stats twice a second.
const sampleLines = 1 << 16

// Stats describes the present state of an index. Its false-positive rates are the probability,
// according to the error model, that a record is called a duplicate although none of its keys was
// inserted.
type Stats struct {
	Observed         uint64 // records given to Observe
	Duplicates       uint64 // of these, called duplicates
	Inserted         uint64 // records whose keys the index holds
	Forgotten        int    // dropped generations (Params.KeepGenerations)
	Cardinality      uint64 // estimate of distinct records from the set bits; counts one in two generations twice
	Bytes            uint64 // of all filters
	Stored           uint64 // of these, only on disk (Params.Memory)
	Bands, Votes     int
	FPRate           float64
	FPRateAtCapacity float64 // FPRate once the current generation is full
	FPRateOneShort   float64 // FPRate of a record that lacks only one vote; with one vote, that is FPRate
	BandRate         float64 // how often the filters of one band err
	Generations      []GenerationStats
}

// GenerationStats describes one generation of an index, as if it were alone.
type GenerationStats struct {
	Capacity         uint64
	Inserted         uint64
	Bits             uint64 // of all bands
	Probes           int    // lines (paged) or hash functions (classic) per key
	Since            int64  // start of its window, in seconds, if Params.ForgetAfter is set
	Fill             float64
	FPRate           float64
	FPRateAtCapacity float64
}

// counts holds the counts of the records that an index has observed.
type counts struct {
	observed   uint64
	duplicates uint64
	byVotes    []uint64 // since the index was opened
	enters     bool     // the record is entered whatever its votes, which are not counted
}

// add counts n records with the same number of votes.
func (c *counts) add(votes int, n uint64, duplicates bool) {
	if c.enters {
		return
	}
	c.observed += n
	c.byVotes[votes] += n
	if duplicates {
		c.duplicates += n
	}
}

// Stats returns exact counts, and estimates of fill and cardinality from a sample of the filters.
// It takes a few milliseconds for an index of any size.
func (x *Index) Stats() Stats {
	p := x.params
	s := Stats{Observed: x.observed, Duplicates: x.duplicates, Bands: p.Bands, Votes: p.Votes,
		Forgotten: x.forgotten, Stored: x.storedBytes()}
	cardinality := 0.0
	var now, atCapacity float64 // for a band, over all generations
	for _, g := range x.generations {
		fill, records := g.sample(sampleLines)
		rate, rateAtCapacity := g.bandRate(float64(g.inserted)), g.bandRate(float64(g.capacity))
		s.Inserted += g.inserted
		s.Bytes += g.bytes()
		s.Generations = append(s.Generations, GenerationStats{
			Capacity: g.capacity, Inserted: g.inserted, Bits: g.bytes() * 8, Probes: g.probes, Fill: fill,
			Since: x.beginOf(g), FPRate: p.wrongRate(rate), FPRateAtCapacity: p.wrongRate(rateAtCapacity),
		})
		cardinality += records
		now, atCapacity = lsh.Either(now, rate), lsh.Either(atCapacity, rateAtCapacity)
	}
	s.Cardinality = uint64(cardinality + 0.5)
	s.BandRate, s.FPRate, s.FPRateAtCapacity = now, p.wrongRate(now), p.wrongRate(atCapacity)
	s.FPRateOneShort = p.wrongRateWith(p.Votes-1, now)
	return s
}

// ByVotes returns how many votes make a duplicate, the number of records observed since the index
// was opened by their votes, and how many records, not counting copies, have joined the largest
// group. The last is known only for a tagged index.
func (x *Index) ByVotes() (needed int, records []uint64, largest uint64) {
	if x.groups != nil {
		largest = slices.Max(x.groups.joined)
	}
	return x.params.Votes, slices.Clone(x.byVotes), largest
}

// ByVotes calls Index.ByVotes.
func (s *Store) ByVotes() (needed int, records []uint64, largest uint64) { return s.index.ByVotes() }

// ExpectedFalseRemovals returns how many of a run's records the filters are expected to call
// duplicates if all of them are unseen. It is the sum of the false-positive rates that the records
// meet, over all generations that the run opens. An index that may not grow stops the run at its
// capacity, so records beyond that do not count.
func ExpectedFalseRemovals(p Params, records uint64) float64 {
	p = p.complete()
	if p.doubles() {
		return expectedOfDoubling(p, records)
	}
	expected, older := 0.0, 0.0
	left := float64(records)
	for i := 0; left > 0; i++ {
		g := planGeneration(p, i)
		n := min(left, float64(g.capacity))
		falsely := n * integrate(0, 1, func(share float64) float64 {
			return p.wrongRate(lsh.Either(older, g.bandRate(share*n)))
		})
		if p.forgets() && i == p.KeepGenerations-1 {
			return expected + falsely*left/n // from now on each generation replaces another
		}
		expected += falsely
		older = lsh.Either(older, g.bandRate(float64(g.capacity)))
		left -= n
		if p.OnFull == OnFullRefuse {
			break
		}
	}
	return expected
}

// expectedOfDoubling is ExpectedFalseRemovals for a table that doubles.
func expectedOfDoubling(p Params, records uint64) (expected float64) {
	from := uint64(0)
	for g := planGeneration(p, 0); from < records && g.doublings < maxDoublings; g = g.double() {
		n := float64(min(records, g.capacity) - from)
		expected += n * integrate(0, 1, func(share float64) float64 {
			return p.wrongRate(g.bandRate(float64(from) + share*n))
		})
		from += uint64(n)
	}
	return expected
}
