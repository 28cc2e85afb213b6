package bloomlsh

import "fmt"

// memoryGauge tells how many bytes of memory are available, if that is known.
type memoryGauge func() (bytes uint64, known bool)

// usableShare is the share of the available memory that an index may take: the rest of the program and of the machine need some.
const usableShare = 0.8

// checkMemory refuses an index, or a further generation of it, that would not fit, before any page of it is touched: memory is
// handed out lazily, so a failure would otherwise come in the middle of the run, and as a kill.
func checkMemory(p Params, generation int, memory memoryGauge) error {
	available, known := memory()
	if !known {
		return nil
	}
	usable := uint64(float64(available) * usableShare)
	need := planGeneration(p, generation).bytes()
	if need <= usable {
		return nil
	}
	if generation > 0 {
		return fmt.Errorf("%w: %s are needed for generation %d, %s are available: start with a larger capacity on a machine that has the memory",
			ErrMemory, formatBytes(need), generation+1, formatBytes(available))
	}
	return fmt.Errorf("%w: %s are needed for %d bands, a capacity of %d records and a false-positive rate of %g, at most 80 %% of the available %s are used: %s",
		ErrMemory, formatBytes(need), p.Bands, p.Capacity, p.FPRate, formatBytes(available), whatFits(p, usable))
}

// whatFits names the capacity and the rate, each with the other unchanged, with which the index would fit.
func whatFits(p Params, usable uint64) string {
	fits := func(capacity uint64, rate float64) bool {
		q := p
		q.Capacity, q.FPRate = capacity, rate
		return planGeneration(q, 0).bytes() <= usable
	}
	low, high := uint64(0), p.Capacity // low fits, high does not
	for high-low > 1 {
		if middle := low + (high-low)/2; fits(middle, p.FPRate) {
			low = middle
		} else {
			high = middle
		}
	}
	if low == 0 {
		return "no capacity would fit"
	}
	advice := fmt.Sprintf("a capacity of %d would fit", roundDown(low))
	for rate := p.FPRate * 10; rate <= 1e-3; rate *= 10 {
		if fits(p.Capacity, rate) {
			return advice + fmt.Sprintf(", or a false-positive rate of %.2g", rate)
		}
	}
	return advice
}

// roundDown keeps two digits.
func roundDown(n uint64) uint64 {
	unit := uint64(1)
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// formatBytes writes three digits and a decimal unit.
func formatBytes(n uint64) string {
	value, unit := float64(n), 0
	for value >= 999.5 {
		value /= 1000
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	decimals := 2
	if value >= 99.95 {
		decimals = 0
	} else if value >= 9.995 {
		decimals = 1
	}
	return fmt.Sprintf("%.*f %cB", decimals, value, "kMGTPE"[unit-1])
}
