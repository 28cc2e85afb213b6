package sketch

import "slices"

// Jaccard returns the Jaccard similarity |A∩B| / |A∪B| of two sets of shingle hashes, as Shingles
// gives them; order and repeats do not matter. It sorts both slices. Two empty sets have similarity
// 0, as empty texts resemble nothing.
func Jaccard(a, b []uint64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	return JaccardOfSets(slices.Compact(a), slices.Compact(b))
}

// JaccardOfSets is Jaccard of sets in ascending order without repeats, which it does not change.
func JaccardOfSets(a, b []uint64) float64 {
	common, union := 0, len(a)+len(b)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			common++
			i++
			j++
		}
	}
	if union == 0 {
		return 0
	}
	return float64(common) / float64(union-common)
}

// EstimateJaccard returns the share of slots in which two signatures agree, an unbiased estimate of
// the Jaccard similarity of their sets. Both must come from equal Params; signatures of different
// length agree nowhere.
func EstimateJaccard(a, b []uint64) float64 {
	if len(a) != len(b) || len(a) == 0 {
		return 0
	}
	same := 0
	for i, v := range a {
		if v == b[i] {
			same++
		}
	}
	return float64(same) / float64(len(a))
}
