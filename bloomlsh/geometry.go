package bloomlsh

import (
	"math"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// Constants of the paged filter. They are part of the file format: another value makes another
// filter.
const (
	lineWords     = 8
	pageWords     = pageLines * lineWords
	minPartitions = 1
	maxPartitions = 4

	// bits-and-blooms derives all of a key's bits from four hashes by steps of equal length. In a
	// filter of m bits, steps that come out as 0 or m/2 leave only a few distinct bits, at a rate
	// of about 1/m²: small filters must not be that small.
	minClassicWords = 1 << 14
)

// geometry is the shape of one generation: everything that decides where a key's bits are and how
// many keys fit.
type geometry struct {
	capacity uint64 // records
	filter   string
	bands    int
	// paged: partitions of a page, each with one line of the key; classic: hash functions; tagged:
	// bytes of an entry
	probes    int
	bandWords uint64 // 64-bit words of one band's filter
	doublings        // since the table was made; 0 of one that does not double
	seed      uint64 // Params.PageSeed
}

// planGeneration returns the geometry of the i-th generation. The first holds what was planned for;
// each further one is larger (growth) and gets a part of what is left of the promised rate, so that
// the rates of all of them never add up to more. Those of an index that forgets are alike: the
// oldest one may be empty of what counts, and the others hold what was planned for.
func planGeneration(p Params, i int) geometry {
	p = p.complete()
	g := geometry{capacity: p.Capacity, filter: p.Filter, bands: p.Bands}
	switch {
	case p.forgets():
		others := uint64(p.KeepGenerations - 1)
		g.capacity = (p.Capacity + others - 1) / others
	case p.Generations > 0:
		n := uint64(p.Generations)
		g.capacity = (p.Capacity + n - 1) / n
	case p.doubles():
		g.filter = filterDoubling
	case p.OnFull == OnFullGrow:
		g.capacity = multiply(p.Capacity, math.Pow(3, float64(i)))
	}
	return p.shape(g, p.bandRate(i))
}

// shape completes a geometry: its filters hold its capacity at a rate of each.
func (p Params) shape(g geometry, perBand float64) geometry {
	n := float64(g.capacity)
	switch p.Filter {
	case FilterTagged:
		l := p.tagLayout()
		g.probes, g.bandWords = l.bytes, l.words(g.capacity)
		return g
	case FilterClassic:
		// Half a percent more than the textbook's -n·ln p/(ln 2)² at most, because hash functions
		// are whole.
		g.probes = max(1, int(math.Round(-math.Log2(perBand))))
		k := float64(g.probes)
		g.bandWords = max(minClassicWords, uint64(math.Ceil(-k*n/math.Log1p(-math.Pow(perBand, 1/k))/64)))
		return g
	}
	g.probes = partitionsFor(perBand, p.Votes)
	g.bandWords = uint64(math.Ceil(n/pagedLoad(perBand, g.probes))) * pageWords
	return g
}

// bandRate returns how often the filter of one band of the i-th generation may err when it is full.
// With one vote each generation gets its share of the rate of all bands. With more votes, wrong
// votes of several generations count together, so each gets its share of the rate of a band. In an
// index that forgets, all shares are equal. Generations that share the capacity get equal ones.
func (p Params) bandRate(i int) float64 {
	switch {
	case p.forgets():
		return p.keyRate(p.FPRate) / float64(p.KeepGenerations)
	case p.OnFull == OnFullRefuse:
		return p.keyRate(p.FPRate)
	case p.Generations > 0: // those that hold Capacity share as one does, the further ones what is left
		round := i / p.Generations
		return math.Ldexp(.75*p.keyRate(p.FPRate), -2*round) / float64(p.Generations)
	case p.Votes == 1:
		return p.keyRate(p.FPRate * shareOf(i))
	}
	return p.keyRate(p.FPRate) * shareOf(i)
}

// shareOf is how much of a rate the i-th generation gets of an index that grows: three quarters,
// since most streams end in the first one, and i/2ⁱ⁺¹ of the rest. So those that some ten million
// records fill get the most of it.
func shareOf(i int) float64 {
	if i == 0 {
		return .75
	}
	return math.Ldexp(.25*float64(i), -i-1)
}

// keyRate is the rate of a band at which an unseen record reaches the votes with the given one.
func (p Params) keyRate(rate float64) float64 {
	return lsh.Banding{Bands: p.Bands, Votes: p.Votes}.KeyRate(rate)
}

// wrongRate is the rate at which an unseen record reaches the votes if each band errs with the
// given one: P(Binomial(b, p) ≥ c). The bands of a tagged index err for each group alike.
func (p Params) wrongRate(band float64) float64 {
	if p.isTagged() {
		return p.strayVotes(p.tagLayout(), band)
	}
	return p.wrongRateWith(0, band)
}

// wrongRateWith is the same for a record that has some votes of its own already, fewer than make a
// duplicate: P(Binomial(b-m, p) ≥ c-m).
func (p Params) wrongRateWith(own int, band float64) float64 {
	if p.Votes-own == 1 {
		return lsh.AnyBand(band, p.Bands-own)
	}
	return lsh.AtLeast(p.Bands-own, p.Votes-own, band)
}

// partitionsFor chooses how many lines of a page a key uses: the fewest whose bits are within a
// tenth of the best, because each line costs time and a tenth of memory is cheaper than that. Bits
// a key, by the model of rate.go:
//
//	rate          1e-2   1e-3   3e-4   1e-4   1e-5   1e-6   1e-7   1e-8   1e-9   1e-10
//	1 partition   10.1   15.7   19.5   23.6   35.0   51.9   77.7   119    187    306
//	2 partitions  11.8   15.7   18.0   20.2   25.4   31.5   38.8   47.4   57.8   70.4
//	3 partitions  13.9   17.7   19.7   21.6   25.8   30.4   35.5   41.2   47.6   54.7
//	4 partitions  16.1   19.8   21.8   23.6   27.5   31.6   36.0   40.8   45.9   51.4
//
// Rules of one vote had two lines at least before there were others, and keep them.
func partitionsFor(rate float64, votes int) int {
	switch {
	case rate >= 3e-4 && votes > 1:
		return 1
	case rate >= 1e-7:
		return 2
	case rate >= 1e-11:
		return 3
	default:
		return 4
	}
}

// partitionStart is the first line of a partition of a page.
func partitionStart(part, partitions int) uint64 {
	return uint64(pageLines * part / partitions)
}

func (g geometry) words() uint64 { return g.bandWords * uint64(g.bands) }

func (g geometry) bytes() uint64 {
	return multiply(g.bandWords, 8*float64(g.bands))
}

// memory is what a generation takes at most, in bytes: the filters, and the first records while
// they are filled from these.
func (g geometry) memory(votes int) uint64 {
	first := 8 * (g.firstTagWords() + g.firstHomeWords())
	if !g.isTagged() {
		first = 8 * g.firstWords(votes)
	}
	if filters := g.bytes(); filters < math.MaxUint64-first {
		return filters + first
	}
	return math.MaxUint64
}

// bandRate returns how often the filter of one band errs with the given number of records inserted:
// how often it names one particular group, if it is tagged.
func (g geometry) bandRate(records float64) float64 {
	switch g.filter {
	case FilterTagged:
		return g.layout().strayRate(records, g.bandWords)
	case filterDoubling:
		return g.layout().strayRate(g.weigh(records), g.bandWords)
	case FilterClassic:
		return classicRate(records, float64(g.bandWords)*64, g.probes)
	}
	return pagedRate(records/float64(g.bandWords/pageWords), g.probes)
}

// expectedFill returns the share of bits that this number of distinct records sets.
func (g geometry) expectedFill(records float64) float64 {
	switch g.filter {
	case FilterTagged, filterDoubling:
		return min(1, records/float64(g.bandWords/lineWords)/float64(g.layout().perLine()))
	case FilterClassic:
		return -math.Expm1(-records * float64(g.probes) / (float64(g.bandWords) * 64))
	}
	// The number of keys in a line is Poisson distributed, and each key sets 1 of the 64 bits of
	// every word.
	return -math.Expm1(-records * float64(g.probes) / (float64(g.bandWords/lineWords) * 64))
}

// multiply saturates, so that a plan beyond all memory compares as such and does not wrap around to
// a small one.
func multiply(n uint64, factor float64) uint64 {
	if product := float64(n) * factor; product < math.MaxUint64 {
		return uint64(product)
	}
	return math.MaxUint64
}
