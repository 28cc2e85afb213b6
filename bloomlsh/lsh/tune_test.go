package lsh

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestTuneBalanced(t *testing.T) {
	for _, c := range []struct {
		threshold            float64
		numPerm, bands, rows int
	}{
		{.5, 256, 42, 6}, {.8, 128, 9, 13}, {.85, 128, 8, 16}, {.5, 128, 25, 5},
	} {
		bands, rows, err := TuneBalanced(c.threshold, c.numPerm)
		if err != nil || bands != c.bands || rows != c.rows {
			t.Errorf("TuneBalanced(%g, %d) = %d, %d, %v, want %d, %d", c.threshold, c.numPerm, bands, rows, err,
				c.bands, c.rows)
		}
	}
}

// What the search leaves out is never better than what it finds.
func TestTuneBalancedIsTheLeastArea(t *testing.T) {
	const steps = 1000
	area := func(threshold float64, bands, rows int) (sum float64) {
		for i := range steps {
			similarity := (float64(i) + 0.5) / steps
			caught := CatchProbability(similarity, bands, rows)
			if similarity >= threshold {
				caught = 1 - caught
			}
			sum += caught
		}
		return sum
	}
	for _, numPerm := range []int{1, 2, 7, 32, 50} {
		for percent := 1; percent <= 100; percent += 9 {
			threshold := float64(percent) / 100
			bands, rows, err := TuneBalanced(threshold, numPerm)
			if err != nil {
				t.Fatal(err)
			}
			found := area(threshold, bands, rows)
			for r := 1; r <= numPerm; r++ {
				for b := 1; b <= numPerm/r; b++ {
					if better := area(threshold, b, r); better < found-1e-9 {
						t.Fatalf("threshold %g, %d permutations: %d bands of %d rows err by %g, found "+
							"were %d of %d with %g",
							threshold, numPerm, b, r, better, bands, rows, found)
					}
				}
			}
		}
	}
}

func BenchmarkTuneBalanced(b *testing.B) {
	for b.Loop() {
		if _, _, err := TuneBalanced(.5, 256); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTuneRecall(t *testing.T) {
	bands, rows, err := TuneRecall(.85, .95, 128)
	if err != nil || bands != 14 || rows != 9 {
		t.Errorf("TuneRecall(.85, .95, 128) = %d, %d, %v, want 14, 9", bands, rows, err)
	}
	for jaccard, want := range map[float64]float64{.85: .975, .8: .87, .7: .44, .5: .03} {
		if got := CatchProbability(jaccard, 14, 9); math.Abs(got-want) > .006 {
			t.Errorf("CatchProbability(%g, 14, 9) = %g, want %g", jaccard, got, want)
		}
	}
	if _, _, err := TuneRecall(.001, .95, 128); err == nil {
		t.Error("a recall out of reach is accepted")
	}
	if bands, rows, err := TuneRecall(1, .95, 128); err != nil || bands != 1 || rows != 128 {
		t.Errorf("TuneRecall(1, .95, 128) = %d, %d, %v, want 1, 128: equal records share every slot", bands, rows, err)
	}
}

func TestTuneRecallIsTheMostSelective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threshold := rapid.Float64Range(.05, 1).Draw(t, "threshold")
		recall := rapid.Float64Range(.01, .999).Draw(t, "recall")
		numPerm := rapid.IntRange(1, 512).Draw(t, "numPerm")
		bands, rows, err := TuneRecall(threshold, recall, numPerm)
		for r := numPerm; r > rows; r-- {
			if 1-math.Pow(1-math.Pow(threshold, float64(r)), float64(numPerm/r)) >= recall+1e-9 {
				t.Fatalf("%d rows would do, got %d (%v)", r, rows, err)
			}
		}
		if err == nil && (bands != numPerm/rows || CatchProbability(threshold, bands, rows) < recall) {
			t.Fatalf("%d bands of %d rows catch %g", bands, rows, CatchProbability(threshold, bands, rows))
		}
	})
}

func TestTuneRefuses(t *testing.T) {
	for _, threshold := range []float64{0, -1, 1.1, math.NaN()} {
		if _, _, err := TuneBalanced(threshold, 128); err == nil {
			t.Errorf("threshold %g is accepted", threshold)
		}
		if _, _, err := TuneRecall(threshold, .9, 128); err == nil {
			t.Errorf("threshold %g is accepted", threshold)
		}
	}
	for _, recall := range []float64{0, 1, math.NaN()} {
		if _, _, err := TuneRecall(.8, recall, 128); err == nil {
			t.Errorf("recall %g is accepted", recall)
		}
	}
	if _, _, err := TuneBalanced(.8, 0); err == nil {
		t.Error("no permutations are accepted")
	}
}
