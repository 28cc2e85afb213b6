package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// TestNearestIsExact holds it to the comparison of all pairs.
func TestNearestIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		element := rapid.Uint64Range(0, 12)
		var sets [][]uint64
		for _, set := range rapid.SliceOfN(rapid.SliceOfN(element, 1, 10), 1, 30).Draw(t, "sets") {
			slices.Sort(set)
			sets = append(sets, slices.Compact(set))
		}
		n := Nearest{Measure: rapid.SampledFrom([]Measure{Jaccard, InEarlier, InOther}).Draw(t, "measure")}
		chosen := rapid.SliceOfN(rapid.IntRange(0, len(sets)-1), 0, 9).Draw(t, "chosen")
		for _, i := range chosen {
			n.Query(uint64(i), sets[i])
		}
		for i, set := range sets {
			n.Compare(uint64(i), set)
		}
		for at, i := range chosen {
			want := 0.
			for _, earlier := range sets[:i] {
				want = max(want, similarityOf(n.Measure, sets[i], earlier))
			}
			if got := n.Similarity(at); got != want {
				t.Fatalf("record %d: %v, want %v", i, got, want)
			}
		}
		if n.Len() != len(chosen) {
			t.Fatal(n.Len())
		}
	})
}

// similarityOf is the similarity of a set with an earlier one, by its definition.
func similarityOf(m Measure, set, earlier []uint64) float64 {
	both := 0
	for _, element := range set {
		if slices.Contains(earlier, element) {
			both++
		}
	}
	switch m {
	case InEarlier:
		return float64(both) / float64(len(set))
	case InOther:
		return max(float64(both)/float64(len(set)), float64(both)/float64(len(earlier)))
	}
	return sketch.JaccardOfSets(earlier, set)
}

// TestIntervalsHoldTheValue in at least 93 of 100 runs, for precision and recall of populations
// that are known, large and small shares among them.
func TestIntervalsHoldTheValue(t *testing.T) {
	for _, c := range []struct{ right, missed float64 }{{.98, .001}, {.5, .01}, {.86, .0002}, {1, 0}, {.02, .2}} {
		const removed, kept, runs = 20_000, 100_000, 100
		rights, misses := int(c.right*removed), int(c.missed*kept)
		recall := float64(rights) / float64(rights+misses)
		holdsPrecision, holdsRecall := 0, 0
		for seed := range uint64(runs) {
			ofRemoved, sample := drawn(removed, rights, 500, seed)
			ofKept, other := drawn(kept, misses, 2000, seed+1000)
			f := EstimateAt(.85, sample, other, ofRemoved, ofKept)
			if p := float64(rights) / removed; f.Precision.Low <= p && p <= f.Precision.High {
				holdsPrecision++
			}
			if f.Recall.Low <= recall && recall <= f.Recall.High {
				holdsRecall++
			}
		}
		if holdsPrecision < 93 || holdsRecall < 93 {
			t.Errorf("%+v: precision in %d, recall in %d of %d intervals", c, holdsPrecision, holdsRecall, runs)
		}
	}
}

// drawn are the similarities of a sample of a population, of which the first ones are at the
// threshold.
func drawn(population, at, most int, seed uint64) (similarities []float64, s *Sample) {
	s = NewSample(most, seed)
	for i := range uint64(population) {
		s.Show(i)
	}
	for _, i := range s.Numbers {
		similarities = append(similarities, map[bool]float64{true: .85, false: .8499}[i < uint64(at)])
	}
	return similarities, s
}

// TestSharesOfClopperAndPearson compares shares with published tables.
func TestSharesOfClopperAndPearson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{0, 10, 0, .3085}, {1, 10, .0025, .4450}, {5, 10, .1871, .8129}, {10, 10, .6915, 1}, {30, 2000, .0101, .0213}} {
		e := share(c.k, c.n, false, .05)
		if math.Abs(e.Low-c.low) > 5e-5 || math.Abs(e.High-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, e.Low, e.High, c.low, c.high)
		}
	}
	if e := share(3, 4, true, .05); e != (Estimate{.75, .75, .75}) {
		t.Errorf("all of a population: %+v", e)
	}
}

// TestSampleIsUniform: each number is drawn as often as the others, and the same again with the
// seed.
func TestSampleIsUniform(t *testing.T) {
	var times [20]int
	for seed := range uint64(20_000) {
		s := NewSample(5, seed)
		for i := range uint64(len(times)) {
			s.Show(i)
		}
		for _, i := range s.Numbers {
			times[i]++
		}
		if s.IsAll() || s.Of != 20 {
			t.Fatal(s)
		}
	}
	for i, n := range times { // 5,000 are expected, with a deviation of 61
		if n < 4700 || n > 5300 {
			t.Errorf("number %d: %d times", i, n)
		}
	}
	a, b := NewSample(3, 9), NewSample(3, 9)
	numbers := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := numbers.Uint64()
		a.Show(n)
		b.Show(n)
	}
	if !slices.Equal(a.Numbers, b.Numbers) {
		t.Error("the seed does not decide")
	}
	few := NewSample(3, 9)
	few.Show(7)
	if !few.IsAll() {
		t.Error("one of one is not all")
	}
}
