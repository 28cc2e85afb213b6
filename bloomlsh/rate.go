package bloomlsh

import (
	"math"
	"sync"
	"sync/atomic"
)

// This file computes the probability that a band key that was never inserted is found present, for
// both kinds of Bloom filter. Both models are exact for ideal hashing. The paged one has no closed
// form, because keys collide within pages and lines rather than the whole filter.

const (
	lineBits  = 512  // one cache line: 8 words
	pageLines = 64   // one 4 KiB page
	pageLoads = 8192 // number of tabulated page loads; a page with more keys counts as saturated
)

// classicRate returns the rate of a plain Bloom filter of m bits with k hash functions after n
// insertions: (1-e^(-kn/m))^k (Broder, Mitzenmacher 2004, equation 2).
func classicRate(n, m float64, k int) float64 {
	return math.Pow(-math.Expm1(-float64(k)*n/m), float64(k))
}

// pagedRate returns the rate of a paged filter whose pages hold load keys on average, and where a
// key has one line in each of the given number of partitions. The number of keys in a page is
// Poisson distributed; pageRates describes what happens within one.
func pagedRate(load float64, partitions int) float64 {
	if load <= 0 {
		return 0
	}
	rates := pageRatesOf(partitions)
	mode := int(load)
	logMode := -load + float64(mode)*math.Log(load) - lgamma(mode+1)
	sum := 0.0
	weight := math.Exp(logMode)
	for x := mode; x >= 1 && weight > 1e-30; x-- { // an empty page never answers yes: x = 0 adds nothing
		before := sum
		if sum += weight * rates.at(x); sum == before {
			break // all further terms are smaller
		}
		weight *= float64(x) / load
	}
	weight = math.Exp(logMode)
	for x := mode + 1; ; x++ {
		weight *= load / float64(x)
		if weight <= 1e-30 {
			break
		}
		before := sum
		if sum += weight * rates.at(x); sum == before {
			break
		}
	}
	return min(sum, 1)
}

// pageRates holds the rate of a page by the number x of keys in it. A key has one line in each
// partition, so a line in a partition of n lines holds Binomial(x, 1/n) keys. In a line with i
// keys, the bit tested in each of the 8 words is set with probability 1-(63/64)^i, independently;
// and given x, the partitions are independent of each other.
//
// Every start of the program makes a plan, which needs only some hundreds of loads, so rates are
// computed on demand. pageRates is safe for concurrent use.
type pageRates struct {
	partitions int
	bits       *[pageLoads]atomic.Uint64 // of the float64; 0 if not yet computed: no rate is 0
}

// pageRateBits holds the rates for all numbers of partitions. Memory that no plan needs is never
// touched.
var pageRateBits [maxPartitions - minPartitions + 1][pageLoads]atomic.Uint64

func pageRatesOf(partitions int) pageRates {
	return pageRates{partitions: partitions, bits: &pageRateBits[partitions-minPartitions]}
}

// at returns the rate of a page with x keys, at least one.
func (r pageRates) at(x int) float64 {
	if x >= pageLoads {
		return 1
	}
	if known := r.bits[x].Load(); known != 0 {
		return math.Float64frombits(known)
	}
	rate, lines, ofLine := 1.0, uint64(0), 0.0
	for part := range r.partitions {
		if n := partitionStart(part+1, r.partitions) - partitionStart(part, r.partitions); n != lines {
			lines, ofLine = n, lineRate(x, 1/float64(n))
		}
		rate *= ofLine
	}
	r.bits[x].Store(math.Float64bits(rate))
	return rate
}

// lineRate returns the expectation of (1-(63/64)^i)^8 over i ~ Binomial(x, q), summed outwards from
// the mode. All terms are positive, so small rates keep their precision, which the closed form with
// alternating signs would lose.
func lineRate(x int, q float64) float64 {
	mode := int(float64(x+1) * q)
	logMode := lgamma(x+1) - lgamma(mode+1) - lgamma(x-mode+1) + float64(mode)*math.Log(q) +
		float64(x-mode)*math.Log1p(-q)
	odds := q / (1 - q)
	sum, full := 0.0, fullLine()
	weight := math.Exp(logMode)
	for i := mode; i >= 1 && weight > 1e-25; i-- {
		before := sum
		if sum += weight * full[min(i, len(full)-1)]; sum == before {
			break // all further terms are smaller
		}
		weight *= float64(i) / (float64(x-i+1) * odds)
	}
	weight = math.Exp(logMode)
	for i := mode + 1; i <= x; i++ {
		weight *= float64(x-i+1) * odds / float64(i)
		if weight <= 1e-25 {
			break
		}
		before := sum
		if sum += weight * full[min(i, len(full)-1)]; sum == before {
			break
		}
	}
	return min(sum, 1)
}

// fullLine holds (1-(63/64)^i)^8. Beyond its end, that is 1 within the precision of a float64.
var fullLine = sync.OnceValue(func() *[2600]float64 {
	table, missed := new([2600]float64), math.Log(63./64)
	for i := range table {
		rate := -math.Expm1(float64(i) * missed)
		rate *= rate
		rate *= rate
		table[i] = rate * rate
	}
	return table
})

func lgamma(n int) float64 {
	v, _ := math.Lgamma(float64(n))
	return v
}

// pagedLoad is the inverse of pagedRate: it returns the largest average number of keys per page for
// which the rate does not exceed the given one. The result is a multiple of 1/64, so that
// processors that round differently get the same filter.
//
// Every start of the program waits for it, and pagedRate is a long sum. So it uses the secant
// method, on logarithms, which finds the load in a few steps.
func pagedLoad(rate float64, partitions int) float64 {
	low, high := 1.0, float64(pageLoads/2*64) // in 64ths; low is taken, though hardly any page is so empty
	at, slope := 64*evenLoad(rate, partitions), float64(4*partitions)
	for last, lastRate := 0.0, 0.0; high-low > 1; {
		at = min(max(math.Round(at), low+1), high-1)
		got := pagedRate(at/64, partitions)
		if got <= rate {
			low = at
		} else {
			high = at
		}
		if lastRate > 0 && got != lastRate {
			slope = math.Log(got/lastRate) / math.Log(at/last)
		}
		last, lastRate = at, got
		at *= math.Pow(rate/got, 1/slope)
	}
	return low / 64
}

// evenLoad returns what pagedLoad would be if all lines of a page held the same number of keys,
// which is slightly more.
func evenLoad(rate float64, partitions int) float64 {
	keys := math.Log1p(-math.Pow(rate, 1/float64(8*partitions))) / math.Log(63./64)
	return keys * pageLines / float64(partitions)
}
