package bloomlsh

import (
	"math"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
)

// A Plan says what an index costs and how often it errs.
type Plan struct {
	Params
	Probes     int     // lines (paged) or hash functions (classic) per key
	BitsPerKey float64 // memory per band key
	// GenerationCapacity is the capacity of the first generation in records: Capacity, or part of
	// it if generations are dropped.
	GenerationCapacity uint64
	AllGenerations     int    // that hold Capacity records, or that are kept
	InMemory           int    // how many of these are in memory, if Params.Memory is set; else all
	Memory             uint64 // bytes of the first generation, which holds Capacity records, or of all that are kept
	Disk               uint64 // bytes of the index on disk at most, with a log about to be folded
	DiskToFold         uint64 // bytes at most while it is being folded

	// The memory that other structures would need for as many records, in bytes.
	ClassicBytes uint64 // plain Bloom filters at the same rate: -n·b·ln p/(ln 2)² bits
	// HashTableBytes is for MinHashLSH: for each band, its r slots of 8 bytes and a record number
	// of 8 bytes, without any overhead.
	HashTableBytes uint64

	FPRate                float64 // of all filters, with Capacity records inserted
	BandRate              float64 // of the filter of one band, likewise
	ExpectedFalseRemovals float64 // among Capacity unseen records
	NanosPerRecord        float64 // to query and insert, on one core of a present-day server; within a factor of 2
}

// PlanIndex plans an index whose bands have the given number of rows.
func PlanIndex(p Params, rows int) (Plan, error) {
	p = p.complete()
	if err := p.Validate(); err != nil {
		return Plan{}, err
	}
	if err := p.checkMemory(); err != nil {
		return Plan{}, err
	}
	g := planGeneration(p, 0)
	keys := float64(p.Capacity) * float64(p.Bands)
	filters := multiply(g.bytes(), float64(p.generations()))
	band := p.kept(g.bandRate(float64(g.capacity)))
	plan := Plan{
		Params:                p,
		Probes:                g.probes,
		BitsPerKey:            float64(filters) * 8 / keys,
		GenerationCapacity:    g.capacity,
		AllGenerations:        p.generations(),
		InMemory:              p.generations(),
		Memory:                filters,
		Disk:                  filters + p.mostLog(filters),
		ClassicBytes:          multiply(1, -keys*math.Log(p.keyRate(p.FPRate))/(math.Ln2*math.Ln2)/8),
		HashTableBytes:        multiply(p.Capacity, float64(p.Bands)*float64(8*rows+8)),
		FPRate:                p.wrongRate(band),
		ExpectedFalseRemovals: ExpectedFalseRemovals(p, p.Capacity),
		BandRate:              band,
		NanosPerRecord:        float64(p.Bands*g.lines()*p.generations()) * nanosPerProbe[p.Filter],
	}
	plan.DiskToFold = plan.Disk + filters
	if p.Memory > 0 {
		plan.InMemory = int(min(uint64(plan.InMemory), p.Memory/g.bytes()))
	}
	return plan, nil
}

// mostLog returns the length at which the log of an index is folded into its filters. With Capacity
// records, an index that forgets nothing may be smaller than that. The extra hundredth is for
// commits.
func (p Params) mostLog(filters uint64) uint64 {
	log := max(uint64(system.files.MinLog), filters/4)
	if p.forgets() {
		return log
	}
	return min(log, multiply(p.Capacity, 1.01*float64(p.recordKeys()*keySize)))
}

// lines returns the number of memory accesses per key.
func (g geometry) lines() int {
	if g.isTagged() {
		return 1
	}
	return g.probes
}

// kept returns how often a band errs in all kept generations together, given the rate for each.
func (p Params) kept(rate float64) float64 {
	return -math.Expm1(float64(p.generations()) * math.Log1p(-rate))
}

// nanosPerProbe was measured by bench/index at 1 GB.
var nanosPerProbe = map[string]float64{FilterPaged: 25, FilterClassic: 50, FilterTagged: 25}

// ErrorModel holds the error rates of a banding and its index as Khan et al. (arXiv 2411.04257)
// define them: the fraction of pairs treated wrongly if their similarity is uniform between 0 and
// 1. With c votes, P(Binomial(b, t^r) ≥ c) replaces their 1-(1-t^r)^b.
type ErrorModel struct {
	LSHFalsePositives float64 // below the threshold and caught by the banding: ∫₀ᵀ 1-(1-t^r)^b dt (equation 1)
	LSHFalseNegatives float64 // above it and not caught: ∫ᵀ¹ (1-t^r)^b dt (equation 2)
	Filters           float64 // an unseen record reaches the votes by errors of filters: P(Binomial(b, p) ≥ c)
	OneShort          float64 // the same for a record that has one vote too few of its own: 1-(1-p)^(b-c+1)
	Collisions        float64 // an unseen record shares a band key with one of the n present by chance: 1-(1-1/N)^(n·b)
	FalsePositives    float64 // banding, filters and collisions together (equation 3)
	FalseNegatives    float64 // those of the banding that no other error happens to correct (equation 4)
}

// ModelErrors computes the error model of an index that holds the given number of records, with
// band keys of keyBits bits (128, or 61 for sums). The paper's collision term counts a single
// present key, b/N; this one counts all of them, n·b/N. It is the probability of one wrong vote,
// which makes a duplicate only of a record that lacks one.
func ModelErrors(p Params, rows int, threshold float64, records uint64, keyBits int) ErrorModel {
	p = p.complete()
	rule := lsh.Banding{Bands: p.Bands, Rows: rows, Votes: p.Votes}
	band := rateAfter(p, records)
	m := ErrorModel{
		LSHFalsePositives: integrate(0, threshold, rule.Catch),
		LSHFalseNegatives: integrate(threshold, 1, func(t float64) float64 { return 1 - rule.Catch(t) }),
		Filters:           p.wrongRate(band),
		OneShort:          p.wrongRateWith(p.Votes-1, band),
		Collisions:        -math.Expm1(float64(records) * float64(p.Bands) * math.Log1p(-math.Ldexp(1, -keyBits))),
	}
	chance := m.Filters
	if p.Votes == 1 {
		chance += (1 - m.Filters) * m.Collisions
	}
	m.FalsePositives = m.LSHFalsePositives + (1-m.LSHFalsePositives)*chance
	m.FalseNegatives = m.LSHFalseNegatives * (1 - chance)
	return m
}

// rateAfter returns how often one band errs after inserting records, over all generations opened
// for them.
func rateAfter(p Params, records uint64) float64 {
	if p.doubles() {
		return planGeneration(p, 0).doubledTo(records).bandRate(float64(records))
	}
	rate, left := 0.0, float64(records)
	for i := 0; left > 0; i++ {
		g := planGeneration(p, i)
		n := min(left, float64(g.capacity))
		rate = lsh.Either(rate, g.bandRate(n))
		left -= n
		switch {
		case p.OnFull == OnFullRefuse:
			return rate
		case p.forgets() && i == p.KeepGenerations-1:
			return p.kept(g.bandRate(float64(g.capacity)))
		}
	}
	return rate
}

// integrate integrates f by Simpson's rule.
func integrate(from, to float64, f func(float64) float64) float64 {
	const intervals = 512
	step := (to - from) / intervals
	sum := f(from) + f(to)
	for i := 1; i < intervals; i++ {
		sum += float64(2+2*(i%2)) * f(from+float64(i)*step)
	}
	return sum * step / 3
}
