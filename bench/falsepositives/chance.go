package main

import "math"

// onceIn is how rarely a right implementation may fall outside of the range of chance, on either
// side.
const onceIn = 100_000

// poissonRange returns the counts that a Poisson variable of that expectation takes on, but for
// once in onceIn at each end.
func poissonRange(expected float64) (least, most int) {
	if expected <= 0 {
		return 0, 0
	}
	below := 0.0 // probability of at most n
	for n := 0; ; n++ {
		logGamma, _ := math.Lgamma(float64(n) + 1)
		below += math.Exp(float64(n)*math.Log(expected) - expected - logGamma)
		if below < 1./onceIn {
			least = n + 1
		}
		if below > 1-1./onceIn {
			return least, n
		}
	}
}

// poissonError is the standard error of a count over its expectation.
func poissonError(expected float64) float64 { return 1 / math.Sqrt(expected) }
