package recipe

import (
	"math"
	"testing"
)

// atLeastOne is the rule of one vote, for a pair at 0.8.
func atLeastOne(bands, rows int) float64 {
	return 1 - math.Pow(1-math.Pow(0.8, float64(rows)), float64(bands))
}

// The defaults must be the program's, and bands and rows the ones that follow from them.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		options     []string
		bands, rows int
		catches     float64 // a pair at 0.8
	}{
		{nil, 32, 8, 0.15588690476224287},
		{[]string{"--tune", "recall", "--votes", "1"}, 14, 9, atLeastOne(14, 9)},
		{[]string{"--preset", "paper"}, 42, 6, atLeastOne(42, 6)},
		{[]string{"--bands", "3", "--rows", "4"}, 3, 4, atLeastOne(3, 4)},
	} {
		r, err := New(c.options)
		if err != nil {
			t.Fatal(err)
		}
		if p := r.Sketcher.Params(); p.Bands != c.bands || p.Rows != c.rows || r.Index.Bands != c.bands {
			t.Errorf("%q: %d bands of %d rows, index with %d", c.options, p.Bands, p.Rows, r.Index.Bands)
		}
		if got := r.Catch(0.8); math.Abs(got-c.catches) > 1e-9 {
			t.Errorf("%q: catches %g, want %g", c.options, got, c.catches)
		}
	}
	for _, options := range [][]string{{"--field", "body"}, {"--threshold", "7"}, {"--nonsense"}} {
		if _, err := New(options); err == nil {
			t.Errorf("%q: no error", options)
		}
	}
}
