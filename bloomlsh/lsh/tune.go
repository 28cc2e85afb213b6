package lsh

import (
	"fmt"
	"math"
)

// CatchProbability returns the probability that two records whose shingle sets have the given
// Jaccard similarity share at least one of their band keys: 1-(1-J^r)^b (Leskovec, Rajaraman,
// Ullman, Mining of Massive Datasets, §3.4.2).
func CatchProbability(jaccard float64, bands, rows int) float64 {
	atLeastOne := math.Log1p(-math.Pow(jaccard, float64(rows)))
	return -math.Expm1(float64(bands) * atLeastOne)
}

// TuneRecall returns the most selective banding of numPerm permutations that still catches a pair
// at the threshold with at least the given probability: the largest rows for which
// CatchProbability(threshold, numPerm/rows, rows) >= recall.
func TuneRecall(threshold, recall float64, numPerm int) (bands, rows int, err error) {
	if err := checkTuning(threshold, numPerm); err != nil {
		return 0, 0, err
	}
	if !(recall > 0 && recall < 1) {
		return 0, 0, fmt.Errorf("recall %g is not between 0 and 1", recall)
	}
	for rows = numPerm; rows >= 1; rows-- {
		bands = numPerm / rows
		if CatchProbability(threshold, bands, rows) >= recall {
			return bands, rows, nil
		}
	}
	return 0, 0, fmt.Errorf("%d permutations cannot catch a pair at threshold %g with probability %g: use more "+
		"permutations or a lower recall",
		numPerm, threshold, recall)
}

// TuneBalanced returns the banding that minimises the sum, with equal weights, of the two areas of
// error around the threshold: the probability to catch a pair below it and the probability to miss
// one above it (Zhu et al., LSH Ensemble, VLDB 2016, equations 21-23; what datasketch and the
// LSHBloom paper use). It often catches only about half of the pairs at the threshold.
func TuneBalanced(threshold float64, numPerm int) (bands, rows int, err error) {
	if err := checkTuning(threshold, numPerm); err != nil {
		return 0, 0, err
	}
	least := math.Inf(1)
	for r := 1; r <= numPerm; r++ {
		areas := newErrorAreas(threshold, r)
		for b := 1; b <= numPerm/r; b++ {
			areas.addBand()
			// Of equals, the fewest bands: every band costs memory and time.
			if areas.both < least || areas.both == least && b < bands {
				least, bands, rows = areas.both, b, r
			}
			if areas.caught >= least {
				break // more bands catch more
			}
			if b == numPerm/r && areas.both-areas.caught >= least {
				return bands, rows, nil // more rows, and fewer bands, miss more
			}
		}
	}
	return bands, rows, nil
}

// errorAreas are the two areas of error of a banding, integrated numerically.
type errorAreas struct {
	caught float64 // what is caught below the threshold
	both   float64 // with it, what is missed above

	below          int                // midpoints that are below
	bandMiss, miss [areaSteps]float64 // at each midpoint: of one band, of all
}

const areaSteps = 1000

func newErrorAreas(threshold float64, rows int) *errorAreas {
	a := new(errorAreas)
	for i := range areaSteps {
		similarity := (float64(i) + 0.5) / areaSteps
		if similarity < threshold {
			a.below++
		}
		a.bandMiss[i], a.miss[i] = 1-math.Pow(similarity, float64(rows)), 1
	}
	return a
}

func (a *errorAreas) addBand() {
	for i := range areaSteps {
		a.miss[i] *= a.bandMiss[i]
	}
	a.caught = 0
	for _, miss := range a.miss[:a.below] {
		a.caught += 1 - miss
	}
	a.both = a.caught
	for _, miss := range a.miss[a.below:] {
		a.both += miss
	}
}

func checkTuning(threshold float64, numPerm int) error {
	if !(threshold > 0 && threshold <= 1) {
		return fmt.Errorf("threshold %g is not above 0 and at most 1", threshold)
	}
	if numPerm < 1 {
		return fmt.Errorf("%d permutations: at least 1 is needed", numPerm)
	}
	return nil
}
