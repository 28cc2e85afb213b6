package audit

import "math"

// Confidence is the minimum probability that an interval contains the value.
const Confidence = 0.95

// An Estimate is a share with its confidence interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// share estimates a share from k of n drawn, with the interval of C. J. Clopper and E. S. Pearson
// (Biometrika 26, 1934), which errs with probability alpha at most. If all were drawn the share is
// exact.
func share(k, n int, isAll bool, alpha float64) Estimate {
	if n == 0 {
		if isAll {
			return Estimate{}
		}
		return Estimate{High: 1}
	}
	e := Estimate{Value: float64(k) / float64(n)}
	e.Low, e.High = e.Value, e.Value
	if isAll {
		return e
	}
	e.Low, e.High = 0, 1
	if k > 0 { // the p at which k or more have probability alpha/2
		e.Low = solve(func(p float64) bool { return 1-below(k, n, p) > alpha/2 })
	}
	if k < n { // the p at which k or fewer do
		e.High = solve(func(p float64) bool { return below(k+1, n, p) < alpha/2 })
	}
	return e
}

// solve returns the least p from which on above holds.
func solve(above func(p float64) bool) float64 {
	low, high := 0., 1.
	for range 60 {
		if middle := (low + high) / 2; above(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// below returns P(Binomial(n, p) < k), summing terms from the largest down.
func below(k, n int, p float64) (sum float64) {
	for i := k - 1; i >= 0; i-- {
		term := math.Exp(logChoose(float64(n), float64(i)) + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		sum += term
		if term < 1e-18*sum && float64(i) < p*float64(n) {
			break
		}
	}
	return min(1, sum)
}

func logChoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// A Sampled describes the removed records, or the kept ones.
type Sampled struct {
	Records uint64 // all of them
	Sample  int    // how many of them were compared
	Nearest []Bin  // these by similarity of the nearest earlier record
}

// A Finding is the result of an Audit.
type Finding struct {
	Removed, Kept Sampled
	// removed records in the sample without an earlier record at the threshold
	Below int
	// texts in both samples too long to compare; they count as unlike all others
	TooLong   int
	Precision Estimate // share of removed records with an earlier one at the threshold
	// share of records with an earlier one at the threshold that were removed
	Recall Estimate

	Measure Measure // of similarity

	Beside *Finding // of the same samples by other texts; nil if they were not compared
	Seen   string   // name of these texts, in Beside
}

// EstimateAt estimates precision and recall of a run from the maximum similarities of sampled
// removed and kept records. The interval of recall combines two intervals that each err half as
// often, so it is wide.
func EstimateAt(threshold float64, removed, kept *Sample, ofRemoved, ofKept []float64) (f Finding) {
	f.Removed = Sampled{Records: removed.Of, Sample: len(ofRemoved)}
	f.Kept = Sampled{Records: kept.Of, Sample: len(ofKept)}
	const alpha = 1 - Confidence
	right, missed := atLeast(ofRemoved, threshold), atLeast(ofKept, threshold)
	f.Below = len(ofRemoved) - right
	f.Precision = share(right, len(ofRemoved), removed.IsAll(), alpha)
	r := share(right, len(ofRemoved), removed.IsAll(), alpha/2)
	m := share(missed, len(ofKept), kept.IsAll(), alpha/2)
	f.Recall = Estimate{
		Value: f.recall(r.Value, m.Value), Low: f.recall(r.Low, m.High), High: f.recall(r.High, m.Low),
	}
	return f
}

// recall returns the recall if these shares of the removed and of the kept records have an earlier
// one at the threshold, or 1 if there is nothing to find.
func (f Finding) recall(right, missed float64) float64 {
	found, lost := right*float64(f.Removed.Records), missed*float64(f.Kept.Records)
	if found+lost == 0 {
		return 1
	}
	return found / (found + lost)
}

func atLeast(similarities []float64, threshold float64) (count int) {
	for _, s := range similarities {
		if s >= threshold {
			count++
		}
	}
	return count
}
