package bloomlsh

import "math"

// Constants of the paged filter. They are part of the file format: another value makes another filter.
const (
	lineWords     = 8
	pageWords     = pageLines * lineWords
	minPartitions = 2
	maxPartitions = 4

	// bits-and-blooms derives all of a key's bits from four hashes by steps of equal length. In a filter of m bits, steps that
	// come out as 0 or m/2 leave only a few distinct bits, at a rate of about 1/m²: small filters must not be that small.
	minClassicWords = 1 << 14

	growthFactor = 4 // capacity of a generation over that of the one before
)

// geometry is the shape of one generation: everything that decides where a key's bits are and how many keys fit.
type geometry struct {
	capacity  uint64  // records
	rate      float64 // promised false-positive rate of the generation at capacity, all bands
	filter    string
	bands     int
	probes    int    // paged: partitions of a page, each with one line of the key; classic: hash functions
	bandWords uint64 // 64-bit words of one band's filter
}

// planGeneration returns the geometry of the i-th generation. The first holds what was planned for; each further one is larger
// by growthFactor and gets half of what is left of the promised rate, so that the rates of all of them never add up to more.
func planGeneration(p Params, i int) geometry {
	g := geometry{capacity: p.Capacity, rate: p.FPRate, filter: p.Filter, bands: p.Bands}
	if p.OnFull == OnFullGrow {
		g.capacity = multiply(p.Capacity, math.Pow(growthFactor, float64(i)))
		g.rate = math.Ldexp(p.FPRate, -i-1)
	}
	n, perBand := float64(g.capacity), bandRate(g.rate, p.Bands)
	if p.Filter == FilterClassic {
		// Half a percent more than the textbook's -n·ln p/(ln 2)² at most, because hash functions are whole.
		g.probes = max(1, int(math.Round(-math.Log2(perBand))))
		k := float64(g.probes)
		g.bandWords = max(minClassicWords, uint64(math.Ceil(-k*n/math.Log1p(-math.Pow(perBand, 1/k))/64)))
		return g
	}
	g.probes = partitionsFor(perBand)
	g.bandWords = uint64(math.Ceil(n/pagedLoad(perBand, g.probes))) * pageWords
	return g
}

// partitionsFor chooses how many lines of a page a key uses: the fewest whose bits are within a tenth of the best, because each
// line costs a quarter of the time and a tenth of memory is cheaper than that. Bits a key, by the model of rate.go:
//
//	rate          1e-5   1e-6   1e-7   1e-8   1e-9   1e-10  1e-11  1e-12
//	2 partitions  25.4   31.5   38.8   47.4   57.8   70.4   85.8   105
//	3 partitions  25.8   30.4   35.5   41.2   47.6   54.7   62.7   71.7
//	4 partitions  27.5   31.6   36.0   40.8   45.9   51.4   57.4   63.9
func partitionsFor(rate float64) int {
	switch {
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

// memory is what a generation takes at most, in bytes: the filters, and the table while they are filled from it.
func (g geometry) memory() uint64 {
	if filters, table := g.bytes(), 8*g.tableWords(); filters < math.MaxUint64-table {
		return filters + table
	}
	return math.MaxUint64
}

// falsePositiveRate returns the rate of the generation with the given number of records inserted.
func (g geometry) falsePositiveRate(records float64) float64 {
	if g.filter == FilterClassic {
		return anyBand(classicRate(records, float64(g.bandWords)*64, g.probes), g.bands)
	}
	return anyBand(pagedRate(records/float64(g.bandWords/pageWords), g.probes), g.bands)
}

// expectedFill returns the share of bits that so many distinct records set.
func (g geometry) expectedFill(records float64) float64 {
	if g.filter == FilterClassic {
		return -math.Expm1(-records * float64(g.probes) / (float64(g.bandWords) * 64))
	}
	// A line has Poisson distributed keys, each of which sets 1 of the 64 bits of every word.
	return -math.Expm1(-records * float64(g.probes) / (float64(g.bandWords/lineWords) * 64))
}

// multiply saturates, so that a plan beyond all memory compares as such and does not wrap around to a small one.
func multiply(n uint64, factor float64) uint64 {
	if product := float64(n) * factor; product < math.MaxUint64 {
		return uint64(product)
	}
	return math.MaxUint64
}
