package sketch

import (
	"math"
	"slices"
	"testing"
)

// hashSketch is a sketch that works from the hashes of shingles.
type hashSketch interface{ addHashes(slots, hashes []uint64) }

// pairOfSets fills a and b with n random hashes each, of which the first common are the same.
func pairOfSets(rng *splitMix, n, common int, a, b []uint64) ([]uint64, []uint64) {
	a, b = a[:0], b[:0]
	for i := range n {
		a = append(a, rng.next())
		if i < common {
			b = append(b, a[i])
		} else {
			b = append(b, rng.next())
		}
	}
	return a, b
}

func signature(s sketch, slots, hashes []uint64) {
	for i := range slots {
		slots[i] = untouched
	}
	s.(hashSketch).addHashes(slots, hashes)
}

func shareABand(a, b []uint64, bands, rows int) bool {
	for j := range bands {
		if slices.Equal(a[j*rows:(j+1)*rows], b[j*rows:(j+1)*rows]) {
			return true
		}
	}
	return false
}

// The chance that two texts share a band is 1−(1−J^r)^b: of affine within four standard errors, of
// fss within two points beside these. The estimate of J scatters like a binomial one, that of fss
// about 0.7 times as much for sets smaller than k. Methods that fill slots by densification miss
// the curve by up to 99 points in the first cells.
func TestSketchesFollowTheory(t *testing.T) {
	const k = 128
	pairs := 10000
	if testing.Short() {
		pairs = 1000
	}
	for _, cell := range []struct{ n, common, bands, rows int }{
		{3, 1, 25, 5}, {10, 5, 25, 5}, {30, 20, 25, 5}, {30, 25, 9, 13}, {100, 67, 25, 5}, {100, 89, 9, 13}, {300, 267,
			9, 13},
	} {
		j := float64(cell.common) / float64(2*cell.n-cell.common)
		theory := 1 - math.Pow(1-math.Pow(j, float64(cell.rows)), float64(cell.bands))
		for name, slack := range map[string]float64{"affine": 0, "fss": 0.02} {
			rng := splitMix(cell.n)
			s := sketches[name](k, 42)
			x, y := make([]uint64, k), make([]uint64, k)
			var a, b []uint64
			caught, bias, square := 0, 0.0, 0.0
			for range pairs {
				a, b = pairOfSets(&rng, cell.n, cell.common, a, b)
				signature(s, x, a)
				signature(s, y, b)
				if shareABand(x, y, cell.bands, cell.rows) {
					caught++
				}
				e := EstimateJaccard(x, y) - j
				bias += e
				square += e * e
			}
			got := float64(caught) / float64(pairs)
			se := math.Sqrt(theory * (1 - theory) / float64(pairs))
			if math.Abs(got-theory) > slack+4*se {
				t.Errorf("%s n=%d J=%.3f %d×%d: caught %.4f of the pairs, want %.4f ± %.4f", name, cell.n, j,
					cell.bands, cell.rows, got, theory, slack+4*se)
			}
			binomial := math.Sqrt(j * (1 - j) / k)
			if b := bias / float64(pairs); math.Abs(b) > 4*binomial/math.Sqrt(float64(pairs)) {
				t.Errorf("%s n=%d J=%.3f: estimate is off by %.5f on average", name, cell.n, j, b)
			}
			// The relative standard error of an RMSE over m pairs is about 1/√(2m).
			ratio, tolerance := math.Sqrt(square/float64(pairs))/binomial, 4/math.Sqrt(2*float64(pairs))
			least, most := 1-tolerance, 1+tolerance
			if name == "fss" {
				least, most = 0.65-tolerance, 0.75+tolerance
			}
			if cell.n < k && (ratio < least || ratio > most) {
				t.Errorf("%s n=%d J=%.3f: error is %.3f times that of a binomial, want %.2f to %.2f", name, cell.n, j,
					ratio, least, most)
			}
		}
	}
}

// What a signature is made of does not depend on the order of the hashes, on repeats, or on how
// they are dealt out.
func TestSketchIsOfTheSet(t *testing.T) {
	rng := splitMix(5)
	for _, name := range []string{"fss", "affine"} {
		for _, n := range []int{1, 2, 7, 8, 9, 10, 11, 12, 13, 14, 15, 100, 2000} {
			hashes := make([]uint64, n)
			for i := range hashes {
				hashes[i] = rng.next()
			}
			for _, k := range []int{1, 3, 16, 64, 130} {
				s := sketches[name](k, 9)
				whole, parts := make([]uint64, k), make([]uint64, k)
				signature(s, whole, hashes)
				signature(s, parts, nil)
				for i := n; i > 0; i -= 3 {
					s.(hashSketch).addHashes(parts, hashes[max(0, i-5):i])
				}
				if !slices.Equal(whole, parts) {
					t.Errorf("%s n=%d k=%d: the signature of the whole is not that of its parts", name, n, k)
				}
				signature(s, parts, slices.Repeat(hashes, 300))
				if !slices.Equal(whole, parts) {
					t.Errorf("%s n=%d k=%d: repeats change the signature", name, n, k)
				}
			}
		}
	}
}
