package bloomlsh

import (
	"fmt"
	"math"
)

// CatchProbability returns the probability that two records whose shingle sets have the given Jaccard similarity share at
// least one of their band keys: 1-(1-J^r)^b (Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, §3.4.2).
func CatchProbability(jaccard float64, bands, rows int) float64 {
	atLeastOne := math.Log1p(-math.Pow(jaccard, float64(rows)))
	return -math.Expm1(float64(bands) * atLeastOne)
}

// TuneRecall returns the most selective banding of numPerm permutations that still catches a pair at the threshold with at
// least the given probability: the largest rows for which CatchProbability(threshold, numPerm/rows, rows) >= recall.
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
	return 0, 0, fmt.Errorf("%d permutations cannot catch a pair at threshold %g with probability %g: use more permutations or a lower recall",
		numPerm, threshold, recall)
}

// TuneBalanced returns the banding that minimises the sum, with equal weights, of the two areas of error around the threshold:
// the probability to catch a pair below it and the probability to miss one above it (Zhu et al., LSH Ensemble, VLDB 2016,
// equations 21-23; what datasketch and the LSHBloom paper use). It often catches only about half of the pairs at the threshold.
func TuneBalanced(threshold float64, numPerm int) (bands, rows int, err error) {
	if err := checkTuning(threshold, numPerm); err != nil {
		return 0, 0, err
	}
	const steps = 1000 // midpoints of the numerical integral
	least := math.Inf(1)
	var bandMiss, miss [steps]float64 // 1-s^r, and its b-th power
	for r := 1; r <= numPerm; r++ {
		for i := range steps {
			bandMiss[i] = 1 - math.Pow((float64(i)+0.5)/steps, float64(r))
			miss[i] = 1
		}
		for b := 1; b <= numPerm/r; b++ {
			area := 0.0
			for i := range steps {
				miss[i] *= bandMiss[i]
				if (float64(i)+0.5)/steps < threshold {
					area += 1 - miss[i]
				} else {
					area += miss[i]
				}
			}
			// Of equals, the fewest bands: every band costs memory and time.
			if area < least || area == least && b < bands {
				least, bands, rows = area, b, r
			}
		}
	}
	return bands, rows, nil
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
