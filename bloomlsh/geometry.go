package bloomlsh

import (
	"math"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// Constants of the paged filter. They are part of the file format: changing one changes the filter.
const (
	lineWords     = 8
	pageWords     = pageLines * lineWords
	minPartitions = 1
	maxPartitions = 4

	// bits-and-blooms derives all bits of a key from four hashes, in equal steps. In a filter of m
	// bits, a step of 0 or m/2 leaves only a few distinct bits, at a rate of about 1/m². So filters
	// must not be too small.
	minClassicWords = 1 << 14
)

// geometry is the shape of a generation. It determines where the bits of a key are, and how many
// keys fit.
type geometry struct {
	capacity uint64 // records
	filter   string
	bands    int
	// paged: partitions of a page, with one line of a key in each; classic: hash functions;
	// tagged: bytes of an entry
	probes    int
	bandWords uint64 // 64-bit words of one band's filter
	doublings        // since the table was created; 0 if it does not double
	seed      uint64 // Params.PageSeed
}

// planGeneration returns the geometry of the i-th generation. The first holds the planned number of
// records; each further one is larger (growth) and gets part of what remains of the promised rate,
// so that the rates never add up to more than that. In an index that forgets, all generations are
// alike: the oldest may contain nothing that counts, and the others hold the planned number.
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

// shape completes a geometry so that its filters hold its capacity at the given rate each.
func (p Params) shape(g geometry, perBand float64) geometry {
	n := float64(g.capacity)
	switch p.Filter {
	case FilterTagged:
		l := p.tagLayout()
		g.probes, g.bandWords = l.bytes, l.words(g.capacity)
		return g
	case FilterClassic:
		// This is at most half a percent more than the textbook's -n·ln p/(ln 2)², because the
		// number of hash functions is an integer.
		g.probes = max(1, int(math.Round(-math.Log2(perBand))))
		k := float64(g.probes)
		g.bandWords = max(minClassicWords, uint64(math.Ceil(-k*n/math.Log1p(-math.Pow(perBand, 1/k))/64)))
		return g
	}
	g.probes = partitionsFor(perBand, p.Votes)
	g.bandWords = uint64(math.Ceil(n/pagedLoad(perBand, g.probes))) * pageWords
	return g
}

// bandRate returns the false-positive rate allowed for the filter of one band in the i-th
// generation when it is full. With one vote, each generation gets a share of the rate of all bands.
// With more votes, false votes from several generations add up, so each gets a share of the rate of
// a band. All shares are equal in an index that forgets, and for generations that share the
// capacity.
func (p Params) bandRate(i int) float64 {
	switch {
	case p.forgets():
		return p.keyRate(p.FPRate) / float64(p.KeepGenerations)
	case p.OnFull == OnFullRefuse:
		return p.keyRate(p.FPRate)
	case p.Generations > 0: // those that hold Capacity share its rate, the others the rest
		round := i / p.Generations
		return math.Ldexp(.75*p.keyRate(p.FPRate), -2*round) / float64(p.Generations)
	case p.Votes == 1:
		return p.keyRate(p.FPRate * shareOf(i))
	}
	return p.keyRate(p.FPRate) * shareOf(i)
}

// shareOf returns the share of the rate for the i-th generation of an index that grows: three
// quarters for the first, since most streams end in it, and i/2ⁱ⁺¹ of the rest. So most of the rest
// goes to the generations that some ten million records fill.
func shareOf(i int) float64 {
	if i == 0 {
		return .75
	}
	return math.Ldexp(.25*float64(i), -i-1)
}

// keyRate returns the rate for a band at which an unseen record gets enough votes with probability
// rate.
func (p Params) keyRate(rate float64) float64 {
	return lsh.Banding{Bands: p.Bands, Votes: p.Votes}.KeyRate(rate)
}

// wrongRate returns the probability that an unseen record gets enough votes if each band errs at
// the given rate: P(Binomial(b, p) ≥ c). In a tagged index, it is the probability for any
// particular group.
func (p Params) wrongRate(band float64) float64 {
	if p.isTagged() {
		return p.strayVotes(p.tagLayout(), band)
	}
	return p.wrongRateWith(0, band)
}

// wrongRateWith is like wrongRate for a record with own votes, fewer than make a duplicate:
// P(Binomial(b-m, p) ≥ c-m).
func (p Params) wrongRateWith(own int, band float64) float64 {
	if p.Votes-own == 1 {
		return lsh.AnyBand(band, p.Bands-own)
	}
	return lsh.AtLeast(p.Bands-own, p.Votes-own, band)
}

// partitionsFor returns the number of lines of a page that a key uses: the smallest whose memory is
// within a tenth of the best, because each line costs time and a tenth of the memory is cheaper
// than that. Bits per key, by the model in rate.go:
//
//	rate          1e-2   1e-3   3e-4   1e-4   1e-5   1e-6   1e-7   1e-8   1e-9   1e-10
//	1 partition   10.1   15.7   19.5   23.6   35.0   51.9   77.7   119    187    306
//	2 partitions  11.8   15.7   18.0   20.2   25.4   31.5   38.8   47.4   57.8   70.4
//	3 partitions  13.9   17.7   19.7   21.6   25.8   30.4   35.5   41.2   47.6   54.7
//	4 partitions  16.1   19.8   21.8   23.6   27.5   31.6   36.0   40.8   45.9   51.4
//
// Rules of one vote have always used at least two lines, and still do.
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

// partitionStart returns the first line of a partition of a page.
func partitionStart(part, partitions int) uint64 {
	return uint64(pageLines * part / partitions)
}

func (g geometry) words() uint64 { return g.bandWords * uint64(g.bands) }

func (g geometry) bytes() uint64 {
	return multiply(g.bandWords, 8*float64(g.bands))
}

// memory returns the maximum memory of a generation in bytes: that of the filters and, while they
// are filled from them, the first records.
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

// bandRate returns the false-positive rate of the filter of one band after inserting the given
// number of records. For a tagged filter, it is the rate for any particular group.
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

// expectedFill returns the expected fraction of bits set by that number of distinct records.
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

// multiply saturates, so that a plan that exceeds all memory does not wrap around to a small one.
func multiply(n uint64, factor float64) uint64 {
	if product := float64(n) * factor; product < math.MaxUint64 {
		return uint64(product)
	}
	return math.MaxUint64
}
