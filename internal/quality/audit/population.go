package audit

import "math"

// A Count is an estimated number of records with its confidence interval.
type Count struct {
	Value uint64 `json:"value"`
	Low   uint64 `json:"low"`
	High  uint64 `json:"high"`
}

// countOf estimates how many records of a population have a property that k of n drawn ones have.
// The interval contains all counts for which neither k or more nor k or fewer have a probability
// below alpha/2. The distribution is hypergeometric: the larger the sampled part of the population,
// the narrower the interval.
func countOf(k, n int, of uint64, alpha float64) Count {
	if n == 0 {
		return Count{High: of}
	}
	low, high := uint64(k), of-uint64(n-k)
	return Count{
		Value: uint64(math.Round(float64(k) / float64(n) * float64(of))),
		Low: first(low, high, func(count uint64) bool {
			return k == 0 || 1-drawnBelow(k, n, count, of) > alpha/2
		}),
		High: first(low, high, func(count uint64) bool {
			return k < n && drawnBelow(k+1, n, count+1, of) <= alpha/2
		}),
	}
}

// first returns the least number from low to high from which on above holds, or high.
func first(low, high uint64, above func(uint64) bool) uint64 {
	for low < high {
		if middle := low + (high-low)/2; above(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// drawnBelow returns the probability that fewer than k of n drawn are among count of a population,
// summing terms from the largest down.
func drawnBelow(k, n int, count, of uint64) (sum float64) {
	mean := float64(n) * float64(count) / float64(of)
	most := mean + 40*math.Sqrt(mean) + 40 // further terms are negligible
	all := logChoose(float64(of), float64(n))
	for i := float64(min(k-1, n)); i >= 0; i-- {
		if i > most {
			i = math.Floor(most)
		}
		if i > float64(count) || float64(n)-i > float64(of)-float64(count) {
			continue
		}
		term := math.Exp(logChoose(float64(count), i) + logChoose(float64(of-count), float64(n)-i) - all)
		sum += term
		if i < mean && term <= 1e-18*sum {
			break
		}
	}
	return min(1, sum)
}
