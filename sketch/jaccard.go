package sketch

import (
	"math/bits"
	"slices"
)

// Jaccard returns the Jaccard similarity |A∩B| / |A∪B| of two sets of shingle hashes, as returned
// by Sketcher.Shingles; order and repeats do not matter. It sorts both slices. The similarity of
// two empty sets is 0, since empty texts resemble nothing.
func Jaccard(a, b []uint64) float64 {
	slices.Sort(a)
	slices.Sort(b)
	return JaccardOfSets(slices.Compact(a), slices.Compact(b))
}

// JaccardOfSets is Jaccard for sorted sets without repeats. It does not change them.
func JaccardOfSets(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	common := commonOf(a, b)
	return float64(common) / float64(len(a)+len(b)-common)
}

// ContainmentOfSets returns the share of the smaller of two such sets that the other contains,
// |A∩B| / min(|A|, |B|) (Broder: On the Resemblance and Containment of Documents, 1997), or 0 if
// one is empty.
func ContainmentOfSets(a, b []uint64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	return float64(commonOf(a, b)) / float64(min(len(a), len(b)))
}

// commonOf returns the number of common hashes of two such sets.
func commonOf(a, b []uint64) (common int) {
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
	return common
}

// EstimateJaccard returns the share of slots in which two signatures agree, an unbiased estimate of
// the Jaccard similarity of their sets. Both must come from equal Params; it returns 0 for
// signatures of different lengths.
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

// EstimatePacked estimates the Jaccard similarity of two texts from their packed signatures. For a
// share s of slots that agree in b bits, J ≈ (s - 2⁻ᵇ)/(1 - 2⁻ᵇ) (Li, König: b-Bit Minwise Hashing,
// WWW 2010).
func EstimatePacked(a, b []uint64, slots, bits int) float64 {
	padding := PackedWords(slots, bits)*64/bits - slots // zero in both
	share, byChance := float64(PackedAgreement(a, b, bits)-padding)/float64(slots), 1/float64(int(1)<<bits)
	return max(0, (share-byChance)/(1-byChance))
}

// PackedAgreement returns the number of slots in which two packed signatures agree. b must be at
// least as long as a. Padding after the last slot is zero in both and counts as agreeing slots.
func PackedAgreement(a, b []uint64, slotBits int) (slots int) {
	b = b[:len(a)]
	unequal := 0
	switch slotBits {
	case 1:
		for i, v := range a {
			unequal += bits.OnesCount64(v ^ b[i])
		}
	case 2:
		for i, v := range a {
			d := v ^ b[i]
			unequal += bits.OnesCount64((d | d>>1) & 0x5555555555555555)
		}
	case 4:
		for i, v := range a {
			d := v ^ b[i]
			d |= d >> 1
			unequal += bits.OnesCount64((d | d>>2) & 0x1111111111111111)
		}
	default:
		const low7 = 0x7f7f7f7f7f7f7f7f
		for i, v := range a {
			d := v ^ b[i]
			unequal += bits.OnesCount64(((d&low7 + low7) | d) &^ low7) // a bit for each byte that is not zero
		}
	}
	return len(a)*64/slotBits - unequal
}
