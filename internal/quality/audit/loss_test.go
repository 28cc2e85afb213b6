package audit

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLossIsExact holds what is found of a sample to its definition: the share of each removed
// record's shingles that no kept record has.
func TestLossIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		element := rapid.OneOf(rapid.Uint64Range(0, 15), rapid.Just(uint64(math.MaxUint64)))
		sets := rapid.SliceOfN(rapid.SliceOfNDistinct(element, 0, 10, rapid.ID), 0, 30).Draw(t, "sets")
		removed := rapid.SliceOfN(rapid.Bool(), len(sets), len(sets)).Draw(t, "removed")
		hasText := rapid.SliceOfN(rapid.Bool(), len(sets), len(sets)).Draw(t, "has text")
		a := New(rapid.IntRange(1, 12).Draw(t, "sample"), 1, Jaccard)
		for i, isRemoved := range removed {
			if hasText[i] {
				a.Show(uint64(i+1), isRemoved)
			}
		}
		l := a.Loss()
		for i, set := range sets {
			if hasText[i] && uint64(i+1) <= l.Last() {
				l.Query(uint64(i+1), set)
			}
		}
		for i, set := range sets {
			if hasText[i] { // repeats do not matter
				l.Keep(uint64(i+1), l.Grams().Append(nil, append(set, set...)))
			}
		}
		got, want := l.Find(), lossByDefinition(a, sets, removed, hasText)
		if got.Records != want.Records || got.Sample != want.Sample || got.TooLong != want.TooLong {
			t.Fatalf("%+v, want %+v", got, want)
		}
		for i, share := range lossesFrom {
			if got.Above[i].Share != share || got.Above[i].Sample != want.Above[i].Sample {
				t.Fatalf("above %g: %+v, want %+v", share, got.Above[i], want.Above[i])
			}
		}
		if !slices.Equal(got.Worst, want.Worst) {
			t.Fatalf("worst: %+v, want %+v", got.Worst, want.Worst)
		}
		if got.Serious() != got.Above[1] {
			t.Fatalf("serious: %+v", got.Serious())
		}
	})
}

func lossByDefinition(a *Audit, sets [][]uint64, removed, hasText []bool) *LossFinding {
	kept := map[uint64]bool{}
	f := &LossFinding{Above: make([]LossAbove, len(lossesFrom))}
	for i, set := range sets {
		if !hasText[i] {
			continue
		}
		if removed[i] {
			f.Records++
			continue
		}
		for _, element := range set {
			kept[max(element, 1)] = true // 0 and 1 are one
		}
	}
	for _, number := range a.removed.Numbers {
		set, lost := sets[number-1], 0
		if len(set) == 0 {
			f.TooLong++
			continue
		}
		f.Sample++
		for _, element := range set {
			if !kept[max(element, 1)] {
				lost++
			}
		}
		share := float64(lost) / float64(len(set))
		for i, from := range lossesFrom {
			if share > from {
				f.Above[i].Sample++
			}
		}
		if lost > 0 {
			f.Worst = append(f.Worst, LostFrom{Number: number, Share: share, lost: lost})
		}
	}
	slices.SortFunc(f.Worst, func(a, b LostFrom) int {
		return cmp.Or(-cmp.Compare(a.Share, b.Share), -cmp.Compare(a.lost, b.lost), cmp.Compare(a.Number, b.Number))
	})
	return f
}

// TestCountsHoldTheTruth holds intervals to all samples that can be drawn, by exact arithmetic: for
// each true count, those whose interval misses it have a probability of 5 % at most.
func TestCountsHoldTheTruth(t *testing.T) {
	for _, c := range []struct{ n, of int64 }{{1, 1}, {1, 9}, {4, 9}, {8, 9}, {9, 9}, {10, 40}, {35, 40}, {20, 300}} {
		counts := make([]Count, c.n+1)
		for k := range counts {
			counts[k] = countOf(k, int(c.n), uint64(c.of), .05)
			if x := counts[k]; x.Low > x.Value || x.Value > x.High {
				t.Errorf("%d of %d of %d: %+v", k, c.n, c.of, x)
			}
		}
		if c.n == c.of && counts[c.n] != (Count{uint64(c.n), uint64(c.n), uint64(c.n)}) {
			t.Errorf("all were drawn: %+v", counts)
		}
		for truth := range c.of + 1 {
			missed := new(big.Rat)
			for k := max(0, c.n-(c.of-truth)); k <= min(c.n, truth); k++ {
				if uint64(truth) < counts[k].Low || uint64(truth) > counts[k].High {
					ways := new(big.Int).Mul(new(big.Int).Binomial(truth, k), new(big.Int).Binomial(c.of-truth, c.n-k))
					missed.Add(missed, new(big.Rat).SetFrac(ways, new(big.Int).Binomial(c.of, c.n)))
				}
			}
			if p, _ := missed.Float64(); p > .05+1e-9 {
				t.Errorf("%d of %d, %d drawn: missed with a probability of %g", truth, c.of, c.n, p)
			}
		}
	}
}

// TestCountsAreNarrow: of a sample of 2,000 the interval is about two deviations to both sides,
// with the factor of finite populations; a sample of none says nothing.
func TestCountsAreNarrow(t *testing.T) {
	for _, c := range []struct {
		k  int
		of uint64
	}{{15, 41_202}, {1000, 41_202}, {1000, 2_500}, {400, 5e9}} {
		const n = 2000
		p, of := float64(c.k)/n, float64(c.of)
		deviation := of * math.Sqrt(p*(1-p)/n*(of-n)/(of-1))
		got := countOf(c.k, n, c.of, .05)
		for _, side := range []float64{float64(got.High) - p*of, p*of - float64(got.Low)} {
			if side < 1.7*deviation || side > 2.6*deviation+2 {
				t.Errorf("%+v: %+v, with a deviation of %.0f", c, got, deviation)
			}
		}
	}
	if got := countOf(0, 0, 7, .05); got != (Count{0, 0, 7}) {
		t.Error(got)
	}
	if got := countOf(0, 0, 0, .05); got != (Count{}) {
		t.Error(got)
	}
}
